from __future__ import annotations

import subprocess
import sys

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from omoide.search.sets import among, union, unique

NUMBERS = st.lists(st.integers(0, 50), max_size=30)


@given(NUMBERS)
def test_unique_is_the_sorted_set(numbers: list[int]) -> None:
    assert unique(np.array(numbers, np.int64)).tolist() == sorted(set(numbers))


@given(NUMBERS, NUMBERS)
def test_union_is_the_sorted_set_of_both(one: list[int], other: list[int]) -> None:
    assert union(np.array(one, np.uint32), np.array(other, np.uint32)).tolist() == sorted({*one, *other})


@given(NUMBERS, st.sets(st.integers(0, 50)))
def test_among_is_membership(numbers: list[int], codes: set[int]) -> None:
    assert among(np.array(numbers, np.int64), codes).tolist() == [number in codes for number in numbers]


def test_a_search_does_not_import_masked_arrays() -> None:
    """Set functions of numpy import them at their first call."""
    program = """
import sys, tempfile
from omoide import Memory
from omoide.testing import FakeEmbedder
with tempfile.TemporaryDirectory() as folder, Memory(folder + "/a.db", embedder=FakeEmbedder()) as mem:
    mem.remember("tea at four")
    assert mem.recall("when is tea?", kinds="fact", trust=["observed"])
    print("numpy.ma" in sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
