from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import apsw
import pytest

from omoide import Memory
from omoide.errors import (
    DamagedStoreError,
    ForeignStoreError,
    OmoideError,
    StoreError,
    StoreVersionError,
)

pytestmark = pytest.mark.file_only("what lies at the path of a file before it is opened")

Opener = Callable[..., Memory]

RMBR = """
CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT);
INSERT INTO meta VALUES ('schema_version', '1');
CREATE TABLE memories(id INTEGER PRIMARY KEY, namespace TEXT, text TEXT, metadata TEXT, created_at TEXT);
INSERT INTO memories VALUES (1, 'default', 'precious', '{}', '2026-01-01T00:00:00+00:00');
CREATE TABLE documents(id INTEGER PRIMARY KEY, namespace TEXT, source TEXT, metadata TEXT, added_at TEXT);
CREATE TABLE chunks(id INTEGER PRIMARY KEY, document_id INTEGER, namespace TEXT, text TEXT, metadata TEXT,
                    chunk_index INTEGER);
CREATE TABLE embed_cache(content_hash TEXT, model TEXT, vector BLOB);
CREATE TABLE query_cache(cache_key TEXT, namespace TEXT, query_vector BLOB, results TEXT, created_at TEXT);
CREATE TABLE ann_index(collection TEXT PRIMARY KEY, blob BLOB, dim INTEGER, metric TEXT, updated_at TEXT);
"""
MEMHARNESS = """
CREATE TABLE facts(id INTEGER PRIMARY KEY, subject TEXT, predicate TEXT, fact TEXT, confidence REAL,
                   valid_from TEXT, valid_to TEXT, tx_at TEXT, superseded_by INTEGER, source_agent TEXT,
                   source_ref TEXT, retracted_at TEXT);
INSERT INTO facts(subject, fact) VALUES ('user', 'precious');
PRAGMA user_version = 5;
"""
OTHER = "CREATE TABLE songs(id INTEGER PRIMARY KEY, title TEXT); INSERT INTO songs(title) VALUES ('precious');"


def make(path: Path, script: str) -> None:
    """Write a database of another system."""
    connection = apsw.Connection(str(path))
    connection.execute(script)
    connection.close()


@pytest.mark.parametrize("name, script", [("rmbr", RMBR), ("memharness", MEMHARNESS)])
def test_a_known_system_is_named_and_how_to_import_it(opened: Opener, path: Path, name: str, script: str) -> None:
    """A file of another known system is left alone; the error names it and says how to import it."""
    make(path, script)
    before = path.read_bytes()
    with pytest.raises(ForeignStoreError, match=f"(?is){name}.*import|import.*{name}"):
        opened()
    assert path.read_bytes() == before


def test_an_unknown_database_is_left_alone(opened: Opener, path: Path) -> None:
    """Somebody else's database is not written into."""
    make(path, OTHER)
    before = path.read_bytes()
    with pytest.raises(StoreError):
        opened()
    assert path.read_bytes() == before


@pytest.mark.parametrize("content", [b"dear diary,\n" * 100, b"\x00\x01\x02" * 50, b"SQLite format 3\0 not really"])
def test_a_file_that_is_no_database_is_left_alone(opened: Opener, path: Path, content: bytes) -> None:
    """A file that is not a database gives a typed error and stays as it is."""
    path.write_bytes(content)
    with pytest.raises(StoreError):
        opened()
    assert path.read_bytes() == content


def test_an_empty_file_becomes_a_store(opened: Opener, path: Path) -> None:
    """A file without a byte is as good as none."""
    path.touch()
    mem = opened()
    mem.remember("A")
    assert [hit.text for hit in mem.recall(None)] == ["A"]


def test_a_newer_store_is_refused(opened: Opener, path: Path) -> None:
    """A store of a later version is not touched; the error says so."""
    opened().remember("A")
    for handle in (opened(),):
        handle.close()
    make_newer(path)
    with pytest.raises(StoreVersionError, match="newer"):
        opened()


def make_newer(path: Path) -> None:
    """Raise the version marker of a store."""
    connection = apsw.Connection(str(path))
    connection.execute("PRAGMA user_version = 9999")
    connection.close()


def test_a_lost_column_is_reported_once_by_name(opened: Opener, path: Path) -> None:
    """A store whose schema drifted names table and column at the door; it does not fail later."""
    first = opened()
    first.remember("A")
    first.close()
    connection = apsw.Connection(str(path))
    connection.execute("ALTER TABLE version RENAME COLUMN confidence TO confidenze")
    connection.close()
    with pytest.raises(DamagedStoreError, match=r"(?s)version.*confidence"):
        opened()


def test_many_lost_columns_are_counted_and_not_all_listed(opened: Opener, path: Path) -> None:
    """An error that nobody could read names the first ten differences; its value has them all."""
    opened().close()
    connection = apsw.Connection(str(path))
    columns: Any = connection.execute("SELECT name FROM pragma_table_info('version')")
    for name in [name for (name,) in columns][:12]:
        connection.execute(f"ALTER TABLE version RENAME COLUMN {name} TO {name}_")
    connection.close()
    with pytest.raises(DamagedStoreError, match="more of these") as refused:
        opened()
    found: Any = refused.value.value
    assert len(found) > 12
    assert str(refused.value).count("; ") == 10


@pytest.mark.parametrize("where", ["postgresql://localhost/x", "postgres://localhost/x"])
def test_postgresql_is_a_typed_error(opened: Opener, where: str) -> None:
    """A PostgreSQL address is refused in words, and no file of that name appears."""
    with pytest.raises(OmoideError, match=r"(?i)postgres"):
        opened(path=where)


def test_a_path_may_be_text_or_path(opened: Opener, tmp_path: Path) -> None:
    """A store is opened by a str or a Path, relative or absolute."""
    opened(path=str(tmp_path / "one.db")).remember("A")
    assert opened(path=tmp_path / "one.db").stats()["default"]["count"] == 1


@pytest.mark.parametrize("where", ["", None, 5])
def test_no_path_is_an_error(opened: Opener, where: object) -> None:
    """A store needs a place."""
    with pytest.raises(OmoideError):
        opened(path=where)


def test_names_with_spaces_and_letters_of_any_script(opened: Opener, tmp_path: Path) -> None:
    """A file may be called anything, question marks and percent signs included."""
    where = tmp_path / "思い出 100% a?b#c.db"
    opened(path=where).remember("A")
    assert where.exists()


def test_a_cut_log_loses_nothing_that_was_there_before(opened: Opener, path: Path, tmp_path: Path) -> None:
    """With the last bytes of the write-ahead log gone, the store opens and serves the rest."""
    import shutil

    mem = opened()
    for n in range(20):
        mem.remember(f"note {n}")
    folder = tmp_path / "crashed"
    folder.mkdir()
    for file in path.parent.glob("agents.db*"):
        if not file.name.endswith("-shm"):
            shutil.copy(file, folder / file.name)
    log = folder / "agents.db-wal"
    if log.exists() and log.stat().st_size > 25:
        with log.open("r+b") as handle:
            handle.truncate(log.stat().st_size - 25)
    again = opened(path=folder / "agents.db")
    assert again.stats()["default"]["count"] in {19, 20}
    assert again.integrity_check() == []
