"""A LlamaIndex retriever over ``Index``; needs ``omoide[llamaindex]``."""

from __future__ import annotations

import asyncio
from typing import Any

from omoide.index import Index

try:
    from llama_index.core.retrievers import BaseRetriever
    from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode
except ImportError as error:
    raise ImportError("this needs LlamaIndex; install omoide[llamaindex]", name="llama_index") from error


class OmoideRetriever(BaseRetriever):
    """Searches an ``Index``; the options are those of ``search``."""

    def __init__(self, index: Index, *, k: int = 5, **search_kwargs: Any) -> None:
        self._index = index
        self._options = {"k": k, **search_kwargs}
        super().__init__()

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return [
            NodeWithScore(
                node=TextNode(
                    id_=str(hit.id), text=hit.text,
                    metadata={**hit.metadata, "namespace": hit.namespace, "source": hit.source},
                ),
                score=hit.score,
            )
            for hit in self._index.search(query_bundle.query_str, **self._options)
        ]  # fmt: skip

    async def _aretrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return await asyncio.to_thread(self._retrieve, query_bundle)


def as_retriever(index: Index, *, k: int = 5, **search_kwargs: Any) -> OmoideRetriever:
    """Return a LlamaIndex retriever over an index."""
    return OmoideRetriever(index, k=k, **search_kwargs)
