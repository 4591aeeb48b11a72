"""The line of the journal that a write transaction leaves, and the files that go with it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from omoide.model.time import to_datetime
from omoide.store.sqlite.notes import LINE, NoteRow, Notes, SeenRow
from omoide.store.sqlite.transaction import Read, Write
from omoide.store.sqlite.transfer import changes
from omoide.store.sqlite.transfer.changes import Recorder, Rows
from omoide.vault import archive, journal, outbox
from omoide.vault.archive import Addition, Packer
from omoide.vault.files import FileWrite
from omoide.vault.logs import Signature
from omoide.vault.outbox import Order
from omoide.vault.pen import Pen, new_writer
from omoide.vault.replaying import ERASED, HELD, LOGS, LOST, NUMBER, TIP, UNLISTED, WANTED, WRITER

Plan = Callable[[Write, Sequence[int], Notes, Path], list[FileWrite]]
"""Returns the files to be written after some memories changed."""
Listing = Callable[[Read, Path], FileWrite | None]
"""Returns the list of what the vault holds as it is to be written, None when it is as it was."""

_PORTION: Final = 500
_COUNTERS: Final = frozenset(("seen", "last_seen", "access_count", "accessed_at", "value"))
_OF_VERSION: Final = "SELECT DISTINCT memory_id FROM version WHERE version_id IN (SELECT value FROM json_each(?))"
_GONE: Final = "SELECT uid FROM note WHERE uid NOT IN (SELECT uid FROM memory)"


@dataclass(frozen=True, slots=True)
class Shaping:
    """How the files of memories are made.

    ``arriving``: files that came with memories of another copy, by uid. ``again``: memories that get their notes in
    any case.
    """

    plan: Plan | None = None
    arriving: Mapping[str, NoteRow] = field(default_factory=dict)
    again: Sequence[int] = ()


@dataclass(frozen=True, slots=True)
class Delivery:
    """What has to reach the folder: lines to the end of a log, and files."""

    log: str
    lines: list[bytes]
    orders: list[Order]
    additions: list[Addition]
    """Records of sessions, for the archive."""
    files: bytes
    """Orders and additions, as the outbox has them."""
    logs: Signature
    """How the logs look afterwards."""
    turns: tuple[int, int]
    """What the turn of the files was before, and is after the transaction."""
    erased: bool = False
    """Whether a memory is no more."""


class Draft:
    """Sees what a write transaction does, and puts it into the outbox before the commit."""

    def __init__(self, tx: Write, root: Path, shaping: Shaping, now: Signature, turn: int) -> None:
        self._tx, self._root, self._shaping, self._logs, self._turn = tx, root, shaping, now, turn
        self._notes = Notes(tx.connection)
        self._recorder = Recorder(tx.connection)

    def close(self) -> None:
        """Stop looking."""
        self._recorder.close()

    def post(self, *, whole: bool = False, ids: Sequence[int] = ()) -> Delivery | None:
        """Put the changes into the outbox; None when there are none that a vault keeps.

        ``whole``: the whole state instead of what changed. ``ids``: memories that get their notes in any case.
        """
        rows = self._recorder.rows()
        orders = self._orders(rows, ids)
        if orders:
            rows = self._recorder.again(rows)
        if any(rows.get(table, {}).get("-") for table in ("content", "turn")):
            self._notes.set(ERASED, 1)
        numbers = self._recorder.numbers()
        if not (rows or numbers or orders or whole):
            return None
        whole = whole or bool(self._notes.get(LOST))
        writer = self._writer()
        awaited = dict(json.loads(self._notes.get(WANTED) or "[]")) if whole else {}
        packer = Packer(self._tx, self._root, writer, whole=whole, awaited=awaited)
        lines = [*snapshot_lines(self._tx, self._at(), packer)] if whole else [self._line(packer.take(rows), numbers)]
        return self._posted(writer, lines, orders, packer.additions(), erased=bool(rows.get("memory", {}).get("-")))

    # -- lines -------------------------------------------------------------------------------------------

    def _line(self, rows: Rows, numbers: dict[str, int]) -> bytes:
        notes = self._notes
        return journal.encode(
            int(notes.get(NUMBER) or 0) + 1, notes.get(TIP), at=self._at(), rows=rows, numbers=numbers,
            also=json.loads(notes.get(HELD) or "[]"),
        )  # fmt: skip

    def _writer(self) -> str:
        writer = self._notes.get(WRITER)
        if writer is None:
            writer = new_writer()
            self._notes.set(WRITER, writer)
        return str(writer)

    def _posted(
        self, writer: str, lines: list[bytes], orders: list[Order], additions: list[Addition], *, erased: bool
    ) -> Delivery:
        notes = self._notes
        number, tip = int(notes.get(NUMBER) or 0), ""
        log = Pen(self._root, writer).next_file(fresh=len(lines) > 1)
        files = outbox.pack(orders, archive.packed(additions))
        for at, line in enumerate(lines):
            number, tip = number + 1, journal.hash_of(line)
            last = at == len(lines) - 1
            notes.post(number, line, files if last else b"[]")
            notes.set(LINE + tip, "")
        size, inode = self._logs.get(log, [0, 0])
        coming = self._logs | {log: [size + sum(len(line) + 1 for line in lines), inode]}
        notes.set_many([(TIP, tip), (NUMBER, number), (HELD, None), (LOST, None), (LOGS, json.dumps(coming))])
        if orders:
            notes.set(UNLISTED, 1)
        return Delivery(log, lines, orders, additions, files, coming, (self._turn, notes.turn), erased=erased)

    def _at(self) -> str:
        return to_datetime(self._tx.now).isoformat()

    # -- files -------------------------------------------------------------------------------------------

    def _orders(self, rows: Rows, more: Sequence[int]) -> list[Order]:
        ids, shaping = sorted({*_touched(self._tx, rows), *more, *self._shaping.again}), self._shaping
        self._expect(ids)
        writes = [] if shaping.plan is None or not ids else shaping.plan(self._tx, ids, self._notes, self._root)
        if rows.get("memory", {}).get("-"):
            writes = [*writes, *self._gone({write.uid for write in writes})]
        return [self._order(write) for write in sorted(writes, key=_takes_away)]

    def _expect(self, ids: Sequence[int]) -> None:
        """A memory that was just taken in from another copy has the file that came with it."""
        states = self._tx.memories.many(ids).values() if self._shaping.arriving else ()
        for state in states:
            row = self._shaping.arriving.get(state.uid)
            there = row is not None and (self._root / row.path).is_file()
            if row is not None and there and not (self._notes.of(state.uid) or self._notes.at(row.path)):
                self._notes.put(row.uid, row.path, row.hash)
                self._notes.see([SeenRow(row.path, row.hash, None, row.uid)])

    def _gone(self, done: set[str | None]) -> Iterator[FileWrite]:
        """The files of memories that were erased go."""
        for (uid,) in self._tx.connection.execute(_GONE).fetchall():
            row = self._notes.of(str(uid))
            if row is not None and uid not in done:
                yield FileWrite(row.path, row.hash, None, uid=row.uid)

    def _order(self, write: FileWrite) -> Order:
        notes, moved = self._notes, None
        if write.move_from is not None:
            before = notes.at(write.move_from)
            moved = None if before is None else before.hash
            notes.unsee([write.move_from])
        if write.new_hash is None:
            notes.unsee([write.path])
            if write.uid is not None:
                notes.drop(write.uid)
        else:
            notes.see([SeenRow(write.path, write.new_hash, None, write.uid)])
            if write.uid is not None:
                notes.put(write.uid, write.path, write.new_hash, write.version)
        return Order(write, moved)


def _takes_away(write: FileWrite) -> bool:
    """What is new is written first, so that a supersession cut short leaves both memories."""
    return write.old_hash is not None or write.move_from is not None


def snapshot_lines(tx: Write, at: str, packer: Packer) -> Iterator[bytes]:
    """Yield lines that give the whole state as it is inside a transaction, records of sessions by their names."""
    notes = Notes(tx.connection)
    number, prev = int(notes.get(NUMBER) or 0), None
    also = [name for name in (notes.get(TIP), *json.loads(notes.get(HELD) or "[]")) if name]
    numbers = changes.sequences(tx.connection)
    parts: list[Rows] = [packer.take(rows) for rows in changes.snapshot(tx.connection, _PORTION)]
    for place in range(len(parts) + 2):
        kind = journal.BEGIN if place == 0 else journal.END if place == len(parts) + 1 else journal.PART
        line = journal.encode(
            number + place + 1, prev, at=at, rows=parts[place - 1] if kind == journal.PART else {},
            numbers=numbers if kind == journal.END else {}, also=also if kind == journal.END else (), snapshot=kind,
        )  # fmt: skip
        prev = journal.hash_of(line)
        yield line


def _touched(tx: Write, rows: Rows) -> list[int]:
    """Return the memories whose files may have to change."""
    ids: set[int] = set()
    memory, version = rows.get("memory", {}), rows.get("version", {})
    ids |= {row["id"] for row in memory.get("+", ())}
    ids |= {key[0] for key, values in memory.get("~", ()) if not _COUNTERS.issuperset(values)}
    ids |= {row["memory_id"] for row in version.get("+", ())}
    changed = [key[0] for key, _ in version.get("~", ())]
    found: Any = tx.connection.execute(_OF_VERSION, (json.dumps(changed),)) if changed else ()
    ids |= {row[0] for row in found}
    for table in ("evidence", "ending"):
        ids |= {row["memory_id"] for row in rows.get(table, {}).get("+", ())}
    for link in rows.get("link", {}).get("+", ()):
        ids |= {link["from_id"], link["to_id"]}
    return sorted(ids - {key[0] for key in memory.get("-", ())})
