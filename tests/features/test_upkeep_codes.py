"""What searches have coded of vectors is kept for the next process, by and by, in nobody's way."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import apsw
import numpy as np
import pytest

from omoide.model.records import Voice
from omoide.model.time import FOREVER
from omoide.search.prepared import Prepared
from omoide.search.vectors_part import PART
from omoide.store.sqlite.indexing import codes, rebuild
from omoide.store.sqlite.namespaces import MEMORIES
from omoide.store.sqlite.store import SqliteStore

DIMENSION = 16
COUNT = PART + 1200
VOICE = Voice()


@pytest.fixture(autouse=True)
def _one_part_is_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep codes from the first full part on, so that a small index shows what a large one does."""
    monkeypatch.setattr("omoide.search.vectors_coded._KEPT_FROM", 1)


pytestmark = pytest.mark.file_only("opens the file without a handle")


@pytest.fixture(scope="module")
def vectors() -> Any:
    """Return unit vectors around a few centres."""
    random = np.random.default_rng(7)
    rows = random.standard_normal((200, DIMENSION))[random.integers(200, size=COUNT)]
    rows += 0.5 * random.standard_normal(rows.shape)
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float16)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory, vectors: Any) -> Path:
    """Make a store that has an index of many entries and nothing else."""
    path = tmp_path_factory.mktemp("codes") / "agents.db"
    store = SqliteStore(path)
    with store.write(VOICE) as tx:
        tx.has_model = True
        ns = tx.namespaces.ensure("default", tx.now)
        for ord, vector in enumerate(vectors):
            key = hashlib.blake2b(b"%d" % ord, digest_size=16).digest()
            record = (0, FOREVER, 1, FOREVER, ord + 1, ord + 1, 0, 0)
            tx.indexer.add(ns, MEMORIES, record, Prepared(("tea",), key, vector[np.newaxis]))
    store.close()
    return path


@pytest.fixture
def store(made: Path, path: Path) -> Iterator[SqliteStore]:
    """Open a copy of the store."""
    path.write_bytes(made.read_bytes())
    opened = SqliteStore(path)
    yield opened
    opened.close()


def search(store: SqliteStore, vectors: Any, times: int = 3000) -> list[int]:
    """Search until everything that can be is coded, at most so many times; return the entries of the last answer."""
    found: list[int] = []
    with store.read(None) as tx:
        view = tx.view("default")
        assert view is not None
        for _ in range(times):
            index = view.load_vectors(DIMENSION)
            found = index.search(vectors[5].astype(np.float32), 10)[0].tolist()
            if not index.waiting:
                break
    return found


def parts(path: Path) -> int:
    """Return how many parts the file keeps."""
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    count = int(connection.execute("SELECT count(*) FROM block WHERE (id >> 28) & 15 = 2").get)
    connection.close()
    return count


def test_kept_once_and_found_by_the_next(store: SqliteStore, path: Path, vectors: Any) -> None:
    before = search(store, vectors)
    assert codes.save(store) == 1
    assert codes.save(store) == 0
    assert parts(path) == 1
    again = SqliteStore(path)
    assert search(again, vectors, 1) == before
    assert codes.save(again) == 0
    again.close()


def test_nothing_searched_nothing_kept(store: SqliteStore, path: Path) -> None:
    assert codes.save(store) == 0
    assert parts(path) == 0


def test_another_writer_is_not_waited_for(store: SqliteStore, path: Path, vectors: Any) -> None:
    search(store, vectors)
    other = apsw.Connection(str(path))
    other.execute("BEGIN IMMEDIATE")
    assert codes.save(store) == 0
    other.execute("ROLLBACK")
    other.close()
    assert codes.save(store) == 1


def test_an_erased_vector_leaves_no_code(store: SqliteStore, path: Path, vectors: Any) -> None:
    """A part that held it is dropped with it, and what is kept later does not hold it."""
    before = search(store, vectors)
    codes.save(store)
    other = SqliteStore(path)
    with other.write(VOICE) as tx:
        ns = tx.namespaces.ensure("default", tx.now)
        tx.indexer.erase(ns, MEMORIES, before[0], ["tea"])
    other.close()
    assert parts(path) == 0
    assert codes.save(store) == 1
    again = SqliteStore(path)
    assert search(again, vectors, 1)[:5] == before[1:6]
    again.close()


def test_another_model_drops_them(store: SqliteStore, path: Path, vectors: Any) -> None:
    search(store, vectors)
    codes.save(store)
    with store.write(VOICE) as tx:
        rebuild.change_model(tx, "two")
    assert parts(path) == 0
    assert codes.save(store) == 0


def test_a_store_that_may_only_be_read(store: SqliteStore, path: Path, vectors: Any) -> None:
    reading = SqliteStore(path, read_only=True)
    search(reading, vectors)
    assert codes.save(reading) == 0
    reading.close()
