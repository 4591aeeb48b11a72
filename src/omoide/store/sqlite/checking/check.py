"""What is not as it should be in a store, one line a finding; texts are never quoted."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import apsw

from omoide.store.sqlite.checking import (
    check_around,
    check_chain,
    check_index,
    check_rows,
    check_texts,
    check_types,
)
from omoide.store.sqlite.checking.findings import Finding
from omoide.store.sqlite.indexing.rebuild import collections
from omoide.store.sqlite.migrate import drifts, missing_indexes
from omoide.store.sqlite.transaction import Read

_QUICK: Final = "PRAGMA quick_check(20)"


def look(tx: Read) -> list[Finding]:
    """Return every finding; what depends on a part that is damaged is not looked at."""
    found = file_findings(tx.connection) or schema_findings(tx.connection)
    if found:
        return found
    try:
        wrong = [Finding("rows", text) for text in check_types.findings(tx.connection)]
        wrong += [Finding("schema", text) for text in check_texts.findings(tx.connection)]
        return wrong or [*_parts(tx)]
    except apsw.CorruptError as error:
        return [Finding("file", f"SQLite cannot read a part of the file: {error}; run repair")]


def _parts(tx: Read) -> Iterator[Finding]:
    for name in missing_indexes(tx.connection):
        yield Finding("schema", f"index {name} is missing; run repair")
    yield from check_rows.findings(tx.connection)
    for ns, collection in collections(tx):
        yield from check_index.findings(tx, ns, collection)
    yield from check_index.orphans(tx.connection)
    for text in (*check_chain.findings(tx.connection), *check_around.findings(tx.connection)):
        yield Finding("chain", text)


def file_findings(conn: apsw.Connection) -> list[Finding]:
    """Return what SQLite says about its own pages."""
    try:
        rows = [str(row[0]) for row in conn.execute(_QUICK)]
    except (apsw.CorruptError, apsw.NotADBError) as error:
        rows = [str(error)]
    return [Finding("file", f"SQLite: {text.strip()}; run repair") for text in rows if text != "ok"]


def schema_findings(conn: apsw.Connection) -> list[Finding]:
    """Return where tables differ from what this version writes."""
    return [Finding("schema", f"{drift}; run repair") for drift in drifts(conn)]
