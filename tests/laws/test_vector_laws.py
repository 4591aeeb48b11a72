"""Laws of blocks and of the vector index, checked against a list and against a comparison with every vector."""

from __future__ import annotations

from typing import Any

import apsw
import numpy as np
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from omoide.search.vectors import VectorIndex
from omoide.search.vectors_exact import CHUNK, dots
from omoide.search.vectors_slots import ERASED
from omoide.store.sqlite import schema
from omoide.store.sqlite.connection import connect
from omoide.store.sqlite.indexing import blocks, vectors
from omoide.store.sqlite.indexing.blocks import Layout

DIMENSION = 8
SPACE = 2


def memory_store() -> apsw.Connection:
    conn = connect(":memory:", read_only=False, busy_timeout=1.0)
    conn.execute(schema.TABLES["block"])
    return conn


class BlocksAreAList(RuleBasedStateMachine):
    """Any interleaving of writes, bulk writes and patches reads back as a list would."""

    @initialize(size=st.sampled_from([1, 3, 56, 700]), per_block=st.integers(1, 9))
    def start(self, size: int, per_block: int) -> None:
        self.layout = Layout(1, np.dtype(f"V{size}"), per_block)
        self.conn = memory_store()
        self.records: list[bytes] = []

    def teardown(self) -> None:
        if hasattr(self, "conn"):
            self.conn.close()

    def record(self, seed: int) -> bytes:
        return np.random.default_rng(seed).bytes(self.layout.size)

    @rule(seed=st.integers(0, 1 << 20))
    def append(self, seed: int) -> None:
        blocks.write(self.conn, SPACE, self.layout, len(self.records), self.record(seed))
        self.records.append(self.record(seed))

    @rule(seed=st.integers(0, 1 << 20), count=st.integers(0, 30), back=st.integers(0, 12))
    def write_many(self, seed: int, count: int, back: int) -> None:
        first = max(0, len(self.records) - back)
        fresh = [self.record(seed + number) for number in range(count)]
        blocks.write_many(self.conn, SPACE, self.layout, first, b"".join(fresh))
        self.records[first : first + count] = fresh

    @precondition(lambda self: self.records)
    @rule(seed=st.integers(0, 1 << 20), data=st.data())
    def overwrite(self, seed: int, data: st.DataObject) -> None:
        slot = data.draw(st.integers(0, len(self.records) - 1))
        blocks.write(self.conn, SPACE, self.layout, slot, self.record(seed))
        self.records[slot] = self.record(seed)

    @precondition(lambda self: self.records)
    @rule(data=st.data())
    def patch(self, data: st.DataObject) -> None:
        slot = data.draw(st.integers(0, len(self.records) - 1))
        offset = data.draw(st.integers(0, self.layout.size))
        change = data.draw(st.binary(max_size=self.layout.size - offset))
        blocks.patch(self.conn, SPACE, self.layout, slot, offset, change)
        old = self.records[slot]
        self.records[slot] = old[:offset] + change + old[offset + len(change) :]

    @precondition(lambda self: self.records)
    @rule(data=st.data())
    def read_some(self, data: st.DataObject) -> None:
        slots = data.draw(st.lists(st.integers(0, len(self.records) - 1), max_size=20))
        found = blocks.read_slots(self.conn, SPACE, self.layout, np.array(slots, np.int64))
        assert found.tobytes() == b"".join(self.records[slot] for slot in slots)
        first = data.draw(st.integers(0, len(self.records)))
        found = blocks.read(self.conn, SPACE, self.layout, first, len(self.records))
        assert found.tobytes() == b"".join(self.records[first:])

    @invariant()
    def nothing_is_found_wrong(self) -> None:
        if hasattr(self, "conn"):
            assert not blocks.check(self.conn, SPACE, self.layout, len(self.records))


