"""Records of a transcript written: those that are new, and how far the file was read, in one transaction."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Container, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from omoide.model.history import turn_claim
from omoide.model.policy import WriteScope
from omoide.search.prepared import Prepared
from omoide.store.sqlite.conversations.history_writing import Spoken, add_turns, change_turn
from omoide.store.sqlite.conversations.turns import Standing, TurnRecord
from omoide.store.sqlite.transaction import Read, Write
from omoide.transcripts.values import Position, Record
from omoide.verbs.context import Context
from omoide.verbs.conversations.filed import filed
from omoide.verbs.drafts import searched_terms
from omoide.verbs.writing import writing

INLINE: Final = 64
"""Turns of one transaction that are worth waiting for their vectors; those of more are filled in later."""


class MovedError(Exception):
    """Somebody else took a part of the file in meanwhile."""


class Masked(NamedTuple):
    """A record without secrets; ``found`` counts them by kind."""

    record: Record
    text: str
    raw: bytes
    found: Counter[str]
    trust: str

    @property
    def is_turn(self) -> bool:
        """Whether it is searchable."""
        return self.record.kind == "turn" and bool(self.text.strip())


class Written(NamedTuple):
    """Records that were new, and those that took the place of an earlier state."""

    new: list[Masked]
    changed: list[Masked]


class Place:
    """A file that is being read; ``since`` is where the last transaction left it."""

    def __init__(
        self, namespace: str, path: Path, since: Position | None, *, again: bool = False, changed: bool = False,
        fresh: bool = True, alone: Callable[[Read, int], bool] | None = None, before: int = 0,
    ) -> None:  # fmt: skip
        self.namespace, self.path, self.filed, self.since = namespace, path, filed(path), since
        self.again = again
        """Whether it is read from its start, so that what is known has to be told by its keys."""
        self.fresh = fresh or not again
        """Whether nothing that is read may be known by its key alone: a reading that stops goes on where it was."""
        self.alone = alone
        """Says whether a session that is new still is none of those that are known; asked once."""
        self.before = before
        """Turns of the session that lie before the first of the file; those have no place to be compared with."""
        self.changed = not before and (again or changed)
        """Whether records that are known may have become others."""
        self.expected = None if since is None else since.encode()
        self.seen: dict[str, Counter[str]] = {}
        self.had: dict[str, Counter[str]] = {}
        self.copies: set[str] = set()
        """Sessions that another file told of before: this one may be an older copy of it."""
        self.shift: dict[str, int] = {}
        self.ends: dict[str, int] = {}


def write_some(
    ctx: Context, scope: WriteScope, place: Place, sessions: Mapping[str, Mapping[str, Any]],
    records: Mapping[str, Sequence[Masked]], after: Position, batch: str,
) -> Written:  # fmt: skip
    """Write what is new of some records of a file, and what has changed; return both.

    Raises:
        MovedError: another process read on in this file.
    """
    turns = [each for group in records.values() for each in group if each.is_turn]
    prepared = _prepared(ctx, turns)
    done = Written([], [])
    with writing(ctx, scope, batch=batch) as tx:
        ns = tx.ns_of(place.namespace)
        if tx.sessions.mark(ns, place.filed) != place.expected or (place.alone and not place.alone(tx, ns)):
            raise MovedError
        numbers: list[int] = []
        for name, group in records.items():
            session_id = _session(tx, ns, name, sessions[name], place, batch)
            changed = _changed(tx, place, name, session_id, group)
            rest = [each for each in group if each.record.position not in changed]
            new = _new(tx, place, name, session_id, rest)
            _write(tx, place, name, session_id, sessions[name], new, prepared)
            _change(tx, place, session_id, sessions[name], changed, prepared)
            done.new.extend(new)
            done.changed.extend(each for _, each in changed.values())
            numbers.append(session_id)
        if place.fresh:
            tx.sessions.set_mark(ns, place.filed, after.encode(), after.offset)
        if done.new or done.changed:
            tx.documents.add_batch(batch, ns, tx.now, ctx.actor, None)
            tx.log("ingest", place.namespace, numbers)
    place.alone = None
    place.expected = after.encode() if place.fresh else place.expected
    return done


def set_end(ctx: Context, scope: WriteScope, place: Place, after: Position) -> None:
    """Note how far a file was read of which some was known: before its end, keys alone tell what.

    Raises:
        MovedError: another process read on in this file.
    """
    with writing(ctx, scope) as tx:
        ns = tx.ns_of(place.namespace)
        if tx.sessions.mark(ns, place.filed) != place.expected:
            raise MovedError
        tx.sessions.set_mark(ns, place.filed, after.encode(), after.offset)
    place.expected = after.encode()


def would_write(
    ctx: Context, place: Place, sessions: Mapping[str, Mapping[str, Any]], records: Mapping[str, Sequence[Masked]]
) -> Written:
    """Return what ``write_some`` would find new and changed; nothing is written."""
    done = Written([], [])
    with ctx.store.read(None) as tx:
        ns = tx.namespaces.id(place.namespace)
        for name, group in records.items():
            known = None if ns is None else tx.sessions.of_host(ns, str(sessions[name]["host"]), name)
            if known is None:
                done.new.extend(group)
                continue
            _note_copy(place, name, known.path)
            changed = _changed(tx, place, name, known.session_id, group)
            rest = [each for each in group if each.record.position not in changed]
            done.new.extend(_new(tx, place, name, known.session_id, rest))
            done.changed.extend(each for _, each in changed.values())
    return done


def _prepared(ctx: Context, turns: Sequence[Masked]) -> dict[int, Prepared]:
    """Return what the index keeps of turns, by the identity of each."""
    texts = [each.text for each in turns]
    if len(turns) <= INLINE:
        made = ctx.embedding.prepare_parts(texts, texts, ctx.store)
    else:
        made = ctx.embedding.prepare_words([turn_claim(text) for text in texts])
        ctx.embedding.owes = ctx.embedding.model_name is not None or ctx.embedding.owes
    return {id(each): ready for each, ready in zip(turns, made, strict=True)}


def _session(tx: Write, ns: int, name: str, said: Mapping[str, Any], place: Place, batch: str) -> int:
    session_id = tx.sessions.ensure(ns, name, tx.now, host=str(said["host"]), batch=batch)
    known = tx.sessions.get(session_id)
    assert known is not None
    domain = {} if known.domain is not None else {"domain": said.get("domain")}
    status = "open" if known.status == "failed" else known.status
    path = place.filed
    _note_copy(place, name, known.path)
    begun = {} if known.path == path else {"mark": None, "position": 0}  # what it says is about the other file
    tx.sessions.set(session_id, **{**said, **domain, **begun}, path=path, error=None, status=status)
    return session_id


def _note_copy(place: Place, name: str, path: str | None) -> None:
    if path not in (None, place.filed):
        place.copies.add(name)


def _new(tx: Read, place: Place, name: str, session_id: int, group: Sequence[Masked]) -> list[Masked]:
    """Return the records that the session does not have yet."""
    if not place.again:
        known = tx.turns.keys_at(session_id, [each.record.position for each in group])
        if group and (last := _moved_last(tx, place, session_id, group, known)) is not None:
            known[group[0].record.position] = last.key
        return [each for each in group if known.get(each.record.position) != each.record.key]
    if name not in place.had:
        place.had[name], place.shift[name] = tx.turns.keys(session_id)
        place.seen[name] = tx.turns.keys_before(session_id, place.before) if place.before else Counter()
        place.ends[name] = place.shift[name]
    elif place.ends[name] != tx.turns.after_last(session_id):
        raise MovedError
    had, seen = place.had[name], place.seen[name]
    fresh: list[Masked] = []
    for each in group:
        key = each.record.key
        seen[key] += 1
        if seen[key] > had[key]:
            fresh.append(each)
    return fresh


def _changed(
    tx: Read, place: Place, name: str, session_id: int, group: Sequence[Masked]
) -> dict[int, tuple[Standing, Masked]]:
    """Return the records, by position, that are a later state of what the session has there.

    Of a copy, only what has grown is sure to be later.
    """
    if not place.changed:
        return {}
    standing = tx.turns.standing(session_id, [each.record.position for each in group])
    if (last := _moved_last(tx, place, session_id, group, standing)) is not None:
        standing[group[0].record.position] = last
    return {
        each.record.position: (standing[each.record.position], each)
        for each in group
        if each.record.position in standing
        and standing[each.record.position].became(each.record.key, each.raw)
        and (name not in place.copies or standing[each.record.position].grew(each.raw, each.text))
    }


def _moved_last(
    tx: Read, place: Place, session_id: int, group: Sequence[Masked], known: Container[int]
) -> Standing | None:
    """Return the last record of a session whose file was rewritten once: it stands elsewhere than in the file."""
    if place.again or not place.changed or group[0].record.position in known:
        return None
    return tx.turns.standing_last(session_id)


def _change(
    tx: Write, place: Place, session_id: int, said: Mapping[str, Any], changed: Mapping[int, tuple[Standing, Masked]],
    prepared: Mapping[int, Prepared],
) -> None:  # fmt: skip
    for old, each in changed.values():
        number = (old.number or tx.turns.last_number(session_id) + 1) if each.is_turn else None
        spoken = Spoken(_row(each, session_id, number, 0), each.text if each.is_turn else None, prepared.get(id(each)))
        change_turn(tx, place.namespace, said.get("project"), old, spoken, searched_terms)
    if changed:
        _describe(tx, session_id, [each for _, each in changed.values()], [old.type for old, _ in changed.values()])


def _write(
    tx: Write, place: Place, name: str, session_id: int, said: Mapping[str, Any], new: Sequence[Masked],
    prepared: Mapping[int, Prepared],
) -> None:  # fmt: skip
    if not new:
        return
    number, shift = tx.turns.last_number(session_id), _shift(tx, place, name, session_id, new)
    spoken: list[Spoken] = []
    for each in new:
        number += each.is_turn
        row = _row(each, session_id, number if each.is_turn else None, shift)
        spoken.append(Spoken(row, each.text if each.is_turn else None, prepared.get(id(each))))
    add_turns(tx, place.namespace, said.get("project"), spoken)
    if name in place.ends:
        place.ends[name] = tx.turns.after_last(session_id)
    _describe(tx, session_id, new)


def _shift(tx: Read, place: Place, name: str, session_id: int, new: Sequence[Masked]) -> int:
    """Return what is added to the positions of records, so that they come after those that are there."""
    if place.again:
        return place.shift[name]
    return max(0, tx.turns.after_last(session_id) - new[0].record.position)


def _row(each: Masked, session_id: int, number: int | None, shift: int) -> TurnRecord:
    record = each.record
    told = {"type": record.type, "tool": record.tool, "parent": record.parent, "note": record.note}
    metadata = {name: value for name, value in told.items() if value} | (
        {"masked": dict(each.found)} if each.found else {}
    )
    return TurnRecord(
        0, session_id, None, record.position + shift, number, record.kind, record.key, record.role or "none", None,
        each.raw, metadata, each.trust, record.at,
    )  # fmt: skip


def _describe(tx: Write, session_id: int, new: Sequence[Masked], gone: Sequence[str | None] = ()) -> None:
    known = tx.sessions.get(session_id)
    assert known is not None
    counts = Counter(known.counts)
    counts.update(each.record.type for each in new)
    counts.subtract(kind for kind in gone if kind is not None)
    counts = +counts
    times = [each.record.at for each in new if each.record.at is not None]
    span = {}
    if times:
        first = min(times) if known.started_at is None else min(known.started_at, *times)
        span = {"started_at": first, "ended_at": max([*times, known.ended_at or min(times)])}
    tx.sessions.set(session_id, counts=json.dumps(counts, ensure_ascii=False, sort_keys=True), **span)
