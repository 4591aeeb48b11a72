from __future__ import annotations

from collections.abc import Callable

import pytest

from omoide import Memory
from omoide.testing import FakeClock

TEXT = "tea is at four"


def first(mem: Memory) -> str | None:
    return mem.recall("when is tea")[0].subject


def test_the_surer_comes_first(mem: Memory) -> None:
    """Of two equal matches the one with more confidence comes first, whichever was written last."""
    mem.remember(TEXT, subject="sure", confidence=0.95)
    mem.remember(TEXT, subject="unsure", confidence=0.6)
    assert first(mem) == "sure"


def test_confidence_does_not_lift_a_poor_match(mem: Memory) -> None:
    """An unsure answer to the question stays above a sure one to another."""
    mem.remember("the cat is called Mochi", subject="cat", confidence=0.5)
    mem.remember("the dog is called Pochi", subject="dog")
    assert mem.recall("what is the cat called")[0].subject == "cat"


def test_what_a_person_said_comes_first(mem: Memory, person: Memory) -> None:
    """Of two equal matches the more trusted comes first."""
    person.remember(TEXT, subject="person")
    mem.remember(TEXT, subject="agent")
    mem.remember(TEXT, subject="pass", trust="derived")
    assert [hit.subject for hit in mem.recall("when is tea")] == ["person", "agent", "pass"]


@pytest.mark.parametrize("kinds", [("procedure", "fact"), ("fact", "event")])
def test_each_kind_ages_at_its_pace(mem: Memory, clock: FakeClock, kinds: tuple[str, str]) -> None:
    """Of two equal matches of one age the kind that keeps longer comes first."""
    for kind in kinds:
        mem.remember(TEXT, subject=kind, kind=kind)
    clock.advance(90 * 86_400)
    assert first(mem) == kinds[0]


def test_age_is_that_of_the_asked_time(mem: Memory, clock: FakeClock) -> None:
    """Asked as of the day it was written, a memory is as fresh as it was then."""
    mem.remember(TEXT, subject="tea")
    then = clock.now().isoformat()
    fresh = mem.recall("when is tea")[0].explain()["freshness"]
    clock.advance(365 * 86_400)
    assert mem.recall("when is tea")[0].explain()["freshness"] < fresh
    assert mem.recall("when is tea", as_of=then)[0].explain()["freshness"] == pytest.approx(fresh)


@pytest.mark.parametrize("change", ["pin", "dispute", "repeat"])
def test_the_state_of_today_does_not_rank_the_past(mem: Memory, clock: FakeClock, change: str) -> None:
    """What moves the order now (pin, dispute, repeats) leaves the order of a past answer as it was."""
    one = mem.remember(TEXT, subject="one", pinned=change == "pin")
    two = mem.remember(TEXT, subject="two")
    then = clock.now().isoformat()
    if change == "dispute":
        mem.dispute(two, reason="doubtful")
    if change == "repeat":
        for _ in range(8):
            mem.remember(TEXT, subject="one")
    clock.advance(60)
    assert mem.recall("when is tea")[0].id == one
    assert [hit.id for hit in mem.recall("when is tea", as_of=then)] == [two, one]


def test_metadata_tell_facts_apart(mem: Memory) -> None:
    """Two memories with the same words and other metadata both answer."""
    for room in ("a", "b"):
        mem.remember(TEXT, metadata={"room": room})
    assert {hit.metadata["room"] for hit in mem.recall("when is tea")} == {"a", "b"}


@pytest.mark.parametrize("confidence", [0.0, 0.5, 1.0])
def test_confidence_is_explained(mem: Memory, confidence: float) -> None:
    """``explain`` shows what doubt costs; a rebuilt index shows the same."""
    mem.remember(TEXT, confidence=confidence)
    before = mem.recall("when is tea")[0].explain()["confidence"]
    mem.rebuild()
    assert mem.recall("when is tea")[0].explain()["confidence"] == before
    assert (before < 0) == (confidence < 1)


def test_the_order_does_not_depend_on_the_handle(opened: Callable[..., Memory]) -> None:
    """A handle opened anew ranks as the one that wrote."""
    mem = opened(embedder="none")
    for number in range(9):
        mem.remember(f"{TEXT} on day {number}", confidence=number / 10)
    told = [hit.id for hit in mem.recall("when is tea", k=9)]
    mem.close()
    assert [hit.id for hit in opened(embedder="none").recall("when is tea", k=9)] == told
