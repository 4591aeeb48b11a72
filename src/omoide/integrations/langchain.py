"""LangChain: a retriever over ``Index``, a vector store and a chat history; needs ``omoide[langchain]``."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Self, cast
from uuid import uuid4

from omoide.errors import InvalidInputError
from omoide.index import Index
from omoide.integrations.embeddings import LangChainEmbedder
from omoide.integrations.entries import Change, Entry
from omoide.integrations.keyed import Keyed

try:
    from langchain_core.callbacks import AsyncCallbackManagerForRetrieverRun, CallbackManagerForRetrieverRun
    from langchain_core.chat_history import BaseChatMessageHistory
    from langchain_core.documents import Document
    from langchain_core.embeddings import Embeddings
    from langchain_core.messages import BaseMessage, message_to_dict, messages_from_dict
    from langchain_core.retrievers import BaseRetriever
    from langchain_core.vectorstores import VectorStore
    from pydantic import ConfigDict, Field
except ImportError as error:
    raise ImportError("this needs LangChain; install omoide[langchain]", name="langchain_core") from error

VECTORS = "langchain"
CHATS = "langchain-chat"


Filter = Mapping[str, Any] | Callable[[Document], bool]


class OmoideRetriever(BaseRetriever):
    """Searches an ``Index``; ``k`` and the options of ``search`` can be given at each call."""

    model_config = ConfigDict(arbitrary_types_allowed=True)

    index: Any
    k: int = 5
    search_kwargs: dict[str, Any] = Field(default_factory=dict)

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun, **kwargs: Any
    ) -> list[Document]:
        hits = self.index.search(query, **{"k": self.k, **self.search_kwargs, **kwargs})
        return [
            Document(
                id=str(hit.id),
                page_content=hit.text,
                metadata={
                    "source": hit.source, **hit.metadata, "omoide_id": hit.id, "omoide_score": hit.score,
                    "namespace": hit.namespace,
                },
            )
            for hit in hits
        ]  # fmt: skip

    async def _aget_relevant_documents(
        self, query: str, *, run_manager: AsyncCallbackManagerForRetrieverRun, **kwargs: Any
    ) -> list[Document]:
        return await asyncio.to_thread(
            self._get_relevant_documents, query, run_manager=run_manager.get_sync(), **kwargs
        )


def as_retriever(index: Index, *, k: int = 5, **search_kwargs: Any) -> OmoideRetriever:
    """Return a LangChain retriever over an index."""
    return OmoideRetriever(index=index, k=k, search_kwargs=search_kwargs)


class OmoideVectorStore(VectorStore):
    """Documents as memories of one namespace; the id of a document is its key, a change keeps the history."""

    def __init__(
        self, path: str | os.PathLike[str], embedding: Embeddings | None = None, *, namespace: str = "default",
        **options: Any,
    ) -> None:  # fmt: skip
        self._embedding = embedding
        if embedding is not None:
            options.setdefault("embedder", LangChainEmbedder(embedding))
        self.memory = Keyed(path, namespace, **{"door": VECTORS, **options})

    @property
    def embeddings(self) -> Embeddings | None:
        """The embeddings that were given, None for the store's own model."""
        return self._embedding

    def add_texts(
        self, texts: Iterable[str], metadatas: list[dict[str, Any]] | None = None, *,
        ids: Sequence[str | None] | None = None, **kwargs: Any,
    ) -> list[str]:  # fmt: skip
        """Add or replace documents; return their ids.

        Raises:
            InvalidInputError: the lists differ in length.
        """
        listed = list(texts)
        if any(given is not None and len(given) != len(listed) for given in (metadatas, ids)):
            raise InvalidInputError("texts, metadatas and ids must be of one length", value=len(listed))
        names = [name or str(uuid4()) for name in (ids or [None] * len(listed))]
        marks = metadatas or [{} for _ in listed]
        home = self.memory.namespace
        changes = zip(names, listed, marks, strict=True)
        self.memory.apply([Change(home, name, text, {"document": mark}) for name, text, mark in changes])
        return names

    def delete(self, ids: list[str] | None = None, **kwargs: Any) -> bool:
        """Forget documents by id, all of them when there are no ids; missing ones are left alone."""
        names = [entry.key for entry in self._all()] if ids is None else ids
        self.memory.apply([Change(self.memory.namespace, name, None, {}) for name in names])
        return True

    def get_by_ids(self, ids: Sequence[str], /) -> list[Document]:
        """Return the documents that exist."""
        found = [self.memory.entry(self.memory.namespace, name) for name in ids]
        return [_document(entry) for entry in found if entry is not None]

    def similarity_search(self, query: str, k: int = 4, **kwargs: Any) -> list[Document]:
        """Return the documents that answer a question, best first."""
        return [document for document, _ in self.similarity_search_with_score(query, k, **kwargs)]

    def similarity_search_with_score(
        self, query: str, k: int = 4, *, filter: Filter | None = None, **kwargs: Any
    ) -> list[tuple[Document, float]]:
        """Return (document, score), best first; scores are from 0 to 1.

        ``filter`` names fields of the documents' metadata, with the operators of ``where`` where wanted, or is a
        function of a document.
        """
        where, keep = _narrowed(filter)
        found = self.memory.found(query, [self.memory.namespace], k, keep, where)
        return [(_document(entry), float(entry.score or 0.0)) for entry in found]

    def similarity_search_by_vector(
        self, embedding: list[float], k: int = 4, *, filter: Filter | None = None, **kwargs: Any
    ) -> list[Document]:
        """Return the documents nearest to a vector, which is one of the store's model."""
        where, keep = _narrowed(filter)
        found = self.memory.found("", [self.memory.namespace], k, keep, where, vector=embedding)
        return [_document(entry) for entry in found]

    def max_marginal_relevance_search(
        self, query: str, k: int = 4, fetch_k: int = 20, lambda_mult: float = 0.5, *, filter: Filter | None = None,
        **kwargs: Any,
    ) -> list[Document]:  # fmt: skip
        """Return the documents that answer a question and repeat each other least; 1 is relevance only."""
        where, keep = _narrowed(filter)
        home = [self.memory.namespace]
        return [_document(entry) for entry in self.memory.various(query, home, k, fetch_k, lambda_mult, keep, where)]

    def max_marginal_relevance_search_by_vector(
        self, embedding: list[float], k: int = 4, fetch_k: int = 20, lambda_mult: float = 0.5, *,
        filter: Filter | None = None, **kwargs: Any,
    ) -> list[Document]:  # fmt: skip
        """Return the documents near a vector that repeat each other least."""
        where, keep = _narrowed(filter)
        home = [self.memory.namespace]
        found = self.memory.various("", home, k, fetch_k, lambda_mult, keep, where, vector=embedding)
        return [_document(entry) for entry in found]

    def close(self) -> None:
        """Close the store."""
        self.memory.close()

    @classmethod
    def from_texts(
        cls, texts: list[str], embedding: Embeddings | None, metadatas: list[dict[str, Any]] | None = None, *,
        ids: list[str] | None = None, path: str | os.PathLike[str] = "agents.db", **kwargs: Any,
    ) -> Self:  # fmt: skip
        """Open the store at ``path`` and add texts."""
        made = cls(path, embedding, **kwargs)
        made.add_texts(texts, metadatas, ids=ids)
        return made

    def _select_relevance_score_fn(self) -> Any:
        return float  # the store's scores are from 0 to 1 already

    def _all(self) -> list[Entry]:
        return self.memory.entries([self.memory.namespace])


