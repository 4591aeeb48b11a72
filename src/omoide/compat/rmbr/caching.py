"""Embedders of rmbr whose arguments differ from those of omoide."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any, Final

from omoide.embed import remote
from omoide.embed.fast import FastEmbedEmbedder

ENTRIES: Final = 4096


class CachingEmbedder:
    """Embeds a text once and remembers its vector in memory; ``store`` is accepted and not used.

    omoide keeps the vectors of all texts by content in the file of its own accord.
    """

    def __init__(self, embedder: Any, store: Any = None) -> None:
        self.model_name: str = embedder.model_name
        self._embedder = embedder
        self._known: OrderedDict[str, Any] = OrderedDict()

    def embed(self, texts: list[str], /) -> list[Any]:
        """Return the vectors of texts, asking for those that are not known."""
        found = {text: self._known[text] for text in texts if text in self._known}
        lacking = list(dict.fromkeys(text for text in texts if text not in found))
        if lacking:
            found |= zip(lacking, self._embedder.embed(lacking), strict=True)
        self._known |= found
        while len(self._known) > ENTRIES:
            self._known.popitem(last=False)
        return [found[text] for text in texts]

    def embed_one(self, text: str) -> Any:
        """Return the vector of one text."""
        return self.embed([text])[0]


def get_shared_fastembed_embedder(model_name: str = "BAAI/bge-small-en-v1.5") -> FastEmbedEmbedder:
    """Return the embedder of a model; all of one model share a session."""
    return FastEmbedEmbedder(model_name)


class VoyageEmbedder(remote.VoyageEmbedder):
    """With ``input_type`` texts and questions are embedded alike, as that; without it each as what it is."""

    def __init__(self, model_name: str = "voyage-3", input_type: str | None = None, **options: Any) -> None:
        super().__init__(model_name, **options)
        self._fixed = input_type

    def _kind(self, *, question: bool) -> str:
        return self._fixed or super()._kind(question=question)


class CohereEmbedder(remote.CohereEmbedder):
    """With an ``input_type`` other than "search_document" texts and questions are embedded alike, as that."""

    def __init__(
        self, model_name: str = "embed-english-v3.0", input_type: str = "search_document", **options: Any
    ) -> None:
        super().__init__(model_name, **options)
        self._fixed = None if input_type == "search_document" else input_type

    def _kind(self, *, question: bool) -> str:
        return self._fixed or super()._kind(question=question)
