"""Vectors as one byte a number: exact to read, the same when written again, told when damaged."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from omoide.store.sqlite.indexing import vector_codes

DIMENSIONS = (64, 65, 384, 1024)


def drawn(seed: int, dimension: int, count: int = 20) -> Any:
    """Return unit vectors of very unlike numbers, one of zeros, one of a single number."""
    random = np.random.default_rng(seed)
    rows = random.standard_normal((count, dimension)) * 10 ** random.uniform(-2, 2, (1, dimension))
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    rows[0], rows[1] = 0, np.eye(dimension)[seed % dimension]
    return rows.astype(np.float32)


def stored(vectors: Any) -> Any:
    made = np.zeros(len(vectors), vector_codes.layout(vectors.shape[1]).dtype)
    vector_codes.fill(made, vectors)
    return made


@given(seed=st.integers(0, 10_000), dimension=st.sampled_from(DIMENSIONS))
def test_what_is_read_is_code_times_scale_exactly(seed: int, dimension: int) -> None:
    """No reader rounds: the float16 numbers are the products."""
    made = stored(drawn(seed, dimension))
    products = made["codes"].astype(np.float64) * made["scale"].astype(np.float64)[:, np.newaxis]
    assert (vector_codes.vectors_of(made).astype(np.float64) == products).all()


@given(seed=st.integers(0, 10_000), dimension=st.sampled_from(DIMENSIONS))
def test_what_was_read_is_written_as_it_was(seed: int, dimension: int) -> None:
    """A vector copied from one entry to another, any number of times, stays the same to the bit."""
    made = stored(drawn(seed, dimension))
    assert stored(vector_codes.vectors_of(made)).tobytes() == made.tobytes()


@given(seed=st.integers(0, 10_000), dimension=st.sampled_from(DIMENSIONS))
def test_a_number_is_off_by_half_a_step_at_most_the_largest_by_one(seed: int, dimension: int) -> None:
    """The step is the largest number of its vector by 127, and at most an eighth more."""
    vectors = drawn(seed, dimension)
    steps = np.abs(vectors).max(axis=1, keepdims=True) / 127 * 1.126
    off = np.abs(vector_codes.vectors_of(stored(vectors)).astype(np.float32) - vectors)
    largest = np.abs(vectors) == np.abs(vectors).max(axis=1, keepdims=True)
    assert (off <= np.where(largest, 1.01, 0.51) * steps).all()


def test_a_vector_takes_a_byte_a_number() -> None:
    """384 numbers take 390 bytes with their ordinal and scale."""
    assert vector_codes.layout(384).size == 390


def test_few_numbers_are_kept_as_they_are() -> None:
    """Below 64 numbers a record holds float16."""
    vectors = drawn(3, 63).astype(np.float16)
    assert vector_codes.vectors_of(stored(vectors)).tobytes() == vectors.tobytes()


@pytest.mark.parametrize("scale", [np.nan, np.inf, -np.inf, -0.5])
def test_a_scale_that_is_never_written_is_told(scale: float) -> None:
    """So is one bad record among good ones."""
    made = stored(drawn(1, 384))
    assert vector_codes.sound(made)
    made["scale"][7] = scale
    assert not vector_codes.sound(made)


def test_a_record_is_blank_when_no_bit_of_a_vector_is_left() -> None:
    """Codes without a scale still hold numbers, and so does a scale alone."""
    made = stored(drawn(2, 384, 4))
    made["scale"][2] = 0
    made["codes"][3] = 0
    assert vector_codes.blank(made).tolist() == [True, False, False, False]
