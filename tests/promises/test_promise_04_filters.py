"""A filter is never applied after the cut: k results come back whenever k exist."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from omoide import Memory, Policy
from omoide.testing import FakeClock, FakeEmbedder

Opener = Callable[..., Memory]
FILTERS: dict[str, dict[str, Any]] = {
    "subject": {"subject": "rare"},
    "kinds": {"kinds": ["decision"]},
    "where": {"where": {"rare": True}},
    "trust": {"trust": ["stated"]},
    "project": {"project": "rare"},
    "valid_at": {"valid_at": "2020-06-01"},
    "since": {"since": "2020-05-01", "until": "2020-07-01"},
    "namespaces": {"namespaces": "rare"},
}


@pytest.fixture(scope="module", params=["none", "fake"])
def mem(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    """Six hundred close matches, and seven loose ones that each filter singles out; only read."""
    path = tmp_path_factory.mktemp("filters") / "agents.db"
    embedder: Any = "none" if request.param == "none" else FakeEmbedder(16)
    with ExitStack() as handles:

        def opened(namespace: str, **options: Any) -> Memory:
            return handles.enter_context(Memory(path, namespace, embedder=embedder, **options))

        crowd, rare = opened("default"), opened("rare")
        with crowd.bulk():
            for n in range(600):
                crowd.remember(f"tea {n}", project="crowd", valid_from="2024-01-01")
        person = opened("default", door_trust="stated")
        marks: dict[str, Any] = {"subject": "rare", "kind": "decision", "project": "rare", "metadata": {"rare": True}}
        for n in range(7):
            text = f"a much longer remark, number {n}, of many words, one of which is tea"
            person.remember(text, valid_from="2020-01-01", **marks)
            rare.remember(text)
        yield opened("default", policy=Policy().allow("default", read="rare"))


@pytest.mark.parametrize("name", list(FILTERS))
@pytest.mark.parametrize("legs", [{}, {"use_vectors": False}])
def test_each_filter_restricts_the_candidates(mem: Memory, name: str, legs: dict[str, Any]) -> None:
    """Seven of six hundred and seven match the filter; five, then all seven, come back."""
    assert len(mem.recall("tea", k=5, **FILTERS[name], **legs)) == 5
    assert len(mem.recall("tea", k=50, **FILTERS[name], **legs)) == 7


def test_known_time_restricts_the_candidates(opened: Opener, clock: FakeClock) -> None:
    """What was known first is found among hundreds of better matches learned since."""
    mem = opened()
    first = [mem.remember(f"a long remark number {n} that mentions tea in passing") for n in range(3)]
    then = clock.now()
    clock.advance(60)
    with mem.bulk():
        for n in range(400):
            mem.remember(f"tea {n}")
    assert {hit.id for hit in mem.recall("tea", k=5, as_of=then)} == set(first)


def test_current_belief_restricts_the_candidates(opened: Opener) -> None:
    """Four hundred forgotten and revised matches do not hide the five that are believed."""
    mem = opened()
    with mem.bulk():
        gone = [mem.remember(f"tea {n}") for n in range(400)]
        kept = {mem.remember(f"a long remark number {n} that mentions tea in passing") for n in range(5)}
        for number, memory_id in enumerate(gone):
            if number % 2:
                mem.forget(memory_id)
            else:
                mem.revise(memory_id, f"something else {number}")
    assert {hit.id for hit in mem.recall("tea", k=5)} == kept
