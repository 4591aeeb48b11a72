from __future__ import annotations

from typing import Any

import pytest

from omoide import Memory
from omoide.errors import InvalidInputError
from omoide.testing import count_statements


def test_what_fits_comes_back(mem: Memory) -> None:
    """Within the budget nothing is left out and nothing is said about it."""
    mem.remember("tea at four")
    hits = mem.recall("tea", max_tokens=1000)
    assert len(hits) == 1
    assert not hits.truncated


def test_a_hit_that_does_not_fit_is_passed_over(mem: Memory) -> None:
    """A best hit that is too long does not empty the answer."""
    long = mem.remember("tea tea tea " + "and a very long story " * 400)
    short = mem.remember("tea at four")
    hits = mem.recall("tea", max_tokens=60)
    assert [hit.id for hit in hits] == [short]
    assert long not in [hit.id for hit in hits]
    assert hits.truncated


def test_a_budget_holds_for_all_together(mem: Memory) -> None:
    """The hits that come back fit the budget together."""
    for n in range(40):
        mem.remember(f"tea number {n} is served with cake and {n} biscuits in the garden")
    few, many = (mem.recall("tea garden", k=40, max_tokens=n) for n in (120, 600))
    assert 0 < len(few) < len(many) < 40
    assert few.truncated
    assert sum(len(hit.text) for hit in few) / 4 <= 120


def test_japanese_is_counted_honestly(mem: Memory) -> None:
    """Two hundred Japanese characters are more than sixty tokens."""
    mem.remember("お茶の時間についての長い覚え書き" * 13, subject="茶")
    assert mem.recall("お茶", max_tokens=60) == []
    assert mem.recall("お茶", max_tokens=60).truncated
    assert len(mem.recall("お茶", max_tokens=400)) == 1


@pytest.mark.parametrize("budget", [-1, "60", 1.5])
def test_a_budget_is_a_whole_number(mem: Memory, budget: Any) -> None:
    """A budget that cannot be meant is refused."""
    with pytest.raises(InvalidInputError):
        mem.recall("tea", max_tokens=budget)


def test_a_small_budget_does_not_search_the_whole_namespace(mem: Memory) -> None:
    """What does not fit into the tokens is not looked for in ever larger pools."""
    with mem.bulk():
        for n in range(600):
            mem.remember(f"the tea note number {n} is a rather long one that takes many of the tokens there are")
    with count_statements(mem) as whole:
        mem.recall("tea note", k=20)
    with count_statements(mem) as cut:
        hits = mem.recall("tea note", k=20, max_tokens=60)
    assert hits.truncated
    assert cut.statements <= whole.statements + 6
