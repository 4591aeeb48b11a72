"""A corrected value said again: history when it was seen before the correction, a contradiction when after."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from omoide import Memory, MemoryId
from omoide.testing import FakeClock

OLD, NEW = "works at Acme", "works at Globex"
ABOUT: dict[str, Any] = {"subject": "user", "predicate": "employer"}
SPELLINGS = [
    OLD,
    "WORKS at acme",
    "works at Acme.",
    "ｗｏｒｋｓ　ａｔ　Ａｃｍｅ",
    "wоrks at Аcmе",
    "works\u200b at\tAcme",
]


def current(mem: Memory) -> list[str]:
    """Return what is believed now."""
    return sorted(hit.text for hit in mem.recall(None, k=99))


def by_revise(mem: Memory, memory_id: int) -> int:
    mem.revise(memory_id, NEW)
    return memory_id


def by_update(mem: Memory, memory_id: int) -> int:
    mem.update(memory_id, text=NEW)
    return memory_id


def by_supersede(mem: Memory, memory_id: int) -> int:
    return int(mem.supersede([memory_id], NEW, **ABOUT))


def plainly(mem: Memory, text: str, **given: Any) -> MemoryId:
    return mem.remember(text, **ABOUT, **given)


def in_bulk(mem: Memory, text: str, **given: Any) -> MemoryId:
    with mem.bulk():
        mem.remember("something else")
        return mem.remember(text, **ABOUT, **given)


def by_replacing_another(mem: Memory, text: str, **given: Any) -> MemoryId:
    other = mem.remember("works somewhere", **ABOUT)
    return mem.supersede([other], text, **ABOUT, **given)


CORRECTIONS = [by_revise, by_update, by_supersede]
SAYINGS = [plainly, in_bulk, by_replacing_another]
Correct = Callable[[Memory, int], int]
Say = Callable[..., MemoryId]


@pytest.fixture
def told(mem: Memory, clock: FakeClock) -> int:
    """A memory of a day ago; the clock stands an hour after it."""
    memory_id = mem.remember(OLD, **ABOUT)
    clock.advance(3600)
    return memory_id


@pytest.mark.parametrize("correct", CORRECTIONS)
@pytest.mark.parametrize("say", SAYINGS)
@pytest.mark.parametrize("text", SPELLINGS)
def test_what_was_seen_before_the_correction_is_history(
    mem: Memory, clock: FakeClock, told: int, correct: Correct, say: Say, text: str
) -> None:
    """The corrected memory's id, a notice that names the correction, a line of evidence, and no version."""
    correction = correct(mem, told)
    versions = len(mem.why(told).versions)
    clock.advance(3600)
    got = say(mem, text, observed_at="2026-06-01T12:30:00Z", source="an old session")
    assert got == told
    assert [(notice.code, notice.ids) for notice in got.notices] == [("corrected_before", (correction,))]
    assert len(mem.why(told).versions) == versions
    assert "an old session" in {evidence.source for evidence in mem.why(told).evidence}
    assert NEW in current(mem)
    assert text not in current(mem)


@pytest.mark.parametrize("correct", CORRECTIONS)
@pytest.mark.parametrize("say", SAYINGS)
@pytest.mark.parametrize("observed_at", [None, "2026-06-01T13:30:00Z"])
def test_what_was_seen_after_it_is_a_contradiction(
    mem: Memory, clock: FakeClock, told: int, correct: Correct, say: Say, observed_at: str | None
) -> None:
    """A new memory beside the correction, which stays as it is, and a conflict between the two."""
    correction = correct(mem, told)
    clock.advance(3600)
    got = say(mem, OLD, observed_at=observed_at)
    assert got not in (told, correction)
    assert "corrected" in {notice.code for notice in got.notices}
    assert {OLD, NEW} <= set(current(mem))
    assert (correction, int(got)) in {conflict.ids for conflict in mem.conflicts()}


def test_a_correction_that_was_seen_earlier_counts_from_then(mem: Memory, told: int) -> None:
    """What counts is when the correction was observed, not when it was written."""
    mem.revise(told, NEW, observed_at="2026-06-01T12:10:00Z")
    assert mem.remember(OLD, **ABOUT, observed_at="2026-06-01T12:05:00Z") == told
    assert mem.remember(OLD, **ABOUT, observed_at="2026-06-01T12:20:00Z") != told


def test_another_value_is_simply_new(mem: Memory, told: int) -> None:
    """The control: a value that was never corrected is stored, however old its observation."""
    mem.revise(told, NEW)
    got = mem.remember("works at Initech", **ABOUT, observed_at="2026-06-01T12:30:00Z")
    assert got != told
    assert "works at Initech" in current(mem)


def test_the_same_text_of_somebody_else_is_simply_new(mem: Memory, told: int) -> None:
    """A correction is about its subject; another subject's value is stored."""
    mem.revise(told, NEW)
    got = mem.remember(OLD, subject="Alice", predicate="employer", observed_at="2026-06-01T12:30:00Z")
    assert got != told
    assert "corrected" not in {notice.code for notice in got.notices}


def test_a_value_that_holds_elsewhere_in_time_is_a_repeat(mem: Memory, told: int) -> None:
    """Said of a time at which the old value still holds, it is a repeat and no version."""
    mem.revise(told, NEW, valid_from="2026-06-01T12:30:00Z")
    got = mem.remember(OLD, **ABOUT, valid_from="2026-06-01T12:00:00Z", valid_to="2026-06-01T12:20:00Z")
    assert got == told
    assert got.notices == ()


def test_corrected_back_on_purpose_it_is_believed_again(mem: Memory, clock: FakeClock, told: int) -> None:
    """A revise to the old value by its id is no walking back: the value is current and a repeat of it too."""
    mem.revise(told, NEW)
    clock.advance(60)
    mem.revise(told, OLD)
    assert current(mem) == [OLD]
    got = mem.remember(OLD, **ABOUT, observed_at="2026-06-01T14:00:00Z")
    assert (got, got.notices) == (told, ())


def test_replacing_the_correction_itself_needs_no_conflict(mem: Memory, clock: FakeClock, told: int) -> None:
    """A supersede that names the corrected memory goes back on purpose."""
    mem.revise(told, NEW)
    clock.advance(60)
    got = mem.supersede([told], OLD, **ABOUT)
    assert current(mem) == [OLD]
    assert got.notices == ()
    assert mem.conflicts() == []


def test_another_spelling_is_no_correction(mem: Memory, clock: FakeClock, told: int) -> None:
    """A memory revised to a better spelling of the same value was not corrected: the old spelling is no conflict."""
    mem.revise(told, "Works at Acme.")
    clock.advance(60)
    got = mem.remember(OLD, **ABOUT)
    assert "corrected" not in {notice.code for notice in got.notices}
    assert mem.conflicts() == []


def test_every_repeat_of_an_extractor_is_history(mem: Memory, clock: FakeClock, told: int) -> None:
    """An old session read again and again never fades the correction."""
    mem.revise(told, NEW)
    for hour in range(20):
        clock.advance(3600)
        with mem.bulk():
            mem.remember(OLD, **ABOUT, observed_at="2026-06-01T12:30:00Z", source=f"run {hour}")
    assert current(mem) == [NEW]
    assert mem.conflicts() == []
    assert sum(evidence.cause == "corrected" for evidence in mem.why(told).evidence) == 20
