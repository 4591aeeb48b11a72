"""LlamaIndex: a retriever over ``Index``, a vector store, the store's model; needs ``omoide[llamaindex]``."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Callable, Sequence
from typing import Any, Final

from omoide.errors import InvalidInputError
from omoide.index import Index
from omoide.integrations.entries import Change, Entry
from omoide.integrations.keyed import Keyed
from omoide.integrations.llamaindex_filter import accepts, pushed
from omoide.integrations.threads import whole

try:
    from llama_index.core.base.embeddings.base import BaseEmbedding
    from llama_index.core.bridge.pydantic import PrivateAttr
    from llama_index.core.retrievers import BaseRetriever
    from llama_index.core.schema import BaseNode, MetadataMode, NodeWithScore, QueryBundle, TextNode
    from llama_index.core.vector_stores.types import (
        BasePydanticVectorStore,
        MetadataFilters,
        VectorStoreQuery,
        VectorStoreQueryMode,
        VectorStoreQueryResult,
    )
    from llama_index.core.vector_stores.utils import metadata_dict_to_node
except ImportError as error:
    raise ImportError("this needs LlamaIndex; install omoide[llamaindex]", name="llama_index") from error

DOOR: Final = "llamaindex"
_WORDS: Final = (VectorStoreQueryMode.SPARSE, VectorStoreQueryMode.TEXT_SEARCH)
_BOTH: Final = (VectorStoreQueryMode.DEFAULT, VectorStoreQueryMode.HYBRID, VectorStoreQueryMode.SEMANTIC_HYBRID)
_RELEVANCE: Final = 0.5


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
                    metadata={"source": hit.source, **hit.metadata, "namespace": hit.namespace},
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


class OmoideVectorStore(BasePydanticVectorStore):
    """Nodes as memories of one namespace; the id of a node is its key, a change keeps the history.

    The text of a node is embedded by the store's own model, or by ``embed_model`` when it is given; vectors that
    nodes bring along are not kept. The modes "default", "hybrid" and "semantic_hybrid" search by words and meaning,
    "sparse" and "text_search" by words, "mmr" leaves repetitions out. ``options`` are those of ``Memory``.
    """

    stores_text: bool = True
    is_embedding_query: bool = False

    _memory: Keyed = PrivateAttr()

    def __init__(
        self, path: str | os.PathLike[str] = "agents.db", *, namespace: str = "default", embed_model: Any | None = None,
        **options: Any,
    ) -> None:  # fmt: skip
        super().__init__(stores_text=True, is_embedding_query=False)
        if embed_model is not None:
            options.setdefault("embedder", _Embedder(embed_model))
        self._memory = Keyed(path, namespace, **{"door": DOOR, **options})

    @property
    def client(self) -> Keyed:
        """The store's handle."""
        return self._memory

    @property
    def embed_model(self) -> OmoideEmbedding:
        """The store's model as LlamaIndex's, for ``VectorStoreIndex.from_vector_store(store, embed_model=...)``."""
        return OmoideEmbedding(self._memory)

    @classmethod
    def class_name(cls) -> str:
        """Return the name that LlamaIndex knows the class by."""
        return "OmoideVectorStore"

    # -- nodes -----------------------------------------------------------------------------------------

    def add(self, nodes: Sequence[BaseNode], **kwargs: Any) -> list[str]:
        """Add or replace nodes in one transaction; return their ids."""
        self._memory.apply([self._change(node) for node in nodes])
        return [node.node_id for node in nodes]

    async def async_add(self, nodes: Sequence[BaseNode], **kwargs: Any) -> list[str]:
        """Async ``add``."""
        return await whole(lambda: self.add(nodes, **kwargs))

    def get_nodes(self, node_ids: list[str] | None = None, filters: MetadataFilters | None = None) -> list[BaseNode]:
        """Return the nodes with these ids and metadata, in the order they were added."""
        return [_node(entry) for entry in self._selected(node_ids, filters)]

    async def aget_nodes(
        self, node_ids: list[str] | None = None, filters: MetadataFilters | None = None
    ) -> list[BaseNode]:
        """Async ``get_nodes``."""
        return await asyncio.to_thread(self.get_nodes, node_ids, filters)

    def delete(self, ref_doc_id: str, **delete_kwargs: Any) -> None:
        """Forget the nodes of a document."""
        home = self._memory.namespace
        self._remove(self._memory.entries([home], {"ref_doc_id": {"$eq": ref_doc_id}}))

    async def adelete(self, ref_doc_id: str, **delete_kwargs: Any) -> None:
        """Async ``delete``."""
        await whole(lambda: self.delete(ref_doc_id, **delete_kwargs))

    def delete_nodes(
        self, node_ids: list[str] | None = None, filters: MetadataFilters | None = None, **delete_kwargs: Any
    ) -> None:
        """Forget the nodes with these ids and metadata."""
        self._remove(self._selected(node_ids, filters))

    async def adelete_nodes(
        self, node_ids: list[str] | None = None, filters: MetadataFilters | None = None, **delete_kwargs: Any
    ) -> None:
        """Async ``delete_nodes``."""
        await whole(lambda: self.delete_nodes(node_ids, filters, **delete_kwargs))

    def clear(self) -> None:
        """Forget every node."""
        self._remove(self._selected(None, None))

    async def aclear(self) -> None:
        """Async ``clear``."""
        await whole(self.clear)

    def persist(self, persist_path: str = "", fs: Any | None = None) -> None:
        """Do nothing: what was added is on disk already."""

    def close(self) -> None:
        """Close the store."""
        self._memory.close()

    # -- questions -------------------------------------------------------------------------------------

    def query(self, query: VectorStoreQuery, **kwargs: Any) -> VectorStoreQueryResult:
        """Return the nodes that answer a question, best first; scores are from 0 to 1.

        A question that comes as a vector only has to be one of the store's model.

        Raises:
            InvalidInputError: a mode that is not offered, or a vector of another size.
        """
        found = self._found(query, **kwargs)
        return VectorStoreQueryResult(
            nodes=[_node(entry) for entry in found], similarities=[float(entry.score or 0.0) for entry in found],
            ids=[entry.key for entry in found],
        )  # fmt: skip

    async def aquery(self, query: VectorStoreQuery, **kwargs: Any) -> VectorStoreQueryResult:
        """Async ``query``."""
        return await asyncio.to_thread(lambda: self.query(query, **kwargs))

    def _found(self, query: VectorStoreQuery, mmr_threshold: float | None = None, **_: Any) -> list[Entry]:
        home, text, mode = [self._memory.namespace], query.query_str or "", query.mode
        # An index that keeps no nodes of its own asks with an empty list of them, and means all.
        where = _where(query.node_ids or None, query.filters, query.doc_ids or None)
        keep = _keeping(query.filters)
        vector = query.query_embedding if not text.strip() else None
        k = query.similarity_top_k
        if mode == VectorStoreQueryMode.MMR:
            share = mmr_threshold if mmr_threshold is not None else query.mmr_threshold
            relevance = _RELEVANCE if share is None else share
            return self._memory.various(text, home, k, 4 * k, relevance, keep, where, vector=vector)
        if mode in _WORDS:
            return self._memory.found(text, home, query.sparse_top_k or k, keep, where, use_vectors=False)
        if mode not in _BOTH:
            raise InvalidInputError(f"the mode {mode.value!r} is not offered; use default, hybrid, sparse or mmr")
        wanted = k if mode == VectorStoreQueryMode.DEFAULT else query.hybrid_top_k or k
        return self._memory.found(text, home, wanted, keep, where, vector=vector)

    def _selected(self, node_ids: list[str] | None, filters: MetadataFilters | None) -> list[Entry]:
        home = [self._memory.namespace]
        return self._memory.entries(home, _where(node_ids, filters, None), keep=_keeping(filters))

    def _remove(self, entries: Sequence[Entry]) -> None:
        self._memory.apply([Change(entry.namespace, entry.key, None, {}) for entry in entries])

    def _change(self, node: BaseNode) -> Change:
        content = node.model_dump(mode="json", exclude={"text", "text_resource", "embedding"})
        marks = {"_node_content": json.dumps(content, ensure_ascii=False), "_node_type": node.class_name()}
        data = {"node": marks, "ref_doc_id": node.ref_doc_id, "fields": content.get("metadata", {})}
        text = node.get_content(metadata_mode=MetadataMode.NONE)
        return Change(self._memory.namespace, node.node_id, text, data)


