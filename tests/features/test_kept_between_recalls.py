"""What a handle keeps in memory between recalls never shows in an answer."""

from __future__ import annotations

import pickle
from pathlib import Path

from omoide import Memory
from omoide.testing import FakeClock

MANY = 1100
"""Memories with one word, so that its posting list has several blocks."""


def _many(mem: Memory) -> list[int]:
    with mem.bulk():
        return [int(mem.remember(f"harbour note {number}")) for number in range(MANY)]


def test_a_purged_memory_leaves_a_long_list_that_was_searched(path: Path) -> None:
    """Purged through the same handle or another one, it is gone at the next recall."""
    with Memory(path, embedder="none") as mem, Memory(path, embedder="none") as other:
        ids = _many(mem)
        before = {hit.id for hit in other.recall("harbour", k=MANY)}
        assert before == {hit.id for hit in mem.recall("harbour", k=MANY)} == set(ids)
        mem.purge(ids[3])
        assert {hit.id for hit in mem.recall("harbour", k=MANY)} == before - {ids[3]}
        assert {hit.id for hit in other.recall("harbour", k=MANY)} == before - {ids[3]}


def test_a_memory_written_after_a_search_is_in_a_long_list(path: Path) -> None:
    """The last block of a list is read at every search after a write."""
    with Memory(path, embedder="none") as mem, Memory(path, embedder="none") as other:
        _many(mem)
        other.recall("harbour", k=3)
        late = int(mem.remember("harbour lighthouse keeper"))
        assert [hit.id for hit in other.recall("harbour keeper", k=1)] == [late]
        mem.forget(late)
        assert late not in {hit.id for hit in other.recall("harbour keeper", k=5)}


def test_an_alias_given_after_a_recall_is_known_at_the_next(path: Path) -> None:
    """What was noted about a store holds until something is written, by whomever."""
    with Memory(path, embedder="none") as mem, Memory(path, embedder="none") as other:
        told = int(mem.remember("plays the cello", subject="Robert"))
        assert other.recall("what does Bobby play", k=1, subject="Bobby") == []
        mem.alias_subject("Bobby", of="Robert")
        assert [hit.id for hit in other.recall("cello", k=1, subject="Bobby")] == [told]


def test_explanations_are_values(path: Path) -> None:
    """They survive pickling and do not change by later recalls."""
    with Memory(path, embedder="none", clock=FakeClock(start="2026-01-01T00:00:00Z")) as mem:
        mem.remember("the harbour master is away")
        [hit] = mem.recall("harbour", k=1)
        parts = hit.explain()
        mem.recall("master", k=1)
        assert hit.explain() == parts == pickle.loads(pickle.dumps(hit)).explain()  # noqa: S301  (our own bytes)
        assert {"total", "lexical", "freshness"} <= set(parts)
