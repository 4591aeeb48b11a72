"""Vectors kept by slot between searches."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from omoide.search.half import Half
from omoide.search.vectors_rows import KEPT, RecentRows

STORED: Half = np.random.default_rng(1).normal(size=(3 * KEPT, 8)).astype(np.float16)


class Store:
    """Counts the slots that are read."""

    def __init__(self) -> None:
        self.read: list[int] = []

    def __call__(self, slots: NDArray[np.int64]) -> Half:
        self.read += slots.tolist()
        return STORED[slots]


def test_rows_come_in_the_order_asked_for_and_are_read_once() -> None:
    """The second look at a slot reads nothing."""
    store = Store()
    recent = RecentRows(8, store)
    for asked in ([5, 3], [3, 900, 5]):
        slots = np.array(asked, np.int64)
        assert np.array_equal(recent.rows(slots), STORED[slots].astype(np.float32))
    assert store.read == [5, 3, 900]


def test_slots_that_share_a_place_never_stand_for_each_other() -> None:
    """One takes the place of the other, within one call too."""
    recent = RecentRows(8, Store())
    for asked in ([1, 1 + KEPT], [1 + 2 * KEPT, 1], [1 + KEPT, 1 + KEPT, 1]):
        slots = np.array(asked, np.int64)
        assert np.array_equal(recent.rows(slots), STORED[slots].astype(np.float32))


def test_a_forgotten_slot_is_read_again() -> None:
    """Its vector was erased."""
    store = Store()
    recent = RecentRows(8, store)
    slots = np.array([4, 7], np.int64)
    recent.rows(slots)
    recent.forget(np.array([4, 7 + KEPT], np.int64))
    recent.rows(slots)
    assert store.read == [4, 7, 4]


def test_nothing_is_read_for_nothing() -> None:
    """No slots, no rows."""
    store = Store()
    assert RecentRows(8, store).rows(np.empty(0, np.int64)).shape == (0, 8)
    assert store.read == []