class OmoideChatHistory(BaseChatMessageHistory):
    """The messages of one session, each a memory, in the order they were added.

    All have the source ``langchain-chat:SESSION_ID``, so ``purge(source=...)`` erases a conversation.
    """

    def __init__(
        self, path: str | os.PathLike[str], session_id: str, *, namespace: str = "default", **options: Any
    ) -> None:
        self.session_id = session_id
        self.memory = Keyed(path, namespace, **{"door": CHATS, **options})

    @property
    def messages(self) -> list[BaseMessage]:  # type: ignore[override]  # the base declares an attribute
        """The messages, oldest first."""
        return cast("list[BaseMessage]", messages_from_dict([entry.data["message"] for entry in self._entries()]))

    def add_messages(self, messages: Sequence[BaseMessage]) -> None:
        """Add messages in one transaction."""
        self.memory.apply([self._change(message) for message in messages])

    def clear(self) -> None:
        """Forget the messages of this session."""
        self.memory.apply([Change(entry.namespace, entry.key, None, {}, self.session_id) for entry in self._entries()])

    def close(self) -> None:
        """Close the store."""
        self.memory.close()

    def _change(self, message: BaseMessage) -> Change:
        data = {"session_id": self.session_id, "role": message.type, "message": message_to_dict(message)}
        return Change(self.memory.namespace, str(uuid4()), str(message.text), data, self.session_id)

    def _entries(self) -> list[Entry]:
        return self.memory.group(self.memory.namespace, self.session_id)[1]


def _narrowed(wanted: Filter | None) -> tuple[dict[str, Any], Callable[[Entry], bool]]:
    """Return what of a filter the store carries out, and what is left to judge."""
    if callable(wanted):
        return {}, lambda entry: bool(wanted(_document(entry)))
    return _under("document", wanted or {}), lambda _: True


def _under(field: str, wanted: Mapping[str, Any]) -> dict[str, Any]:
    """Return a filter on the metadata as one on the field that holds it."""
    found: dict[str, Any] = {}
    for name, condition in wanted.items():
        if name in {"$and", "$or"} and isinstance(condition, list | tuple):
            found[name] = [_under(field, each) for each in condition]
        elif name == "$not" and isinstance(condition, Mapping):
            found[name] = _under(field, condition)
        else:
            found[f"{field}.{name}"] = condition
    return found


def _document(entry: Entry) -> Document:
    return Document(id=entry.key, page_content=entry.text, metadata=dict(entry.data["document"]))
