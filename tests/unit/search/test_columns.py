from __future__ import annotations

import numpy as np
import pytest

from omoide.search import columns
from omoide.search.columns import FLAGS_END, pack_flags, state_bits, thread_number, thread_of


@pytest.mark.parametrize("name", ["session-2026-06-09", "", "会議", "\ud800", "x" * 100_000])
def test_a_thread_is_numbered_from_1_to_255(name: str) -> None:
    assert 1 <= thread_number(name) <= 255
    assert thread_number(name) == thread_number(name)


def test_the_source_names_the_thread_before_the_session() -> None:
    assert thread_number("a", "b") == thread_number("a")
    assert thread_number(None, "b") == thread_number("b")


@pytest.mark.parametrize("session", [None, 7, ["a"], {"a": 1}])
def test_what_is_no_name_is_no_thread(session: object) -> None:
    assert thread_number(None, session) == 0


def test_flags_hold_every_part_apart() -> None:
    state = state_bits(pinned=True, archived=True, disputed=True, seen=10_000)
    flags = np.array([pack_flags("stated", "event", 10, 255, 0.4) | state], np.uint32)
    assert int(flags[0]) < FLAGS_END
    assert thread_of(flags).tolist() == [255]
    assert columns.seen_of(flags).tolist() == [columns.MOST_SEEN]
    assert columns.DOUBTS[columns.doubts_of(flags)].tolist() == pytest.approx([0.6])
    assert columns.importance_of(flags).tolist() == [10]
    assert columns.trust_of(flags).tolist() == [3]
    assert thread_of(np.array([pack_flags("stated", "event", 10) | state], np.uint32)).tolist() == [0]
