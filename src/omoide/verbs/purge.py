"""Purge: texts, words and vectors erased for good; the audit keeps that it happened, not what it was."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from omoide.beside import erasing as beside
from omoide.errors import InvalidInputError
from omoide.model.documents import DocumentRow, purged_document
from omoide.model.records import Claim, Row
from omoide.model.relations import purged_memory, purged_name
from omoide.store.sqlite import document_writing, erasing
from omoide.store.sqlite.conversations import history_erasing
from omoide.store.sqlite.indexing.rebuild import sweep
from omoide.store.sqlite.transaction import Read, Write
from omoide.text.lookalikes import name_key
from omoide.text.tokens import analyze
from omoide.types import Receipt
from omoide.verbs import drafts, gate
from omoide.verbs.asking import asks
from omoide.verbs.context import Context
from omoide.verbs.drafts import searched_text, value_key
from omoide.verbs.erasure import ELSEWHERE, OTHER_NAMES, Erased, residues, unreached
from omoide.verbs.whose import locate, missing
from omoide.verbs.writing import vouching, writing

LOCATIONS: Final = (
    "versions", "texts", "keyword index", "vectors", "saved codes", "evidence", "links", "stored results",
    "documents", "conversations", "files of hooks", "write-ahead log", "free pages",
)  # fmt: skip
_AT_ONCE: Final = 200
"""So many memories of a namespace are erased together with its index instead of one by one."""


@dataclass(frozen=True, slots=True)
class Target:
    """What a purge aims at in a namespace: one of the others, or all of it."""

    namespace: str
    id: int | None = None
    source: str | None = None
    subject: str | None = None
    session: str | None = None
    segment: str | None = None

    @property
    def whole(self) -> bool:
        """Whether everything of the namespace is meant."""
        return (self.id, self.source, self.subject, self.session, self.segment) == (None,) * 5


def target_of(
    ctx: Context, id: int | None, source: str | None, subject: str | None, session: str | None, namespace: str | None
) -> Target:
    """Return what a purge aims at.

    Raises:
        NotFoundError: there is no memory with the id here.
        InvalidInputError: not exactly one selector.
    """
    given = {"id": id, "source": source, "subject": subject, "session": session}
    named = [name for name, value in given.items() if value is not None]
    if len(named) > 1 or (not named and namespace is None):
        raise InvalidInputError("purge takes one of id, source, subject, session, namespace", value=named)
    if id is not None:
        return by_id(ctx, drafts.check_id(id))
    labels = {name: drafts.draft_label(given[name], name) for name in named}
    return Target(
        asks.home(ctx, namespace), source=labels.get("source"), subject=labels.get("subject"),
        session=labels.get("session"),
    )  # fmt: skip


def by_id(ctx: Context, memory_id: int) -> Target:
    """Return the target of one memory.

    Raises:
        NotFoundError: there is no such memory here.
    """
    state = locate(ctx, memory_id)
    if state is None:
        raise missing(ctx, memory_id)
    return Target(state.namespace, id=memory_id)


def purge(ctx: Context, target: Target) -> Receipt:
    """Erase what a target names and what was derived from it; say what could not be reached.

    Raises:
        AccessDeniedError: the door's trust is below ``observed``, or the namespace may not be written.
    """
    scope = ctx.policy.write_scope(ctx.namespace, target.namespace)
    vouching(ctx, "purge")
    sweep(ctx.store)  # an index that a rebuild left behind holds words too
    erased = Erased()
    with writing(ctx, scope) as tx:
        ids, traces = _Purge(tx, target, erased).run()
        if ids or traces:
            tx.log("purge", target.namespace, ids)
    beside.erase(ctx.store.place, target.namespace, target.session, whole=target.whole)
    if not ids and not traces:
        return Receipt((), (), True, ())
    ctx.embedding.forget_texts()
    blocked = ctx.store.scrub()
    left = residues(ctx, erased)
    with ctx.store.read(None) as tx:
        away = unreached(tx, erased.first_known)
    places, beyond = ctx.store.reach()
    remaining = (*blocked, *left, *away, *beyond, *([OTHER_NAMES] if erased.named else ()), *ELSEWHERE)
    return Receipt(tuple(ids), (*LOCATIONS, *places), not blocked and not left, remaining)


class _Purge:
    """One purge, inside one write transaction."""

    def __init__(self, tx: Write, target: Target, erased: Erased) -> None:
        self._tx, self._target, self._erased = tx, target, erased
        self._ns = tx.ns_of(target.namespace)

    def run(self) -> tuple[list[int], int]:
        """Erase; return the ids of the memories, and how many other things were erased."""
        tx, target = self._tx, self._target
        found = {memory_id for memory_id in self._found() if _in(tx, memory_id, target.namespace)}
        ids = sorted(memory_id for memory_id in erasing.with_derived(tx, found) if _in(tx, memory_id, target.namespace))
        rows = self._note(ids)
        if target.whole:
            self._mark_names(tx.aliases.all(self._ns))
        traces = self._documents() + self._conversations()
        if target.whole and len(ids) >= _AT_ONCE:
            self._mark_uids(ids)
            erasing.erase_namespace(tx, target.namespace)
        else:
            for memory_id in ids:
                erase(tx, memory_id, target.namespace)
            if target.whole:
                erasing.forget_all_names(tx, self._ns)
        _mark_values(tx, self._ns, rows)
        self._erased.named = self._leaves_names()
        erasing.strip_results(tx, self._ns, ids)
        erasing.forget_projects(tx, self._erased.projects)
        return ids, traces + self._names()

    def _found(self) -> Collection[int]:
        tx, target, ns = self._tx, self._target, self._ns
        if target.id is not None:
            return [target.id]
        if target.source is not None:
            return tx.versions.memories_with(ns, "source", target.source)
        if target.subject is not None:
            rows = tx.versions.of_subject(ns, tx.aliases.names(ns, target.subject))
            return [row.memory_id for row in rows]
        if target.session is not None:
            return erasing.of_session(tx, ns, target.session)
        if target.segment is not None:
            return []
        return tx.memories.of_namespace(ns)

    def _note(self, ids: Sequence[int]) -> dict[bytes, None]:
        """Remember what is erased, for the proof and for the marks; return the value keys."""
        keys: dict[bytes, None] = {}
        for memory_id in ids:
            for row in self._tx.versions.of_memory(memory_id):
                self._erased.note(row.claim, row.known_from)
                keys[_key(row)] = None
            sources = [item.source for item in self._tx.relations.evidence(memory_id) if item.source]
            self._erased.note_texts(sources, self._tx.now)
        return keys

    def _leaves_names(self) -> bool:
        """Say whether a subject of what was erased goes by several names and nothing speaks of it any more."""
        tx, ns = self._tx, self._ns
        if self._target.whole or self._target.subject is not None:
            return False
        known = [tx.aliases.names(ns, subject) for subject in sorted(self._erased.subjects)]
        return any(len(names) > 1 and not tx.versions.of_subject(ns, names) for names in known)

    def _mark_uids(self, ids: Sequence[int]) -> None:
        marks = [purged_memory(state.uid) for state in self._tx.memories.many(ids).values()]
        self._tx.relations.mark_purged(self._ns, marks, self._tx.now, self._tx.seq)

    def _mark_names(self, keys: Iterable[str]) -> None:
        """An old export does not bring the names of a purged subject back either."""
        marks = [purged_name(self._target.namespace, key) for key in keys]
        self._tx.relations.mark_purged(self._ns, marks, self._tx.now, self._tx.seq)

    def _documents(self) -> int:
        """Erase the documents of the source or of the namespace."""
        tx, target, found = self._tx, self._target, list[int]()
        if target.whole:
            found = tx.documents.of_namespace(self._ns)
        elif target.source is not None:
            found = tx.documents.with_source(self._ns, target.source)
        for document_id in found:
            row = tx.documents.get(document_id)
            assert row is not None
            parts = [chunk.part.text for chunk in tx.documents.chunks(document_id, removed=True)]
            self._erased.note_texts([*parts, row.sheet.source or "", row.sheet.title or ""], row.added_at)
            erase_document(tx, row)
        return len(found)

    def _conversations(self) -> int:
        """Erase the conversations of the session, source or namespace, or the one segment."""
        tx, target = self._tx, self._target
        if target.whole:
            count, texts = history_erasing.erase_all(tx, target.namespace)
        else:
            names = [name for name in (target.session, target.source, target.segment) if name is not None]
            count, texts = history_erasing.erase_named(
                tx, target.namespace, names, _terms, sessions=target.segment is None
            )
        if texts:
            self._erased.note_texts(texts, tx.now)
        return count

    def _names(self) -> int:
        """Erase what else names the source or the subject; memories that have other sources stay."""
        tx, target = self._tx, self._target
        if target.source is not None or target.session is not None:
            name = target.source or target.session or ""
            self._erased.note_texts([name], tx.now)
            return len(erasing.forget_source(tx, self._ns, name))
        if target.subject is not None:
            names = tx.aliases.names(self._ns, target.subject)
            known = [name for name in names if name in tx.aliases.all(self._ns)]
            self._erased.note_texts(known, tx.now)
            self._mark_names(names)
            erasing.forget_names(tx, self._ns, [*names, name_key(target.subject)], [target.subject])
            return len(known)
        return 0


def erase(tx: Write, memory_id: int, namespace: str) -> None:
    """Erase one memory and leave the mark under which it is never taken in again."""
    state = tx.memories.get(memory_id)
    if state is None:
        return
    rows = tx.versions.of_memory(memory_id)
    marks = [purged_memory(state.uid)]
    tx.relations.mark_purged(tx.namespaces.ensure(namespace, tx.now), marks, tx.now, tx.seq)
    tx.erase_memory(memory_id, [(row, analyze(searched_text(row.claim))) for row in rows])


def erase_document(tx: Write, row: DocumentRow) -> None:
    """Erase one document and leave the marks under which neither it nor its content is taken in again."""
    marks = [purged_memory(row.uid)]
    marks += [] if row.sheet.hash is None else [purged_document(row.namespace, row.sheet.hash)]
    tx.relations.mark_purged(tx.ns_of(row.namespace), marks, tx.now, tx.seq)
    document_writing.erase(tx, row, _terms)


def drop_document(tx: Write, row: DocumentRow) -> None:
    """Erase a document that was deleted in another copy; its content may be added again."""
    document_writing.erase(tx, row, _terms)


def _terms(claim: Claim) -> list[str]:
    return list(analyze(searched_text(claim)))


def _mark_values(tx: Write, ns: int, keys: Collection[bytes]) -> None:
    """What another memory still says is no purged value."""
    tx.flush()
    gone = [gate.purged_key(key) for key in keys if not erasing.holds(tx, ns, key)]
    tx.relations.mark_purged(ns, gone, tx.now, tx.seq)


def _in(tx: Read, memory_id: int, namespace: str) -> bool:
    state = tx.memories.get(memory_id)
    return state is not None and state.namespace == namespace


def _key(row: Row) -> bytes:
    claim = row.claim
    return value_key(row.namespace, claim.text, claim.subject, claim.predicate)
