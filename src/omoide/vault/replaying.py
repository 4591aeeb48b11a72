"""The database of a vault made from its logs."""

from __future__ import annotations

import json
import os
import secrets
import shutil
from collections.abc import Sequence
from typing import Any, Final

from omoide.errors import DamagedStoreError, ForeignStoreError
from omoide.model.clock import micros_of
from omoide.model.time import Micros
from omoide.ports import Clock
from omoide.store.sqlite.indexing import rebuild
from omoide.store.sqlite.indexing.rebuild import Prepare
from omoide.store.sqlite.notes import LINE, NoteRow, Notes
from omoide.store.sqlite.store import SqliteStore
from omoide.store.sqlite.transfer import changes
from omoide.vault import coming
from omoide.vault.archive import Shelf
from omoide.vault.journal import BEGIN, Line
from omoide.vault.logs import Journal, Signature, same, signature
from omoide.vault.pen import writer_here
from omoide.vault.place import Place

TIP: Final = "tip"
NUMBER: Final = "number"
HELD: Final = "held"
"""Lines of other writers that this copy holds beside what its tip says, as JSON."""
LOGS: Final = "logs"
"""How the logs look when everything in the outbox is delivered, as JSON."""
ERASED: Final = "erased"
"""Set while the logs hold texts that were erased from the database."""
LOST: Final = "lost"
"""Set while the logs lack the line that the database is at."""
WRITER: Final = "writer"
INODE: Final = "inode"
STALE: Final = "stale"
"""Set while the rows are ahead of the indexes."""
UNLISTED: Final = "unlisted"
"""Set while MEMORY.md may lack what was written."""
WANTED: Final = "wanted"
"""Records of sessions that the archive lacked when a line told of them, with their turns, as JSON."""


def best_head(journal: Journal, mine: str | None) -> Line | None:
    """Return the line whose state is worth most: one that goes on from what the writer ``mine`` wrote, whose ids stay.

    Among these that which holds the most lines, the newest among equals.
    """
    last = _last_of(journal, mine)
    candidates = [*journal.heads(), *([] if last is None else [last])]
    return max(candidates, key=lambda line: _worth(journal, line, mine), default=None)


def _last_of(journal: Journal, writer: str | None) -> Line | None:
    """Return the last line of a writer, None where it wrote none."""
    return max((line for line in journal.lines.values() if line.writer == writer), key=_number, default=None)


def _number(line: Line) -> int:
    return line.number


def _worth(journal: Journal, line: Line, mine: str | None) -> tuple[int, int, int, str]:
    own = sum(each.writer == mine for each in journal.path_to(line.hash) or ())
    return own, len(journal.known([line.hash])), line.number, line.hash


def build(
    place: Place, journal: Journal, prepare: Prepare, *, clock: Clock | None, head: Line | None = None
) -> list[str]:
    """Make the database beside its place, then put it there in one step; its caller holds the vault's lock.

    ``head``: the line whose state it gets, the one worth most by default. Returns what is wrong with the logs.
    """
    unfinished = place.index / f"{place.database.name}.{secrets.token_hex(4)}.unfinished"
    head = best_head(journal, writer_here(place.root)) if head is None else head
    held: list[tuple[str, str | int | None]] = []
    held += [] if head is None else [(LINE + line, "") for line in journal.holding(head.hash)]
    problems = list(journal.problems)
    store = SqliteStore(str(unfinished), clock=clock, read_only=False, durability="NORMAL")
    try:
        if head is not None:
            path = journal.path_to(head.hash) or []
            with store.writer.use() as tables:
                problems += replay(place, tables.connection, path, head)
                Notes(tables.connection).set_many([*held, *_owed(place, path)])
                _wait_for_notes(place, Notes(tables.connection), journal, path, micros_of(store.clock))
            index(store, prepare)
    finally:
        store.close()
    place.throw_away()
    os.replace(unfinished, place.database)  # noqa: PTH105  (Path.replace is the same)
    return problems


def _owed(place: Place, path: Sequence[Line]) -> list[tuple[str, int]]:
    """What this copy erased and did not live to take out of its logs."""
    mine = writer_here(place.root)
    gone = (line.rows.get(table, {}).get("-") for line in path if line.writer == mine for table in ("content", "turn"))
    return [(ERASED, 1)] if any(gone) else []


