"""Turns and segments written, archived and erased: rows and index together, inside one write transaction."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from omoide.model.history import (
    SegmentRow,
    SessionRow,
    purged_marks,
    purged_segment,
    purged_text,
    segment_claim,
    segment_name,
    turn_claim,
    used_segment,
)
from omoide.model.records import Claim
from omoide.search.prepared import Prepared
from omoide.store.sqlite.conversations.segments import pack
from omoide.store.sqlite.conversations.turns import Standing, TurnRecord
from omoide.store.sqlite.distilling import Distilling
from omoide.store.sqlite.indexing.history_source import history_flags, item_of_segment, item_of_turn, record
from omoide.store.sqlite.namespaces import HISTORY
from omoide.store.sqlite.transaction import Write

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


def add_segment(tx: Write, saved: Saved, stem: str) -> SegmentRow:
    """Write a segment under the next free readable id."""
    ns = tx.ns_of(saved.row.namespace)
    serial = tx.segments.next_serial(ns, stem)
    while _is_used(tx, saved.row.namespace, segment_name(stem, serial)):
        serial += 1
    return put_segment(tx, saved, stem, serial)


def add_segment_as(tx: Write, saved: Saved, name: str, stem: str) -> SegmentRow:
    """Write a segment under the readable id that it has elsewhere, or where that is used the next free one."""
    start, mark, serial = name.rpartition("_")
    fits = bool(start and mark) and serial.isascii() and serial.isdigit() and segment_name(start, int(serial)) == name
    if _is_used(tx, saved.row.namespace, name):
        return add_segment(tx, saved, start if fits else stem)
    return put_segment(tx, saved, start, int(serial)) if fits else put_segment(tx, saved, name, 0, name)


def _is_used(tx: Write, namespace: str, name: str) -> bool:
    gone = any(tx.relations.is_purged(mark(namespace, name)) for mark in (purged_segment, used_segment))
    return gone or tx.segments.find(tx.ns_of(namespace), name) is not None


def put_segment(tx: Write, saved: Saved, stem: str, serial: int, name: str | None = None) -> SegmentRow:
    """Write a segment under a readable id that is free: ``name``, which has no number, or stem and number."""
    ns = tx.ns_of(saved.row.namespace)
    number = tx.segments.next_number()
    row = saved.row._replace(number=number, segment_id=name or segment_name(stem, serial), at=tx.now)
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


def change_turn(tx: Write, namespace: str, project: str | None, old: Standing, new: Spoken, terms: Terms) -> None:
    """Write a record in the place of an earlier state of it, which leaves rows and index."""
    ns, row = tx.ns_of(namespace), new.record._replace(ord=None, content_id=None)
    if old.ord is not None:
        tx.indexer.erase(ns, HISTORY, old.ord, terms(turn_claim(old.text or "")))
    if new.text is not None and new.prepared is not None:
        owner = item_of_turn(row.session_id)
        flags = history_flags(row.trust, 5, archived=False, session_id=row.session_id)
        entry = record(owner, item_of_turn(old.turn_id), row.at, tx.now, flags, tx.projects.ensure(project))
        ord = tx.indexer.add(ns, HISTORY, entry, new.prepared)
        row = row._replace(ord=ord, content_id=tx.contents.ensure(new.text))
    tx.turns.change(old.turn_id, row, tx.now)
    if old.content_id is not None:
        tx.contents.delete_unused(old.content_id)


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
    """Remove every trace of a segment but the marks of its id and its text; return its text."""
    marks = [purged_segment(row.namespace, row.segment_id)]
    marks += [purged_text(row.namespace, each) for each in tx.segments.digests([row.number])]
    tx.relations.mark_purged(tx.ns_of(row.namespace), marks, tx.now, tx.seq)
    return drop_segment(tx, row, terms)


def drop_segment(tx: Write, row: SegmentRow, terms: Terms) -> str:
    """Remove a segment from rows and index; return its text."""
    text = tx.segments.text(row.number)
    claim = segment_claim(text, row.summary, row.tags, row.domain)
    tx.indexer.erase(tx.ns_of(row.namespace), HISTORY, row.ord, terms(claim))
    content_id = tx.segments.delete(row.number)
    if content_id is not None:
        tx.contents.delete_unused(content_id)
    return text


def marks_of(tx: Write, session: SessionRow) -> list[bytes]:
    """Return the marks under which a session, once purged, is not taken in again under whatever file name."""
    turns = tx.turns.spoken(session.session_id)
    return purged_marks(session.namespace, session.host, session.name, session.path, turns)


def erase_session(tx: Write, namespace: str, session_id: int, terms: Terms) -> list[str]:
    """Remove every trace of a session, its turns and segments; return the texts that it held."""
    ns = tx.ns_of(namespace)
    session = tx.sessions.get(session_id)
    marks = [] if session is None else marks_of(tx, session)
    texts = [erase_segment(tx, row, terms) for row in tx.segments.of_session(session_id)]
    for turn in tx.turns.of_session(session_id):
        tx.indexer.erase(ns, HISTORY, turn.ord, terms(turn_claim(turn.text)))
        texts.append(turn.text)
    for content_id in tx.turns.delete_of(session_id):
        tx.contents.delete_unused(content_id)
    if session is not None:
        tx.relations.mark_purged(ns, marks, tx.now, tx.seq)
        texts += [text for text in (session.name, session.title, session.path) if text]
    Distilling(tx.connection).forget_sessions([session_id])
    tx.sessions.delete(session_id)
    return texts
