"""Any cross-encoder of fastembed, which fetches it from a hub at the first use; needs the package ``fastembed``."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Any

from omoide.embed.fast import Locked, construct
from omoide.embed.loader import Loader, Loading, shared
from omoide.errors import EmbedderUnavailableError


class FastEmbedReranker(Loading):
    """One session per model and process, loaded at the first use; its scores are the model's logits.

    Raises EmbedderUnavailableError when fastembed is not installed.
    """

    def __init__(self, model_name: str, **options: Any) -> None:
        if find_spec("fastembed") is None:
            raise EmbedderUnavailableError("fastembed is not installed (pip install 'omoide[fastembed]')")
        self._name = model_name
        key = f"fastembed rerank {model_name} {sorted(options.items())!r}"
        self._loader: Loader[Locked] = shared(
            key, lambda wanted: construct(_cross_encoder, model_name, options, wanted), Locked.close
        )

    def __repr__(self) -> str:
        return f"FastEmbedReranker({self._name!r})"

    def score(self, query: str, texts: list[str], /) -> list[float]:
        """Return the model's logit of every text."""
        return [float(score) for score in self._loader.wait().run("rerank", query, texts)]


def _cross_encoder() -> Any:
    return import_module("fastembed.rerank.cross_encoder").TextCrossEncoder