def _wait_for_notes(place: Place, notes: Notes, journal: Journal, path: Sequence[Line], now: Micros) -> None:
    """A note that is missing and that this copy never held was not deleted here: it is still on its way."""
    mine = _last_of(journal, writer_here(place.root))
    known = set() if mine is None else journal.known([mine.hash])
    never_held = dict.fromkeys([*noted([line for line in path if line.hash not in known]), *coming.read(place).absent])
    missing = [row for row in notes.many(list(never_held)).values() if not os.path.lexists(place.root / row.path)]
    wait_for(place, notes, missing)
    waiting, told = {row.uid for row in missing}, coming.told_by(path)
    coming.tell(place, {uid: [each for _, each in told[uid]] for uid in told if uid in waiting}, now)


def wait_for(place: Place, notes: Notes, rows: Sequence[NoteRow]) -> None:
    """Go on without some notes until they come; that they are on their way outlives the index."""
    for row in rows:
        notes.drop(row.uid)
        notes.unsee([row.path])
    coming.announce(place, [row.uid for row in rows])


def noted(path: Sequence[Line]) -> list[str]:
    """Return the memories of whose notes some lines tell."""
    parts = [line.rows.get("note", {}) for line in path]
    found = [row["uid"] for part in parts for row in part.get("+", ())]
    return list(dict.fromkeys([*found, *(key[0] for part in parts for key, _ in part.get("~", ()))]))


def replay(place: Place, connection: Any, lines: Sequence[Line], tip: Line) -> list[str]:
    """Do the changes of lines again, in one transaction; the indexes are stale until they are made anew.

    Returns what is wrong with lines whose changes cannot be done, one text each.
    """
    shelf = Shelf(place.root)
    steps = [changes.Step(shelf.fill(line.rows), line.numbers, clears=line.snapshot == BEGIN) for line in lines]
    marks: dict[str, str | int | None] = {TIP: tip.hash, NUMBER: tip.number, STALE: 1, UNLISTED: 1}
    if shelf.missing:
        marks[WANTED] = json.dumps([*json.loads(Notes(connection).get(WANTED) or "[]"), *shelf.missing])
    failed = [lines[place] for place in changes.redo(connection, steps, marks)]
    return [f"line {line.number} in the log of {line.writer} is damaged and was left out" for line in failed]


def fetch(place: Place, connection: Any) -> None:
    """Take in records of sessions that came after the lines that tell of them."""
    notes = Notes(connection)
    wanted = json.loads(notes.get(WANTED) or "[]")
    if not wanted:
        return
    shelf = Shelf(place.root)
    found = {turn: record for turn, name in wanted if (record := shelf.find(name)) is not None}
    changes.apply(connection, {"turn": {"~": [[[turn], {"raw": record}] for turn, record in found.items()]}}, {})
    left = [pair for pair in wanted if pair[0] not in found]
    notes.set(WANTED, json.dumps(left) if left else None)


def index(store: SqliteStore, prepare: Prepare) -> int:
    """Make every index of a store anew from its rows, vectors aside; return how many entries there are."""
    with store.read(None) as tx:
        spaces = rebuild.collections(tx)
    count = sum(rebuild.rebuild(store, ns, collection, prepare, keep=True) for ns, collection in spaces)
    rebuild.sweep(store)
    with store.writer.use() as tables:
        Notes(tables.connection).set(STALE, None)
    return count


def clean(place: Place) -> None:
    """Remove what a crash left of databases that were being made."""
    for left in place.index.glob("*.unfinished*"):
        if left.is_dir():
            shutil.rmtree(left, ignore_errors=True)
        else:
            left.unlink(missing_ok=True)


def is_sound(place: Place, clock: Clock | None) -> bool:
    """Say whether the database can be opened; what cannot is made anew, since the files are the truth."""
    try:
        SqliteStore(str(place.database), clock=clock, read_only=False).close()
    except (DamagedStoreError, ForeignStoreError):
        return False
    return True


def in_step(place: Place, clock: Clock | None) -> bool:
    """Say whether the database holds what the logs say, without changing anything."""
    store = SqliteStore(str(place.database), clock=clock, read_only=True)
    try:
        with store.read(None) as tx:
            known: Signature = json.loads(Notes(tx.connection).get(LOGS) or "{}")
    finally:
        store.close()
    return same(signature(place.root), known)
