"""Index: documents of one namespace, added as texts or files, searched by words and meaning."""

from __future__ import annotations

import builtins
import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from omoide.aio import twin
from omoide.errors import InvalidInputError
from omoide.handle import Handle
from omoide.model.time import WEEK
from omoide.model.where import parse
from omoide.tools import ToolSpec, search_tool
from omoide.types import Document, Hits, IngestResult
from omoide.verbs import drafts, recall
from omoide.verbs.asking import asks
from omoide.verbs.drafts import Moment
from omoide.verbs.passages import document_asks, documents
from omoide.verbs.passages.document_parts import Splitter, recipe_of


class Index(Handle):
    """Documents of ``namespace`` in the store at ``path``.

    The options are those of ``Memory``, ``dedupe_threshold`` and ``max_memories`` aside.

    Raises:
        EmbedderMismatchError: the store holds vectors of another model.
        StoreError: the file cannot be opened; see its subclasses.
    """

    def add_text(
        self, text: str, *, source: str | None = None, namespace: str | None = None,
        metadata: Mapping[str, Any] | None = None, chunk_size: int = 800, chunk_overlap: int = 150,
        splitter: Splitter = "text", measure: str = "chars", project: str | None = None, trust: str | None = None,
    ) -> int:  # fmt: skip
        """Add one text as a document; return its id.

        Raises:
            InvalidInputError: a blank text, or an argument that cannot be accepted.
            AccessDeniedError: the policy does not open the namespace.
        """
        added = self.add_texts(
            [text], sources=[source], namespace=namespace, metadata=metadata, chunk_size=chunk_size,
            chunk_overlap=chunk_overlap, splitter=splitter, measure=measure, project=project, trust=trust,
        )  # fmt: skip
        if not added:
            raise InvalidInputError(added.failed[0].reason or "the text has no parts", value=text)
        return added[0]

    def add_texts(
        self, texts: Sequence[str], *, sources: Sequence[str | None] | None = None, namespace: str | None = None,
        metadata: Mapping[str, Any] | Sequence[Mapping[str, Any]] | None = None, chunk_size: int = 800,
        chunk_overlap: int = 150, splitter: Splitter = "text", measure: str = "chars", project: str | None = None,
        trust: str | None = None,
    ) -> IngestResult:  # fmt: skip
        """Add texts as documents; return their ids.

        ``metadata`` is one object for all, or a list with one for each. A text that cannot be taken (blank, with a
        lone surrogate, too long) is reported in ``failed`` with its position, and the others are added.

        Raises:
            InvalidInputError: an argument that cannot be accepted; nothing was stored.
            AccessDeniedError: the policy does not open the namespace.
        """
        recipe = recipe_of(splitter, chunk_size, chunk_overlap, measure)
        given, failed = document_asks.texts(texts, sources, metadata)
        model = document_asks.sheet(self._ctx, project, trust, recipe)
        scope = self._ctx.policy.write_scope(self.namespace, namespace)
        return documents.add_texts(self._ctx, scope, given, recipe, model, failed)

    def add_files(
        self, path: str | os.PathLike[str] | Sequence[str | os.PathLike[str]], *, pattern: str = "**/*",
        namespace: str | None = None, metadata: Mapping[str, Any] | None = None, chunk_size: int = 800,
        chunk_overlap: int = 150, encoding: str | None = None, splitter: Splitter = "auto", measure: str = "chars",
        project: str | None = None, trust: str | None = None, ignore: Sequence[str] | None = None, prune: bool = True,
        max_bytes: int | None = None, max_seconds: float | None = None,
        progress: Callable[[int, int, str], object] | None = None,
    ) -> IngestResult:  # fmt: skip
        """Add files, or all files below folders; return the ids of the documents that were written.

        A file that did not change is passed over, one that changed is replaced, one that was moved keeps its id.
        With ``prune`` the documents of files that are gone leave the search; past answers keep them, and they are
        back when the file is. ``.files`` says what became of every file and folder, and why.

        ``pattern`` and ``ignore`` are read as lines of a ``.gitignore``; ``.gitignore`` and ``.omoideignore`` files
        count, and caches, installed packages, histories and secrets are left out. ``encoding`` None finds out.
        ``max_bytes`` and ``max_seconds`` are those of one file. ``progress(done, total, path)`` is called after each
        file.

        Raises:
            MissingPathError: there is no such file or folder (a FileNotFoundError); nothing was stored.
            InvalidInputError: an argument that cannot be accepted; nothing was stored.
            AccessDeniedError: the policy does not open the namespace.
        """
        from omoide.verbs.passages import ingest

        recipe = recipe_of(splitter, chunk_size, chunk_overlap, measure, encoding)
        limits = document_asks.limits(max_bytes, max_seconds)
        model = document_asks.sheet(self._ctx, project, trust, recipe, metadata)
        scope = self._ctx.policy.write_scope(self.namespace, namespace)
        roots, walk = document_asks.look_for_files(path, pattern, ignore)
        order = ingest.Order(scope, roots, pattern, recipe, model, prune=prune, progress=progress, **limits)
        return ingest.ingest(self._ctx, order, walk)

    def search(
        self, query: str | None, *, k: int = 5, namespaces: str | builtins.list[str] | None = None,
        where: Mapping[str, Any] | None = None, use_bm25: bool = True, use_vectors: bool = True,
        budget_ms: float | None = None, min_similarity: float | None = None, recency_weight: float = 0.0,
        recency_half_life_seconds: float = WEEK, rerank: bool = False, trust: str | Sequence[str] | None = None,
        project: str | None = None, as_of: Moment | None = None, known_at: Moment | None = None,
        since: Moment | None = None, until: Moment | None = None, max_tokens: int | None = None,
        abstain: bool = False,
    ) -> Hits:  # fmt: skip
        """Return the parts of documents that answer ``query``, best first; None lists, a blank query finds nothing.

        ``as_of`` asks what was in the index then; ``since`` and ``until`` are about when a text was added.

        Raises:
            InvalidInputError: an argument that cannot be accepted.
            AccessDeniedError: the policy does not open a namespace.
        """
        ask = asks.recall_ask(
            self._ctx, query, k=k, namespaces=namespaces, where=where, use_bm25=use_bm25, use_vectors=use_vectors,
            budget_ms=budget_ms, min_similarity=min_similarity, recency_weight=recency_weight,
            half_life=recency_half_life_seconds, rerank=rerank, subject=None, predicate=None, kinds=None, tags=None,
            trust=trust, project=project, as_of=as_of, known_at=known_at, since=since, until=until,
            max_tokens=max_tokens, abstain=abstain, include=("documents",), include_retracted=True,
        )  # fmt: skip
        return recall.recall(self._ctx, ask)

    def get(self, id: int) -> Document | None:
        """Return a document with its text, or None when there is none or it may not be read."""
        return documents.get(self._ctx, drafts.check_id(id))

    def list(
        self, *, limit: int | None = None, where: Mapping[str, Any] | None = None, source: str | None = None,
        namespaces: str | builtins.list[str] | None = None, include_removed: bool = False,
    ) -> builtins.list[Document]:  # fmt: skip
        """Return documents without their texts, newest first, at most ``limit``."""
        return documents.list_documents(
            self._ctx, asks.scope_of(self._ctx, namespaces), where=parse(where),
            source=drafts.draft_label(source, "source"), removed=include_removed, limit=asks.check_limit(limit),
        )  # fmt: skip

    def update(self, id: int, *, text: str | None = None, metadata: Mapping[str, Any] | None = None) -> None:
        """Replace the text of a document, its metadata, or both; None keeps. A missing document is left alone."""
        new_text = None if text is None else drafts.draft_text(text)
        new_metadata = None if metadata is None else drafts.draft_metadata(metadata)
        documents.update(self._ctx, drafts.check_id(id), text=new_text, metadata=new_metadata)

    def delete(self, document_id: int) -> None:
        """Erase a document for good, past answers included; a missing one is left alone."""
        documents.delete(self._ctx, drafts.check_id(document_id))

    def stats(self, namespaces: str | Sequence[str] | None = None) -> dict[str, dict[str, Any]]:
        """Return per namespace: documents, chunks, oldest, newest, pending_vectors, embedder."""
        return documents.stats(self._ctx, asks.scope_of(self._ctx, namespaces))

    def as_tool(self, *, name: str = "search") -> ToolSpec:
        """Return the tool that searches these documents; it has no namespace parameter."""
        return search_tool(self, name)

    def as_langchain_retriever(self, *, k: int = 5, **search_kwargs: Any) -> Any:
        """Return a LangChain retriever over ``search``.

        Raises:
            ImportError: LangChain is not installed.
        """
        return _adapter("langchain")(self, k=k, **search_kwargs)

    def as_llamaindex_retriever(self, *, k: int = 5, **search_kwargs: Any) -> Any:
        """Return a LlamaIndex retriever over ``search``.

        Raises:
            ImportError: LlamaIndex is not installed.
        """
        return _adapter("llamaindex")(self, k=k, **search_kwargs)

    # -- async twins -----------------------------------------------------------------------------------

    aadd_text = twin(add_text)
    aadd_texts = twin(add_texts)
    aadd_files = twin(add_files)
    asearch = twin(search)
    aget = twin(get)
    aupdate = twin(update)
    adelete = twin(delete)
    astats = twin(stats)
    alist = twin(list)  # noqa: A003  (the name is that of ``Memory``)


def _adapter(name: str) -> Callable[..., Any]:
    from importlib import import_module

    home = f"omoide.integrations.{name}"
    try:
        found: Callable[..., Any] = import_module(home).as_retriever
    except ImportError as error:
        raise ImportError(f"this needs {home}; install omoide[{name}]", name=home) from error
    return found
