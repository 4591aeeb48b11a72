"""Tables and indexes brought back to what this version writes, keeping every value that has a place."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import apsw

from omoide.errors import DamagedStoreError
from omoide.model.uids import uuid7
from omoide.store.sqlite.checking.check_rows import text_hash
from omoide.store.sqlite.migrate import columns, drifts
from omoide.store.sqlite.schema import DERIVED, INDEXES, TABLES
from omoide.store.sqlite.schema_vault import LOCAL
from omoide.text.lookalikes import name_key

_OLD: Final = "replaced_by_repair"

REMADE: Final = (*DERIVED, *LOCAL, "space")
"""Tables that are made again from the others, if need be from nothing."""

REQUIRED: Final = ("namespace", "content", "memory", "version", "event")
"""Tables without which there is nothing to repair."""

_FIRST_KNOWN: Final = "(SELECT min(known_from) FROM version WHERE version.memory_id = id)"

FILLERS: Final[dict[tuple[str, str], str]] = {
    ("namespace", "created_at"): "0",
    ("content", "hash"): "omoide_text_hash(text)",
    ("memory", "uid"): "omoide_uid(created_at)",
    ("memory", "created_at"): f"ifnull({_FIRST_KNOWN}, 0)",
    ("version", "ord"): "row_number() OVER (PARTITION BY ns ORDER BY version_id) - 1",
    ("version", "valid_from"): "known_from",
    ("version", "known_from"): "ifnull((SELECT at FROM event WHERE seq = opened_by), valid_from)",
    ("version", "about"): "omoide_name_key(subject)",
    ("version", "kind"): "'fact'",
    ("version", "importance"): "5",
    ("version", "confidence"): "1.0",
    ("version", "trust"): "'observed'",
    ("version", "door"): "'unknown'",
    ("version", "cause"): "'unknown'",
    ("version", "opened_by"): "0",
    ("version", "same"): "zeroblob(16)",
    ("entry", "length"): "0",
    ("evidence", "at"): "0",
    ("evidence", "door"): "'unknown'",
    ("evidence", "cause"): "'unknown'",
    ("evidence", "event"): "0",
    ("link", "at"): "0",
    ("link", "event"): "0",
    ("rejection", "at"): "0",
    ("ending", "at"): "0",
    ("ending", "step"): "0",
    ("ending", "cause"): "'forget'",
    ("ending", "valid_from"): "0",
    ("ending", "valid_to"): "0",
    ("ending", "event"): "0",
    ("rejection", "event"): "0",
    ("exclusive", "at"): "0",
    ("alias", "about"): "omoide_name_key(subject)",
    ("alias", "at"): "0",
    ("citation", "at"): "0",
    ("idempotency", "event"): "0",
    ("purged", "at"): "0",
    ("purged", "event"): "0",
    ("batch", "kind"): "'unknown'",
    ("batch", "at"): "0",
    ("document", "uid"): "omoide_uid(added_at)",
    ("document", "trust"): "'untrusted'",
    ("document", "door"): "'unknown'",
    ("document", "added_at"): "0",
    ("chunk", "ord"): "row_number() OVER (PARTITION BY ns ORDER BY chunk_id) - 1",
    ("chunk", "position"): "chunk_id",
    ("chunk", "added_at"): "0",
    ("session", "uid"): "omoide_uid(added_at)",
    ("session", "host"): "'unknown'",
    ("session", "name"): "uid",
    ("session", "added_at"): "0",
    ("turn", "role"): "'unknown'",
    ("turn", "added_at"): "0",
    ("turn", "kind"): "'turn'",
    ("turn", "trust"): "'untrusted'",
    ("segment", "segment_id"): "'segment-' || number",
    ("segment", "stem"): "'segment'",
    ("segment", "serial"): "number",
    ("segment", "ord"): "number",
    ("segment", "hash"): "zeroblob(16)",
    ("segment", "kind"): "'session'",
    ("segment", "door"): "'unknown'",
    ("segment", "trust"): "'untrusted'",
    ("segment", "at"): "0",
}
"""What stands in for a column that was lost, where NULL may not and something else is known or harmless."""


def mend(conn: apsw.Connection) -> list[str]:
    """Bring the schema back in one transaction; return what was done.

    Raises:
        DamagedStoreError: a table or column is gone that nothing can stand in for; nothing was changed.
    """
    conn.create_scalar_function("omoide_text_hash", _text_hash, 1, deterministic=True)
    conn.create_scalar_function("omoide_uid", _uid, 1)
    conn.create_scalar_function("omoide_name_key", _name_key, 1, deterministic=True)
    try:
        conn.execute("BEGIN IMMEDIATE")
        done = [*_missing_tables(conn), *_columns(conn), *_indexes(conn)]
        conn.execute("COMMIT")
    except BaseException:
        if conn.in_transaction:
            conn.execute("ROLLBACK")
        raise
    finally:
        conn.execute("PRAGMA legacy_alter_table = OFF")
    return done


def _text_hash(*values: Any) -> Any:
    return text_hash(values[0])


def _uid(*values: Any) -> Any:
    return uuid7(values[0] or 0)


def _name_key(*values: Any) -> Any:
    return name_key(values[0]) if isinstance(values[0], str) else None


def _missing_tables(conn: apsw.Connection) -> Iterator[str]:
    present = {str(row[0]) for row in conn.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")}
    strangers = [name for name in sorted(present - set(TABLES)) if not name.startswith("sqlite_")]
    for table in TABLES:
        if table in present:
            continue
        wanted = _expected(table)
        renamed = next((name for name in strangers if columns(conn, name) == wanted), None)
        if renamed is not None:
            strangers.remove(renamed)
            conn.execute(f"ALTER TABLE {_quoted(renamed)} RENAME TO {table}")
            yield f"table {renamed} was named {table} again"
        elif table in REQUIRED:
            raise DamagedStoreError(f"table {table} is missing; restore a backup", value=table)
        else:
            conn.execute(TABLES[table])
            yield f"table {table} was missing and was made anew, empty"


def _columns(conn: apsw.Connection) -> Iterator[str]:
    for table in dict.fromkeys(drift.table for drift in drifts(conn)):
        yield from _rename_columns(conn, table)
        if any(drift.table == table for drift in drifts(conn)):
            yield from _make_anew(conn, table)


def _rename_columns(conn: apsw.Connection, table: str) -> Iterator[str]:
    """Name columns again that have the declaration of a missing one, those at its place first."""
    wanted, actual = _expected(table), columns(conn, table)
    order, place = list(wanted), {name: at for at, name in enumerate(actual)}
    for name in [name for name in wanted if name not in actual]:
        free = [other for other in actual if other not in wanted and actual[other] == wanted[name]]
        if free:
            found = min(free, key=lambda other: abs(place[other] - order.index(name)))
            actual[name] = actual.pop(found)
            place[name] = place.pop(found)
            conn.execute(f"ALTER TABLE {table} RENAME COLUMN {_quoted(found)} TO {name}")
            yield f"column {table}.{found} was named {name} again"


def _make_anew(conn: apsw.Connection, table: str) -> Iterator[str]:
    """Make a table as it should be and move its rows there."""
    wanted, actual = _expected(table), columns(conn, table)
    missing = [name for name in wanted if name not in actual]
    if table in REMADE and not all(_has_stand_in(table, name, wanted[name]) for name in missing):
        conn.execute(f"DROP TABLE {table}")
        conn.execute(TABLES[table])
        yield f"table {table} lacked {', '.join(missing)} and was made anew, empty"
        return
    values = [_quoted(name) if name in actual else _stand_in(table, name, wanted[name]) for name in wanted]
    sequence = _sequence(conn, table)
    conn.execute("PRAGMA legacy_alter_table = ON")  # references of other tables stay with the name
    conn.execute(f"ALTER TABLE {table} RENAME TO {_OLD}")
    conn.execute(TABLES[table])
    before = int(conn.execute(f"SELECT count(*) FROM {_OLD}").get)
    names = ", ".join(map(_quoted, wanted))
    conn.execute(f"INSERT OR IGNORE INTO {table}({names}) SELECT {', '.join(values)} FROM {_OLD}")
    kept = conn.changes()
    conn.execute(f"DROP TABLE {_OLD}")
    conn.execute("PRAGMA legacy_alter_table = OFF")
    if sequence is not None:
        conn.execute("DELETE FROM sqlite_sequence WHERE name = ?", (table,))
        conn.execute("INSERT INTO sqlite_sequence(name, seq) VALUES (?, ?)", (table, sequence))
    about = f", without what {', '.join(missing)} held" if missing else ""
    yield f"table {table} was made as it should be{about}"
    if kept < before:
        yield f"{before - kept} of {before} rows of table {table} could not be kept"


def _has_stand_in(table: str, name: str, declaration: tuple[Any, ...]) -> bool:
    _, not_null, default, _ = declaration
    return default is not None or not not_null or (table, name) in FILLERS


def _stand_in(table: str, name: str, declaration: tuple[Any, ...]) -> str:
    if not _has_stand_in(table, name, declaration):
        raise DamagedStoreError(
            f"column {table}.{name} is missing and nothing can stand in for it; restore a backup", value=name
        )
    default = declaration[2]
    return FILLERS.get((table, name), "NULL") if default is None else str(default)


def _indexes(conn: apsw.Connection) -> Iterator[str]:
    rows: Any = conn.execute("SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL")
    present = {name: _plain(sql) for name, sql in rows}
    for name, sql in INDEXES.items():
        if present.get(name) == _plain(sql):
            continue
        if name in present:
            conn.execute(f"DROP INDEX {name}")
        try:
            conn.execute(sql)
        except apsw.ConstraintError:
            # Only what is derived has a unique index of its own; it is made anew from the rows afterwards.
            for table in DERIVED:
                conn.execute(f"DELETE FROM {table}")
            conn.execute(sql)
        yield f"index {name} was made anew"


def _expected(table: str) -> dict[str, tuple[object, ...]]:
    model = apsw.Connection(":memory:")
    model.execute(TABLES[table])
    return columns(model, table)


def _sequence(conn: apsw.Connection, table: str) -> int | None:
    row: Any = conn.execute("SELECT seq FROM sqlite_sequence WHERE name = ?", (table,)).fetchone()
    return None if row is None else int(row[0])


def _plain(sql: str) -> str:
    return "".join(sql.replace('"', "").split())


def _quoted(name: str) -> str:
    escaped = name.replace('"', '""')
    return f'"{escaped}"'
