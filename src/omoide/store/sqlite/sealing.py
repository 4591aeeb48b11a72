"""Seals of the rows around versions: each change of one is told of by the event of its transaction.

A seal names a table and the row's salt, and is a digest of what the row says; where the row was erased it says
just that. The latest seal of a row counts. Memories, which have no salt, are named by their id, salted by their uid
and sealed once they are not as every new one is.
"""

from __future__ import annotations

import hashlib
import json
from typing import Any, Final

import apsw

from omoide.model.chain import around_seal

SEALED: Final[dict[str, tuple[int, tuple[str, ...]]]] = {
    "namespace": (1, ("ns", "name", "created_at")),
    "evidence": (
        2,
        ("memory_id", "version_id", "source", "observed_at", "at", "actor", "door", "cause", "batch", "event",
         "withdrawn_at"),
    ),
    "link": (3, ("kind", "from_id", "to_id", "at", "reason", "event", "ended_at")),
    "ending": (4, ("memory_id", "root", "at", "step", "cause", "valid_from", "valid_to", "event")),
    "rejection": (
        5,
        ("ns", "key", "subject", "predicate", "reason", "memory_id", "trust", "at", "event", "lifted_at"),
    ),
    "exclusive": (6, ("ns", "predicate", "at")),
    "alias": (7, ("ns", "name", "subject", "about", "at")),
    "idempotency": (8, ("ns", "op", "key", "arguments", "result", "event")),
    "purged": (9, ("key", "ns", "at", "event")),
    "batch": (10, ("batch", "ns", "kind", "at", "actor", "source", "undone_at")),
    "memory": (11, ("uid", "pinned", "archived", "disputed", "ended", "ended_by")),
}  # fmt: skip
"""The number of a table in seals, and the columns that are sealed."""

USUAL: Final = "pinned = 0 AND archived = 0 AND disputed IS NULL AND ended IS NULL AND ended_by IS NULL"
"""What a memory is like that has no seal."""
GONE: Final = bytes(16)
_FUNCTION: Final = "omoide_seal"
_UNUSUAL: Final = f"NOT ({' AND '.join('new.' + part for part in USUAL.split(' AND '))})"


class Sealing:
    """Sees, once it is armed, which sealed rows a connection changes."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection
        self._armed = False
        self._seals: dict[tuple[int, bytes], bytes] = {}

    def arm(self) -> None:
        """Look at what changes from now on; outside of a transaction."""
        if not self._armed:
            note: Any = self._note
            self._connection.create_scalar_function(_FUNCTION, note, -1)
            self._connection.execute("PRAGMA recursive_triggers = ON")  # what REPLACE takes away is seen too
            for table in SEALED:
                self._connection.execute(_triggers(table))
            self._armed = True

    def begin(self) -> None:
        """Forget what was seen."""
        self._seals.clear()

    @property
    def waiting(self) -> bool:
        """Whether rows changed of which no event tells yet."""
        return bool(self._seals)

    def take(self) -> bytes:
        """Return the seals of the rows that changed since the last time, and forget them."""
        if not self._seals:
            return b""
        found = b"".join(around_seal(code, key, seal) for (code, key), seal in self._seals.items())
        self._seals.clear()
        return found

    def _note(self, table: str, key: object, *values: Any) -> None:
        code = SEALED[table][0]
        if key is not None:
            self._seals[code, key_of(key)] = seal_of(code, key_of(key), values) if values else GONE


def _triggers(table: str) -> str:
    """Return the statements that tell of every insert, update and removal in a table."""
    _, names = SEALED[table]
    plain = table != "memory"
    key, told = "salt" if plain else "id", f"SELECT {_FUNCTION}('{table}', "
    new = f"{told}new.{key}, {', '.join('new.' + name for name in names)})"
    changed = " OR ".join(f"new.{name} IS NOT old.{name}" for name in names)
    made = "" if plain else f"WHEN {_UNUSUAL}"
    return (
        f"CREATE TEMP TRIGGER seal_{table}_new AFTER INSERT ON main.{table} {made} BEGIN {new}; END;"
        f"CREATE TEMP TRIGGER seal_{table}_set AFTER UPDATE ON main.{table} WHEN {changed} BEGIN {new}; END;"
        f"CREATE TEMP TRIGGER seal_{table}_gone AFTER DELETE ON main.{table} BEGIN {told}old.{key}); END;"
    )


def key_of(key: object) -> bytes:
    """Return how a row is named in seals: its salt, or its number as 8 bytes."""
    return bytes(key) if isinstance(key, bytes) else int(str(key)).to_bytes(8)


def seal_of(code: int, key: bytes, values: Any) -> bytes:
    """Return 16 bytes of the SHA-256 of a row's table, salt and sealed columns."""
    body = json.dumps([code, key.hex(), *values], default=bytes.hex, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(body.encode("utf-8", "surrogatepass")).digest()[:16]
