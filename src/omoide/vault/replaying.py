"""The database of a vault made from its logs."""

from __future__ import annotations

import json
import os
import secrets
import shutil
from collections.abc import Sequence
from typing import Any, Final

from omoide.errors import DamagedStoreError, ForeignStoreError
from omoide.ports import Clock
from omoide.store.sqlite.indexing import rebuild
from omoide.store.sqlite.indexing.rebuild import Prepare
from omoide.store.sqlite.notes import LINE, Notes
from omoide.store.sqlite.store import SqliteStore
from omoide.store.sqlite.transfer import changes
from omoide.vault.journal import BEGIN, Line
from omoide.vault.logs import Journal, Signature, same, signature
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


def best_head(journal: Journal) -> Line | None:
    """Return the line whose state is worth most: that which holds the most lines, the newest among equals."""
    heads = journal.heads()
    if not heads:
        return None
    return max(heads, key=lambda head: (len(journal.known([head.hash])), head.number, head.hash))


def build(
    place: Place, journal: Journal, prepare: Prepare, *, clock: Clock | None, head: Line | None = None
) -> list[str]:
    """Make the database beside its place, then put it there in one step; its caller holds the vault's lock.

    ``head``: the line whose state it gets, the one worth most by default. Returns what is wrong with the logs.
    """
    unfinished = place.index / f"{place.database.name}.{secrets.token_hex(4)}.unfinished"
    head = best_head(journal) if head is None else head
    held = [] if head is None else [(LINE + line, "") for line in journal.known([head.hash])]
    problems = list(journal.problems)
    store = SqliteStore(str(unfinished), clock=clock, read_only=False, durability="NORMAL")
    try:
        if head is not None:
            with store.writer.use() as tables:
                problems += replay(tables.connection, journal.path_to(head.hash) or [], head)
                Notes(tables.connection).set_many(held)
            index(store, prepare)
    finally:
        store.close()
    place.throw_away()
    os.replace(unfinished, place.database)  # noqa: PTH105  (Path.replace is the same)
    return problems


def replay(connection: Any, lines: Sequence[Line], tip: Line) -> list[str]:
    """Do the changes of lines again, in one transaction; the indexes are stale until they are made anew.

    Returns what is wrong with lines whose changes cannot be done, one text each.
    """
    steps = [changes.Step(line.rows, line.numbers, clears=line.snapshot == BEGIN) for line in lines]
    marks: dict[str, str | int | None] = {TIP: tip.hash, NUMBER: tip.number, STALE: 1, UNLISTED: 1}
    failed = [lines[place] for place in changes.redo(connection, steps, marks)]
    return [f"line {line.number} in the log of {line.writer} is damaged and was left out" for line in failed]


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
