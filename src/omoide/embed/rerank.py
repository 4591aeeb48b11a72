"""From what a user passes as ``reranker`` to an object that scores pairs of a question and a text."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

from omoide.errors import InvalidInputError
from omoide.ports import Reranker

FASTEMBED: Final = "fastembed:"
_WAYS: Final = (
    "a folder with model.onnx and tokenizer.json, 'fastembed:MODEL', a function (question, texts) -> scores, or an"
    " object with score(question, texts)"
)


def resolve_reranker(reranker: Any = None) -> Reranker | None:
    """Return what judges the best hits, None for nothing; no model is loaded yet.

    A text or path is a folder with an ONNX cross-encoder, ``"fastembed:MODEL"`` a model of fastembed; a function and
    an object are used as they are.

    Raises:
        InvalidInputError: not a reranker, or a folder without the files of one.
        EmbedderUnavailableError: a package that it needs is not installed.
    """
    if reranker is None:
        return None
    if isinstance(reranker, str) and reranker.startswith(FASTEMBED):
        from omoide.embed.rerank_fast import FastEmbedReranker

        return FastEmbedReranker(reranker.removeprefix(FASTEMBED))
    if isinstance(reranker, str | os.PathLike):
        from omoide.embed.rerank_onnx import OnnxReranker

        return OnnxReranker(Path(reranker))
    if callable(getattr(reranker, "score", None)):
        judge: Reranker = reranker
        return judge
    if callable(reranker):
        return FunctionReranker(reranker)
    raise InvalidInputError(f"reranker has to be {_WAYS}, not {type(reranker).__name__}", value=reranker)


class FunctionReranker:
    """A plain function as a reranker."""

    def __init__(self, function: Callable[[str, list[str]], Sequence[float]]) -> None:
        self._function = function

    def __repr__(self) -> str:
        return f"FunctionReranker({self._function!r})"

    def score(self, query: str, texts: list[str], /) -> Sequence[float]:
        """Return what the function returns."""
        return self._function(query, texts)
