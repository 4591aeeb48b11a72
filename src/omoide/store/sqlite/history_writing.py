"""Turns and segments written, archived and erased: rows and index together, inside one write transaction."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from omoide.model.history import SegmentRow, segment_claim, segment_name, turn_claim
from omoide.model.records import Claim, digest
from omoide.search.prepared import Prepared
from omoide.store.sqlite.history_source import history_flags, item_of_segment, item_of_turn, record
from omoide.store.sqlite.namespaces import HISTORY
from omoide.store.sqlite.segments import pack
from omoide.store.sqlite.transaction import Write
from omoide.store.sqlite.turns import TurnRecord

Terms = Callable[[Claim], list[str]]
"""What is searched of a text -> its keyword terms."""


class Saved(NamedTuple):
    """A segment ready to be written: all that is said of it, its text, and what the index keeps."""

    row: SegmentRow
    text: str
    digest: bytes
    prepared: Prepared


class Spoken(NamedTuple):
    """A record of a session ready to be written; ``prepared`` is None for those that are no turn."""

    record: TurnRecord
    text: str | None
    prepared: Prepared | None


def purged_segment(namespace: str, segment_id: str) -> bytes:
    """Return the mark under which the readable id of a purged segment is not used again."""
    return digest("purged segment", namespace, segment_id)


def purged_session(namespace: str, host: str, name: str) -> bytes:
    """Return the mark under which a purged session is not taken in again."""
    return digest("purged session", namespace, host, name)


def add_segment(tx: Write, saved: Saved, stem: str) -> SegmentRow:
    """Write a segment under the next free readable id."""
    ns = tx.ns_of(saved.row.namespace)
    serial = tx.segments.next_serial(ns, stem)
    while tx.relations.is_purged(purged_segment(saved.row.namespace, segment_name(stem, serial))):
        serial += 1
    number = tx.segments.next_number()
    row = saved.row._replace(number=number, segment_id=segment_name(stem, serial), at=tx.now)
    flags = history_flags(row.trust, row.importance, row.archived, row.session_id)
    item = item_of_segment(number)
    entry = record(item, item, tx.now, tx.now, flags, tx.projects.ensure(row.project))
    row = row._replace(ord=tx.indexer.add(ns, HISTORY, entry, saved.prepared))
    content_id = tx.contents.ensure(saved.text)
    tx.segments.insert(ns, row, stem=stem, serial=serial, content_id=content_id, digest=saved.digest)
    return row


def add_turns(tx: Write, namespace: str, project: str | None, spoken: Sequence[Spoken]) -> None:
    """Write records of a session, those with a text searchable."""
    ns, project_id = tx.ns_of(namespace), tx.projects.ensure(project)
    texts = iter(tx.contents.ensure_many([each.text for each in spoken if each.text is not None]))
    first, rows = tx.turns.next_id(), list[TurnRecord]()
    for turn_id, each in enumerate(spoken, first):
        row = each.record._replace(turn_id=turn_id)
        if each.text is not None and each.prepared is not None:
            owner = item_of_turn(row.session_id)
            flags = history_flags(row.trust, 5, archived=False, session_id=row.session_id)
            entry = record(owner, item_of_turn(turn_id), row.at, tx.now, flags, project_id)
            row = row._replace(ord=tx.indexer.add(ns, HISTORY, entry, each.prepared), content_id=next(texts))
        rows.append(row)
    tx.turns.insert(ns, rows, tx.now, tx.voice.batch)


def archive(tx: Write, row: SegmentRow) -> None:
    """Compress the text of a segment and put it behind the active ones; it stays searchable whole."""
    if row.archived:
        return
    content_id = tx.segments.content_of(row.number)
    packed = pack(tx.segments.text(row.number))
    tx.segments.set(row.number, archived=1, archived_at=tx.now, content_id=None, packed=packed)
    if content_id is not None:
        tx.contents.delete_unused(content_id)
    _reflag(tx, row, archived=True)


def unarchive(tx: Write, row: SegmentRow) -> None:
    """Put an archived segment back among the active ones."""
    if not row.archived:
        return
    content_id = tx.contents.ensure(tx.segments.text(row.number))
    tx.segments.set(row.number, archived=0, archived_at=None, restored_at=tx.now, content_id=content_id, packed=None)
    _reflag(tx, row, archived=False)


def _reflag(tx: Write, row: SegmentRow, *, archived: bool) -> None:
    flags = history_flags(row.trust, row.importance, archived, row.session_id)
    tx.indexer.change(tx.ns_of(row.namespace), HISTORY, row.ord, "flags", flags)


def erase_segment(tx: Write, row: SegmentRow, terms: Terms) -> str:
    """Remove every trace of a segment but the mark of its id; return its text."""
    ns = tx.ns_of(row.namespace)
    text = tx.segments.text(row.number)
    tx.indexer.erase(ns, HISTORY, row.ord, terms(segment_claim(text, row.summary, row.tags, row.domain)))
    content_id = tx.segments.delete(row.number)
    if content_id is not None:
        tx.contents.delete_unused(content_id)
    tx.relations.mark_purged(ns, [purged_segment(row.namespace, row.segment_id)], tx.now, tx.seq)
    return text


def erase_session(tx: Write, namespace: str, session_id: int, terms: Terms) -> list[str]:
    """Remove every trace of a session, its turns and segments; return the texts that it held."""
    ns = tx.ns_of(namespace)
    session = tx.sessions.get(session_id)
    texts = [erase_segment(tx, row, terms) for row in tx.segments.of_session(session_id)]
    for turn in tx.turns.of_session(session_id):
        tx.indexer.erase(ns, HISTORY, turn.ord, terms(turn_claim(turn.text)))
        texts.append(turn.text)
    for content_id in tx.turns.delete_of(session_id):
        tx.contents.delete_unused(content_id)
    if session is not None:
        mark = purged_session(namespace, session.host, session.name)
        tx.relations.mark_purged(ns, [mark], tx.now, tx.seq)
        texts += [text for text in (session.name, session.title, session.path) if text]
    tx.sessions.delete(session_id)
    return texts
