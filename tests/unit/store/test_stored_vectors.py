"""Vectors in the store: loaded, kept as coded parts, erased for good, checked."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import apsw
import numpy as np
import pytest

from omoide.search.vectors import EXACT, VectorIndex
from omoide.search.vectors_exact import dots
from omoide.search.vectors_part import PART
from omoide.search.vectors_slots import ERASED
from omoide.store.sqlite import schema
from omoide.store.sqlite.connection import connect
from omoide.store.sqlite.indexing import blocks, vector_codes, vectors

DIMENSION = 16
LAYOUT = vectors.layout(DIMENSION)
SPACE = 3
COUNT = PART + 300


@pytest.fixture(autouse=True)
def _parts_are_kept_from_the_first(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three full parts would make every test slow."""
    monkeypatch.setattr("omoide.search.vectors_coded._KEPT_FROM", 1)


@pytest.fixture
def conn(db: Path) -> Iterator[apsw.Connection]:
    connection = connect(str(db), read_only=False, busy_timeout=1.0)
    connection.execute(schema.TABLES["block"])
    yield connection
    connection.close()


@pytest.fixture(scope="module")
def records() -> Any:
    """Return a full part and a bit more, around centres, two slots an entry."""
    random = np.random.default_rng(1)
    rows = random.standard_normal((300, DIMENSION))[random.integers(300, size=COUNT)]
    rows = rows + 0.7 * random.standard_normal(rows.shape) + 1
    made = np.empty(COUNT, dtype=LAYOUT.dtype)
    made["ord"] = np.arange(COUNT) // 2
    made["vector"] = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return made


@pytest.fixture
def filled(conn: apsw.Connection, records: Any) -> apsw.Connection:
    write(conn, SPACE, 0, records)
    return conn


def write(conn: apsw.Connection, space: int, first: int, records: Any) -> None:
    with conn:
        blocks.write_many(conn, space, LAYOUT, first, records.tobytes())


def load(conn: apsw.Connection, slots: int = COUNT) -> VectorIndex:
    stored = vectors.StoredVectors(conn, SPACE, LAYOUT)
    index = VectorIndex(DIMENSION, read_slots=stored.read_slots)
    index.sync(stored, slots)
    return index


def settle(index: VectorIndex) -> VectorIndex:
    while index.waiting:
        index.search(np.ones(DIMENSION, np.float32), 1)
    return index


def keep(conn: apsw.Connection, index: VectorIndex) -> list[int]:
    numbers = vectors.save_parts(conn, SPACE, index)
    index.mark_saved(numbers)
    return numbers


def coded_rows(conn: apsw.Connection) -> list[int]:
    return [row[0] for row in conn.execute("SELECT id & 268435455 FROM block WHERE (id >> 28) & 15 = 2")]


def queries(records: Any) -> list[Any]:
    return [records["vector"][slot].astype(np.float32) for slot in (5, PART - 1, COUNT - 1, 999)]


def answers(index: VectorIndex, records: Any) -> list[list[int]]:
    return [index.search(query, 5)[0].tolist() for query in queries(records)]


def test_a_full_part_is_kept_once(filled: apsw.Connection) -> None:
    index = settle(load(filled))
    assert keep(filled, index) == [0]
    assert keep(filled, index) == []
    assert coded_rows(filled) == [0]


def test_a_kept_part_answers_as_the_one_it_was_made_from(filled: apsw.Connection, records: Any) -> None:
    index = settle(load(filled))
    keep(filled, index)
    again = load(filled)
    assert answers(again, records) == answers(index, records)
    assert again.uncoded == index.uncoded < 256
    assert keep(filled, again) == []


def test_no_part_is_kept_without_turbovec(filled: apsw.Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "turbovec", None)
    assert keep(filled, settle(load(filled))) == []


