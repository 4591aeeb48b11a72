from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from omoide.search.vectors import VectorIndex
from omoide.search.vectors_centre import LEAST


def rows_of(count: int) -> Any:
    chance = np.random.default_rng(7)
    rows = chance.normal(size=(count, 16)) + np.eye(1, 16)[0] * 3
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float16)


def indexed(rows: Any, **options: Any) -> VectorIndex:
    index = VectorIndex(rows.shape[1], read_slots=lambda slots: rows[slots], **options)
    index.add(0, np.arange(len(rows)), rows)
    return index


def test_a_small_space_has_no_centre() -> None:
    assert not indexed(rows_of(LEAST - 1)).closeness(np.arange(9)).any()


def test_closeness_grows_towards_the_mean() -> None:
    """The closeness is the dot product with the mean, as far as the size has settled it."""
    rows = rows_of(128)
    mean = rows.astype(np.float32).mean(axis=0) * 128 / 228
    assert indexed(rows).closeness(np.arange(128)) == pytest.approx(rows.astype(np.float32) @ mean, abs=1e-4)


def test_it_does_not_depend_on_how_the_space_grew() -> None:
    """An index that grew step by step, asked in between, agrees with one loaded at once."""
    rows = rows_of(300)
    grown = indexed(rows[:70])
    for first in range(70, 300, 23):
        grown.closeness(np.arange(first))
        grown.add(first, np.arange(first, min(first + 23, 300)), rows[first : first + 23])
    assert grown.closeness(np.arange(300)) == pytest.approx(indexed(rows).closeness(np.arange(300)))


def test_two_of_one_text_are_alike() -> None:
    rows = rows_of(4)
    near = indexed(rows).alike(np.array([2, 0, 9]))
    assert near[0, 0] == pytest.approx(1, abs=1e-2)
    assert near[0, 1] == pytest.approx(float(rows[2].astype(np.float32) @ rows[0].astype(np.float32)), abs=1e-3)
    assert np.isnan(near[2]).all()
