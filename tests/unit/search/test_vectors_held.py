"""Vectors held in memory in the bytes of the store."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from omoide.search import vectors_held
from omoide.search.half import singles
from omoide.search.vectors import VectorIndex
from omoide.search.vectors_exact import CHUNK, dots
from omoide.search.vectors_held import HeldRows
from omoide.store.sqlite.indexing import vector_codes

WIDE = 64


def rows_of(count: int, dimension: int, seed: int = 0) -> Any:
    rows = np.random.default_rng(seed).standard_normal((count, dimension))
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def records_of(rows: Any) -> Any:
    made = np.empty(len(rows), vector_codes.layout(rows.shape[1]).dtype)
    made["ord"] = np.arange(len(rows))
    vector_codes.fill(made, rows)
    return made


def held(records: Any) -> HeldRows:
    found = HeldRows(WIDE)
    found.room(len(records), records.dtype)[:] = records
    found.take(len(records))
    return found


class Store:
    """Counts the slots that are read one by one."""

    def __init__(self, records: Any) -> None:
        self._records, self.dtype, self.looks = records, records.dtype, 0

    def read(self, first: int, last: int, out: Any = None) -> Any:
        out[:] = self._records[first:last]
        return out

    def read_slots(self, slots: Any) -> Any:
        self.looks += len(slots)
        return vector_codes.vectors_of(self._records[slots])

    def part(self, number: int) -> None:
        return None

    def parts(self) -> int:
        return 0


@pytest.mark.parametrize("dimension", [8, WIDE])
def test_numbers_are_those_that_the_store_gives(dimension: int) -> None:
    """Codes with a scale and float16 alike: the float16 of the store, exactly."""
    records = records_of(rows_of(300, dimension))
    assert np.array_equal(singles(records), vector_codes.vectors_of(records).astype(np.float32))


def test_a_scan_gives_the_products_of_the_allowed_rows() -> None:
    """Of all, of many and of few, from any slot on."""
    records = records_of(rows_of(700, WIDE))
    query = rows_of(1, WIDE, 9)[0]
    whole = dots(singles(records), query)
    some, few = np.arange(600) % 3 > 0, np.arange(600) % 50 == 0
    assert np.array_equal(held(records).scan(query, 0, None), whole)
    assert np.array_equal(held(records).scan(query, 100, some), whole[100:][some])
    assert np.array_equal(held(records).scan(query, 100, few), whole[100:][few])


def test_beyond_the_limit_the_oldest_are_let_go(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is still held stays what it was."""
    monkeypatch.setattr(vectors_held, "HELD", 300)
    monkeypatch.setattr(vectors_held, "_STEP", 50)
    records = records_of(rows_of(700, WIDE))
    found = HeldRows(WIDE)
    for first in range(0, 700, 70):
        found.room(70, records.dtype)[:] = records[first : first + 70]
        found.take(70)
    last = np.arange(found.first, 700)
    assert 0 < len(last) <= 300
    assert np.array_equal(found.rows(last), singles(records[last]))
    assert not found.holds(np.array([found.first - 1]))


def test_blanked_rows_are_zero() -> None:
    """Those of slots that are not held are nobody's business."""
    found = held(records_of(rows_of(20, WIDE)))
    found.blank(np.array([3, 25]))
    assert not found.rows(np.array([3])).any()
    assert found.rows(np.array([4])).any()


def test_a_coded_search_reads_no_vector_from_the_store() -> None:
    """What the codes propose is compared with what is in memory."""
    rows = rows_of(4 * CHUNK, WIDE)
    store = Store(records_of(rows))
    index = VectorIndex(WIDE, read_slots=store.read_slots, exact=CHUNK)
    index.sync(store, len(rows))
    while index.waiting:
        index.search(rows[0], 1)
    found, sims = index.search(rows[7], 5)
    assert found[0] == 7
    assert np.array_equal(sims, index.similarities(rows[7], found))
    assert store.looks == 0


def test_answers_stay_exact_where_rows_were_let_go(monkeypatch: pytest.MonkeyPatch) -> None:
    """They are read from the store again."""
    monkeypatch.setattr(vectors_held, "HELD", 4 * CHUNK)
    monkeypatch.setattr(vectors_held, "_STEP", CHUNK // 2)
    monkeypatch.setattr("omoide.search.vectors._READ", CHUNK // 2)
    rows = rows_of(6 * CHUNK, WIDE)
    store = Store(records_of(rows))
    index = VectorIndex(WIDE, read_slots=store.read_slots, exact=CHUNK, cold=CHUNK // 4)
    index.sync(store, len(rows))
    query = rows[5]
    found, sims = index.search(query, 3)
    assert found[0] == 5
    assert np.array_equal(sims, dots(singles(records_of(rows)), query)[found])
    assert store.looks