class TheIndexComparesEverything(RuleBasedStateMachine):
    """Whatever was added, erased and masked, search finds what a comparison with every live vector finds."""

    base = 0  # slots there are from the start; with more than the exact limit some are coded
    exact = 1 << 20

    @initialize(seed=st.integers(0, 1 << 20))
    def start(self, seed: int) -> None:
        self.random = np.random.default_rng(seed)
        self.layout = vectors.layout(DIMENSION)
        self.conn = memory_store()
        self.stored = vectors.StoredVectors(self.conn, SPACE, self.layout)
        self.records = np.empty(0, self.layout.dtype)
        self.index = self.fresh()
        if self.base:
            self.write(self.base, spread=self.base, copies=False)

    def teardown(self) -> None:
        if hasattr(self, "conn"):
            self.conn.close()

    def fresh(self) -> VectorIndex:
        return VectorIndex(DIMENSION, read_slots=self.stored.read_slots, exact=self.exact)

    def write(self, count: int, *, spread: int, copies: bool) -> None:
        fresh = np.empty(count, self.layout.dtype)
        fresh["ord"] = self.random.integers(0, spread, count)
        rows = self.random.standard_normal((count, DIMENSION))
        if copies:
            rows[:] = rows[0]
        fresh["vector"] = rows / np.linalg.norm(rows, axis=1, keepdims=True)
        blocks.write_many(self.conn, SPACE, self.layout, len(self.records), fresh.tobytes())
        self.records = np.concatenate([self.records, fresh])

    @rule(count=st.integers(1, 40), spread=st.integers(1, 60), copies=st.booleans())
    def add(self, count: int, spread: int, copies: bool) -> None:
        first = len(self.records)
        self.write(count, spread=spread, copies=copies)
        if first == self.index.size:
            fresh = self.records[first:]
            self.index.add(first, fresh["ord"], fresh["vector"])

    @rule(count=st.integers(1, 40), spread=st.integers(1, 60))
    def add_elsewhere(self, count: int, spread: int) -> None:
        """Another process writes; this one catches up when it searches."""
        self.write(count, spread=spread, copies=False)

    @precondition(lambda self: len(self.records) > 0)
    @rule(data=st.data())
    def erase(self, data: st.DataObject) -> None:
        slots = data.draw(st.lists(st.integers(0, len(self.records) - 1), max_size=5))
        vectors.erase(self.conn, SPACE, self.layout, slots)
        known = [slot for slot in slots if slot < self.index.size]
        self.index.erase(np.array(known, np.int64))
        self.records["ord"][slots] = ERASED
        self.records["vector"][slots] = 0

    @rule()
    def reload(self) -> None:
        self.index = self.fresh()

    @rule()
    def settle(self) -> None:
        while self.index.waiting:
            self.index.search(np.ones(DIMENSION, np.float32), 1)

    @rule(m=st.integers(1, 30), density=st.sampled_from([None, 0.02, 0.3, 0.9]), data=st.data())
    def search(self, m: int, density: float | None, data: st.DataObject) -> None:
        self.index.sync(self.stored, len(self.records))
        live = self.records["ord"][self.records["ord"] != ERASED]
        entries = int(live.max()) + 1 if live.size else 0
        seed = data.draw(st.integers(0, 1 << 20))
        mask = None if density is None else np.random.default_rng(seed).random(entries) < density
        query = np.random.default_rng(seed + 1).standard_normal(DIMENSION).astype(np.float32)
        expected_ords, expected = self.compare_all(query, mask)
        ords, sims = self.index.search(query, m, mask)
        self.check_found(ords, sims, expected_ords[:m], expected[:m])
        asked = np.arange(entries + 2)
        similarity = np.full(entries + 2, np.nan, np.float32)
        ords, sims = self.compare_all(query, None)
        similarity[ords] = sims
        assert np.array_equal(self.index.similarities(query, asked), similarity, equal_nan=True)

    def check_found(self, ords: Any, sims: Any, expected_ords: Any, expected: Any) -> None:
        assert ords.tolist() == expected_ords.tolist()
        assert np.array_equal(sims, expected)

    def compare_all(self, query: Any, mask: Any) -> tuple[Any, Any]:
        ords, sims = self.records["ord"], dots(self.records["vector"], query)
        best = {
            int(ord): float(sims[ords == ord].max())
            for ord in np.unique(ords)
            if ord != ERASED and (mask is None or mask[ord])
        }
        order = sorted(best, key=lambda entry: (-best[entry], entry))
        return np.array(order, np.int64), np.array([best[ord] for ord in order], np.float32)

    @invariant()
    def the_store_is_sound(self) -> None:
        if hasattr(self, "conn"):
            assert not vectors.check(self.conn, SPACE, self.layout, len(self.records), 1 << 30)


class TheCodedIndexComparesTheBest(TheIndexComparesEverything):
    """With codes, what is found is exact, live, allowed, ordered and complete; the codes only propose."""

    base = 2 * CHUNK + 40
    exact = CHUNK

    def check_found(self, ords: Any, sims: Any, expected_ords: Any, expected: Any) -> None:
        assert len(ords) == len(expected_ords)
        assert len(set(ords.tolist())) == len(ords)
        assert np.array_equal(np.sort(sims)[::-1], sims)
        assert (sims <= expected).all()
        shared = np.intersect1d(ords, expected_ords)
        assert len(shared) >= 0.9 * len(expected_ords) - 1


TestBlocksAreAList = BlocksAreAList.TestCase
TestBlocksAreAList.settings = settings(max_examples=60, stateful_step_count=25, deadline=None)
TestTheIndexComparesEverything = TheIndexComparesEverything.TestCase
TestTheIndexComparesEverything.settings = settings(max_examples=60, stateful_step_count=20, deadline=None)
TestTheCodedIndexComparesTheBest = TheCodedIndexComparesTheBest.TestCase
TestTheCodedIndexComparesTheBest.settings = settings(max_examples=8, stateful_step_count=12, deadline=None)
