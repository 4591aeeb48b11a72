"""Ids that other copies of a store gave to memories that have another id here, or none yet."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any, Final

from omoide.store.sqlite.transaction import Read, Write
from omoide.store.sqlite.transfer.relating import Relating

_PREFIX: Final = "id elsewhere "
"""A setting for each such id: the uids of the memories that have it in some copy, as JSON."""


def called(tx: Read, memory_id: int) -> list[int]:
    """Return the memories here that other copies know by an id that none has here."""
    uids = json.loads(tx.settings.get(f"{_PREFIX}{memory_id}") or "[]")
    return sorted(Relating(tx.connection).ids_of(uids).values())


def ids(tx: Read) -> Iterator[tuple[int, str]]:
    """Yield every id with the uid of its memory: those of this copy, and those that it heard of."""
    yield from tx.connection.execute("SELECT id, uid FROM memory")
    rows: Any = tx.connection.execute("SELECT key, value FROM setting WHERE key GLOB ?", (f"{_PREFIX}*",))
    for key, value in rows:
        yield from ((int(key.removeprefix(_PREFIX)), uid) for uid in json.loads(value))


def note(tx: Write, pairs: Iterable[tuple[int, str]]) -> None:
    """Keep ids of another copy that no memory has here."""
    wanted = dict[int, set[str]]()
    for memory_id, uid in pairs:
        wanted.setdefault(memory_id, set()).add(uid)
    mine = tx.memories.many(list(wanted))
    for memory_id, uids in sorted(wanted.items()):
        known = set(json.loads(tx.settings.get(f"{_PREFIX}{memory_id}") or "[]"))
        if memory_id not in mine and not uids <= known:
            tx.settings.set(f"{_PREFIX}{memory_id}", json.dumps(sorted(uids | known)))
