"""Where bitemporal memories of others go wrong and no other file of tests looks: the right behaviour of each."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from omoide import Memory
from omoide.errors import InvalidInputError
from omoide.testing import FakeClock, FakeEmbedder

Opener = Callable[..., Memory]


def test_a_store_in_memory_opens_without_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    """W5: where there can be no write-ahead log, nothing is tried again and again, and everything works."""

    def slept(_: float) -> None:
        raise AssertionError("opening waited")

    monkeypatch.setattr(time, "sleep", slept)
    with Memory(":memory:", embedder="none") as mem:
        memory_id = mem.remember("東京に住む")
        mem.revise(memory_id, "大阪に住む")
        assert [hit.text for hit in mem.recall("住む")] == ["大阪に住む"]


def test_no_write_is_dated_ahead_of_the_clock(opened: Opener, clock: FakeClock) -> None:
    """W8: many writes in one instant are known from that instant, and every view and process counts them at once."""
    mem = opened()
    ids = [mem.remember(f"note {n}") for n in range(60)]
    mem.revise(ids[0], "note 0, revised")
    assert {record.known_from for record in mem.list()} == {clock.now()}
    other = opened()
    assert other.stats()["default"]["count"] == len(other.recall(None, k=99)) == len(other.list()) == 60
    assert len(other.list(as_of=clock.now())) == 60


def test_a_process_with_a_slow_clock_does_not_write_into_the_past(opened: Opener, clock: FakeClock) -> None:
    """W9: the known time is taken in the lock, above what is known; answers about the past do not change by it."""
    fast, slow = opened(), opened(clock=FakeClock("2026-05-01T00:00:00Z"))
    fast.remember("said first")
    before = [record.text for record in fast.list(as_of=clock.now())]
    later = slow.get(slow.remember("said second"))
    assert later is not None
    assert later.known_from is not None
    assert later.known_from >= clock.now()
    clock.advance(1)
    assert [record.text for record in fast.list(as_of="2026-05-15")] == []
    assert before == ["said first"]


def test_hundreds_of_retracted_vectors_do_not_hide_the_live_one(opened: Opener) -> None:
    """W12: only what is believed is a candidate of the vector leg, however near the rest."""
    mem = opened(embedder=FakeEmbedder(16))
    with mem.bulk():
        gone = [mem.remember("deploys on Friday evening", metadata={"n": n}) for n in range(300)]
    live = mem.remember("something else altogether")
    for memory_id in gone:
        mem.forget(memory_id)
    assert [hit.id for hit in mem.recall("deploys on Friday evening", k=3, use_bm25=False)] == [live]


@pytest.mark.parametrize(
    "text",
    [
        "2026-02-30", "2026-06-31", "2026-99-99T99:99:99.999Z", "2026-13-01", "2026-01-01T24:01:00Z",
        "2026-01-01T00:00:00+99:99",
    ],
)  # fmt: skip
def test_a_day_that_the_calendar_does_not_have_is_refused(mem: Memory, text: str) -> None:
    """W15: nothing is rolled over to another day or stored as it is, at no argument."""
    memory_id = mem.remember("A")
    for call in (
        lambda: mem.remember("B", valid_from=text),
        lambda: mem.revise(memory_id, "B", valid_from=text),
        lambda: mem.recall("A", as_of=text),
        lambda: mem.diff(text),
    ):
        with pytest.raises(InvalidInputError):
            call()
    assert [record.text for record in mem.list()] == ["A"]


@pytest.mark.parametrize(
    "text, at",
    [
        ("2026-05-01t09:30:00z", datetime(2026, 5, 1, 9, 30, tzinfo=UTC)),
        ("2026-05-01 09:30", datetime(2026, 5, 1, 9, 30, tzinfo=UTC)),
        ("2026-05-01T09:30:00+09:00", datetime(2026, 5, 1, 0, 30, tzinfo=UTC)),
        ("9999-12-31T23:59:59-12:00", datetime.max.replace(tzinfo=UTC)),
    ],
)
def test_every_form_of_a_time_is_the_instant_it_says(mem: Memory, text: str, at: datetime) -> None:
    """W15: lower case, a blank, offsets; one beyond the last year is refused or clamped, never out of order."""
    try:
        record = mem.get(mem.remember("A", valid_from=text))
    except InvalidInputError:
        assert at == datetime.max.replace(tzinfo=UTC)
        return
    assert record is not None
    assert record.valid_from == at


def test_a_memory_filed_under_the_wrong_subject_can_be_put_right(mem: Memory, clock: FakeClock) -> None:
    """W18: its successor has the right subject, the old one is no answer any more, and both remember each other."""
    wrong = mem.remember("has a dog", subject="ann")
    clock.advance(60)
    right = mem.supersede([wrong], "has a dog", subject="bob")
    assert [hit.id for hit in mem.recall(None, subject="bob")] == [right]
    assert mem.recall(None, subject="ann") == []
    assert mem.why(right).supersedes == (wrong,)
    assert [hit.id for hit in mem.recall(None, subject="ann", as_of="2026-06-01T12:00:30Z")] == [wrong]


def test_being_shown_keeps_nothing_at_the_top(mem: Memory, clock: FakeClock) -> None:
    """W19: what is recalled day after day does not shut out what is newer and as good."""
    old = [mem.remember(f"rule {n} of the house") for n in range(8)]
    clock.advance(365 * 86_400)
    new = mem.remember("rule 9 of the house")
    for _ in range(30):
        mem.recall(None, k=8)
        clock.advance(3600)
    assert new in {hit.id for hit in mem.recall(None, k=8)}
    assert len(old) == 8


@pytest.mark.parametrize(
    "one, other, noticed",
    [
        ("会議は毎週火曜日の午後三時から始まります", "会議は毎週火曜日の午後三時から始まります。", True),
        ("La réunion a lieu chaque mardi à quinze heures", "La réunion a lieu chaque mardi à quinze heures !", True),
        ("the parser speaks version 1 of the protocol", "the parser speaks version 2 of the protocol", False),
    ],
)
def test_near_duplicates_are_seen_in_every_language(mem: Memory, one: str, other: str, noticed: bool) -> None:
    """W20: Japanese and French are compared as English is, and a digit makes another statement."""
    mem.remember(one)
    found = mem.remember(other)
    assert any(notice.code == "near_duplicate" for notice in getattr(found, "notices", ())) is noticed


@pytest.mark.parametrize("half_life", [0, -1, 1e-300, float("nan"), float("inf")])
def test_no_half_life_makes_a_score_that_is_no_number(mem: Memory, clock: FakeClock, half_life: float) -> None:
    """W23: an option is refused or gives finite scores in one order."""
    ids = [mem.remember("A old"), mem.remember("A older still")]
    clock.advance(86_400)
    try:
        hits = mem.recall("A", recency_weight=0.5, recency_half_life_seconds=half_life)
    except InvalidInputError:
        return
    assert {hit.id for hit in hits} == set(ids)
    assert all(math.isfinite(hit.score) for hit in hits)


def test_a_file_that_may_only_be_read_is_recalled(opened: Opener, tmp_path: Path) -> None:
    """W7: recall writes nothing that its answer needs."""
    path = tmp_path / "ro.db"
    with opened(path=path) as mem:
        mem.remember("the gate opens at nine")
    before = path.read_bytes()
    with opened(path=path, read_only=True) as reader:
        for _ in range(3):
            assert [hit.text for hit in reader.recall("gate")] == ["the gate opens at nine"]
    assert path.read_bytes() == before