class OmoideEmbedding(BaseEmbedding):
    """The model of an omoide store as LlamaIndex's, so that both measure alike.

    Raises:
        EmbedderUnavailableError: at the first text, when the store has no model.
    """

    _memory: Keyed = PrivateAttr()

    def __init__(self, memory: Keyed) -> None:
        super().__init__(model_name=memory.embedder_name or "none")
        self._memory = memory

    @classmethod
    def class_name(cls) -> str:
        """Return the name that LlamaIndex knows the class by."""
        return "OmoideEmbedding"

    def _get_query_embedding(self, query: str) -> list[float]:
        return self._memory.vector_of(query, question=True)

    async def _aget_query_embedding(self, query: str) -> list[float]:
        return await asyncio.to_thread(self._get_query_embedding, query)

    def _get_text_embedding(self, text: str) -> list[float]:
        return self._memory.vector_of(text)

    async def _aget_text_embedding(self, text: str) -> list[float]:
        return await asyncio.to_thread(self._get_text_embedding, text)


class _Embedder:
    """A LlamaIndex embedding model as an omoide embedder."""

    def __init__(self, model: Any) -> None:
        self._model = model
        self.model_name = str(model.model_name)

    def embed(self, texts: list[str]) -> list[list[float]]:
        return [list(vector) for vector in self._model.get_text_embedding_batch(list(texts))]

    def embed_queries(self, texts: list[str]) -> list[list[float]]:
        return [list(self._model.get_query_embedding(text)) for text in texts]


def _where(node_ids: list[str] | None, filters: Any, doc_ids: list[str] | None) -> dict[str, Any] | None:
    given = {"key": node_ids, "ref_doc_id": doc_ids}
    parts: list[dict[str, Any]] = [{name: {"$in": ids}} for name, ids in given.items() if ids is not None]
    known = pushed("fields", filters)
    parts += [known] if known is not None else []
    return {"$and": parts} if parts else None


def _keeping(filters: Any) -> Callable[[Entry], bool]:
    return lambda entry: accepts(entry.data["fields"], filters)


def _node(entry: Entry) -> BaseNode:
    return metadata_dict_to_node(dict(entry.data["node"]), text=entry.text)
