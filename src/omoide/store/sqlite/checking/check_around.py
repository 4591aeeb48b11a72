"""Whether the rows around versions are those that the events of the audit chain tell of."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final

import apsw

from omoide.model.chain import around_seals
from omoide.store.sqlite.checking.findings import some
from omoide.store.sqlite.sealing import GONE, SEALED, USUAL, key_of, seal_of

_EVENTS: Final = "SELECT seq, op, seals FROM event WHERE seals IS NOT NULL ORDER BY seq"
KEPT: Final = "kept_changes"
"""The setting that lists the differences that a repair could not undo, as JSON."""
ADOPT: Final = "adopt"
"""The operation of the event by which an empty store takes a whole one over."""
_NAMED_BY: Final = {
    "evidence": "evidence_id", "link": "link_id", "rejection": "rejection_id", "memory": "id", "ending": "memory_id",
    "batch": "batch",
}  # fmt: skip
"""The column that a finding names a row by; of the others the namespace."""
Told = dict[tuple[int, bytes], tuple[int, bytes]]


def findings(conn: apsw.Connection, *, known: bool = False) -> list[str]:
    """Return the rows that no event tells of in this form, by table and number, and those that are missing.

    ``known``: what a repair left as it is told as well.
    """
    left = set() if known else kept(conn)
    found = (line for line in differences(conn) if line not in left)
    return list(some("{0}: changed by something else than omoide; repair leaves it so", found))


def kept(conn: apsw.Connection) -> set[str]:
    """Return the differences that a repair found and could not undo."""
    row: Any = conn.execute("SELECT value FROM setting WHERE key = ?", (KEPT,)).fetchone()
    return set() if row is None else set(json.loads(row[0]))


def differences(conn: apsw.Connection) -> Iterator[str]:
    """Yield where the rows are not what the latest events about them tell of."""
    told: Told = {}
    rows: Any = conn.execute(_EVENTS)
    for seq, op, seals in rows:
        if op == ADOPT:  # it seals every row of the store that was taken over again
            told.clear()
        for code, key, seal in around_seals(seals):
            told[code, key] = (seq, seal)
    for table in SEALED:
        yield from _changed(conn, table, told)
    tables = {code: table for table, (code, _) in SEALED.items()}
    for (code, _), (seq, seal) in sorted(told.items(), key=lambda item: (item[1][0], item[0])):
        if seal != GONE:
            yield f"a row of table {tables.get(code, code)}, told of by event {seq}, is missing"


def _changed(conn: apsw.Connection, table: str, told: Told) -> Iterator[str]:
    """Yield the rows of a table that differ; take those that are there off ``told``."""
    code, names = SEALED[table]
    key, usual = ("id", USUAL) if table == "memory" else ("salt", "0")
    label = _NAMED_BY.get(table, "ns")
    named = f"a row of table {table} in namespace {{0}}" if label == "ns" else f"{table} {{0}}"
    rows: Any = conn.execute(f"SELECT {label}, {key}, {usual}, {', '.join(names)} FROM {table}")
    for number, salt, unsealed, *values in rows:
        name = b"" if salt is None else key_of(salt)
        seq, seal = told.pop((code, name), (0, None))
        if seal is None and not unsealed:
            yield f"{named.format(number)} was not written by any event"
        elif seal is not None and seal != seal_of(code, name, values):
            yield f"{named.format(number)} is not what event {seq} wrote"
