"""rmbr.rerank: a cross-encoder of fastembed under its old name; ``score`` is what omoide's handles ask."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Protocol, runtime_checkable

from omoide.embed.rerank_fast import FastEmbedReranker

DEFAULT: Final = "Xenova/ms-marco-MiniLM-L-6-v2"


@runtime_checkable
class Reranker(Protocol):
    """Judges texts by a question."""

    def rerank(self, query: str, documents: list[str]) -> list[float]: ...


class CrossEncoderReranker(FastEmbedReranker):
    """Raises EmbedderUnavailableError when fastembed is not installed; the model is loaded at the first use."""

    def __init__(self, model_name: str = DEFAULT) -> None:
        super().__init__(model_name)

    def rerank(self, query: str, documents: list[str]) -> list[float]:
        return self.score(query, documents)


class Judging:
    """Loads rmbr's default model when the first ``rerank=True`` asks for it."""

    def __init__(self) -> None:
        self._model: CrossEncoderReranker | None = None

    def score(self, query: str, texts: list[str], /) -> Sequence[float]:
        if self._model is None:
            self._model = CrossEncoderReranker()
        return self._model.score(query, texts)
