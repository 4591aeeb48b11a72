"""LangChain's embeddings as an omoide embedder."""

from __future__ import annotations

from typing import Any


class LangChainEmbedder:
    """Texts go to ``embed_documents``, questions to ``embed_query``; ``model_name`` is theirs, else the class's."""

    def __init__(self, embeddings: Any) -> None:
        self._embeddings = embeddings
        name = getattr(embeddings, "model", None) or getattr(embeddings, "model_name", None)
        self.model_name = str(name or type(embeddings).__name__)

    def embed(self, texts: list[str]) -> list[list[float]]:
        """Return the vectors of texts."""
        return [list(vector) for vector in self._embeddings.embed_documents(list(texts))]

    def embed_queries(self, texts: list[str]) -> list[list[float]]:
        """Return the vectors of questions."""
        return [list(self._embeddings.embed_query(text)) for text in texts]