def test_a_part_kept_elsewhere_is_not_needed_without_turbovec(
    filled: apsw.Connection, records: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    index = settle(load(filled))
    keep(filled, index)
    expected = answers(index, records)
    monkeypatch.setitem(sys.modules, "turbovec", None)
    assert answers(load(filled), records) == expected


@pytest.mark.parametrize(
    "damage",
    [
        "DELETE FROM block WHERE id = ?",
        "UPDATE block SET data = 'text' WHERE id = ?",
        "UPDATE block SET data = x'' WHERE id = ?",
        "UPDATE block SET data = zeroblob(100000) WHERE id = ?",
        "UPDATE block SET data = substr(data, 1, 200000) WHERE id = ?",
        "UPDATE block SET data = CAST(substr(data, 1, 200000) || zeroblob(length(data) - 200000) AS BLOB) WHERE id = ?",
    ],
)
def test_a_damaged_part_changes_no_answer(filled: apsw.Connection, records: Any, damage: str) -> None:
    expected = answers(load(filled), records)
    keep(filled, settle(load(filled)))
    filled.execute(damage, (SPACE << 32 | 2 << 28,))
    assert answers(load(filled), records) == expected


def test_a_part_of_other_vectors_is_not_used(filled: apsw.Connection, records: Any) -> None:
    keep(filled, settle(load(filled)))
    other = records.copy()
    other["vector"] = records["vector"][::-1]
    write(filled, SPACE, 0, other)
    index = load(filled)
    assert index.uncoded == COUNT
    assert answers(index, other) == answers(load(filled), other)


def test_a_part_missing_between_others_is_coded(conn: apsw.Connection, records: Any) -> None:
    whole = np.concatenate([records[:PART], records[:PART], records[:10]])
    write(conn, SPACE, 0, whole)
    index = settle(load(conn, len(whole)))
    assert keep(conn, index) == [0, 1]
    conn.execute("DELETE FROM block WHERE id = ?", (SPACE << 32 | 2 << 28,))
    again = load(conn, len(whole))
    assert (again.size, again.uncoded) == (len(whole), 10)
    assert answers(again, records) == answers(index, records)
    assert keep(conn, again) == [0]


def test_an_erased_vector_leaves_no_trace_in_the_store(filled: apsw.Connection, records: Any) -> None:
    index = settle(load(filled))
    keep(filled, index)
    vectors.erase(filled, SPACE, LAYOUT, [5, 9])
    index.erase(np.array([5, 9]))
    (record,) = blocks.read(filled, SPACE, LAYOUT, 5, 6)
    assert record["ord"] == ERASED
    assert not record["vector"].any()
    assert coded_rows(filled) == []
    only = np.arange(COUNT) == 2  # the entry of slots 4 and 5
    query = records["vector"][5].astype(np.float32)
    for each in (index, load(filled), settle(load(filled))):
        assert each.search(query, 1, only)[1].tolist() == dots(records["vector"][4:5], query).tolist()


def test_a_part_is_coded_anew_before_it_is_kept_after_an_erasure(filled: apsw.Connection) -> None:
    index = settle(load(filled))
    keep(filled, index)
    before = filled.execute("SELECT data FROM block WHERE (id >> 28) & 15 = 2").fetchall()
    vectors.erase(filled, SPACE, LAYOUT, [5])
    index.erase(np.array([5]))
    assert keep(filled, index) == [0]
    assert filled.execute("SELECT data FROM block WHERE (id >> 28) & 15 = 2").fetchall() != before
    assert not index.search(np.ones(DIMENSION, np.float32), 5, np.zeros(COUNT, np.bool_))[0].size


def test_dropping_removes_vectors_and_parts_of_the_space_only(filled: apsw.Connection, records: Any) -> None:
    keep(filled, settle(load(filled)))
    write(filled, SPACE + 1, 0, records[:40])
    vectors.drop(filled, SPACE)
    left = filled.execute("SELECT DISTINCT id >> 32 FROM block").fetchall()
    assert left == [(SPACE + 1,)]


def test_an_index_catches_up_with_slots_added_since(filled: apsw.Connection, records: Any) -> None:
    index = load(filled)
    write(filled, SPACE, COUNT, records[:7])
    index.sync(vectors.StoredVectors(filled, SPACE, LAYOUT), COUNT + 7)
    assert index.size == COUNT + 7
    assert answers(index, records) == answers(load(filled, COUNT + 7), records)


def test_few_parts_are_not_kept(filled: apsw.Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    index = settle(load(filled))
    monkeypatch.setattr("omoide.search.vectors_coded._KEPT_FROM", 2)
    assert keep(filled, index) == []


def test_a_small_space_has_no_parts(conn: apsw.Connection, records: Any) -> None:
    write(conn, SPACE, 0, records[: EXACT - 1])
    assert keep(conn, settle(load(conn, EXACT - 1))) == []


def test_sound_vectors_have_no_findings(filled: apsw.Connection) -> None:
    vectors.erase(filled, SPACE, LAYOUT, [5, 9])
    assert not vectors.check(filled, SPACE, LAYOUT, COUNT, COUNT // 2)


def test_strays_broken_numbers_and_half_erased_slots_are_found(filled: apsw.Connection) -> None:
    blocks.patch(filled, SPACE, LAYOUT, 10, 0, (COUNT).to_bytes(4, "little"))
    blocks.patch(filled, SPACE, LAYOUT, 20, 4, np.array([np.nan], "<f2").tobytes())
    blocks.patch(filled, SPACE, LAYOUT, 30, 0, ERASED.to_bytes(4, "little"))
    found = vectors.check(filled, SPACE, LAYOUT, COUNT, COUNT // 2)
    assert [int(finding.split()[2]) for finding in found] == [10, 20, 30]


def test_every_half_that_is_no_number_is_told_from_those_that_are() -> None:
    halves = np.arange(65_536, dtype=np.uint16).view(np.float16)
    assert [vector_codes.finite(halves[[place]]) for place in range(65_536)] == np.isfinite(halves).tolist()
    assert vector_codes.finite(halves[:0])


def test_missing_vectors_are_found(filled: apsw.Connection) -> None:
    assert vectors.check(filled, SPACE, LAYOUT, COUNT * 2, COUNT)
