from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from omoide import Memory
from omoide.errors import InvalidInputError
from omoide.testing import FakeClock

NOON = datetime(2026, 6, 1, 12, tzinfo=UTC)
TICK = timedelta(microseconds=1)


@pytest.fixture
def moved(mem: Memory, clock: FakeClock) -> int:
    """Learned on 9 June: Osaka since January. Learned on 16 June: Tokyo since May."""
    clock.set("2026-06-09")
    memory_id = mem.remember("lives in Osaka", subject="user", valid_from="2026-01-10")
    clock.set("2026-06-16")
    mem.revise(memory_id, "lives in Tokyo", valid_from="2026-05-01")
    clock.set("2026-06-20")
    return memory_id


@pytest.mark.parametrize(
    "known, valid, answer",
    [
        ("2026-06-08", "2026-06-08", []),
        ("2026-06-08", "2026-03-01", []),
        ("2026-06-09", "2026-01-09", []),
        ("2026-06-09", "2026-03-01", ["lives in Osaka"]),
        ("2026-06-10", "2026-05-15", ["lives in Osaka"]),
        ("2026-06-15T23:59:59.999999Z", "2026-05-15", ["lives in Osaka"]),
        ("2026-06-16", "2026-05-15", ["lives in Tokyo"]),
        ("2026-06-16", "2026-04-30T23:59:59.999999Z", ["lives in Osaka"]),
        ("2026-06-20", "2026-05-01", ["lives in Tokyo"]),
        ("2099-01-01", "2030-01-01", ["lives in Tokyo"]),
    ],
)
def test_what_was_believed_on_k_about_v(mem: Memory, moved: int, known: str, valid: str, answer: list[str]) -> None:
    """``valid_at`` and ``known_at`` are independent, and each interval holds its start and not its end."""
    assert [hit.text for hit in mem.recall(None, valid_at=valid, known_at=known)] == answer
    assert [hit.text for hit in mem.recall("lives in", valid_at=valid, known_at=known)] == answer


def test_as_of_is_both(mem: Memory, moved: int) -> None:
    """``as_of`` is the belief of that time about that time."""
    assert [hit.text for hit in mem.recall(None, as_of="2026-06-10")] == ["lives in Osaka"]
    assert [hit.text for hit in mem.recall(None, as_of="2026-06-16")] == ["lives in Tokyo"]
    assert mem.recall(None, as_of="2026-06-01") == []


def test_each_axis_defaults_to_now(mem: Memory, moved: int) -> None:
    """One axis given, the other is now."""
    assert [hit.text for hit in mem.recall(None, valid_at="2026-03-01")] == ["lives in Osaka"]
    assert [hit.text for hit in mem.recall(None, known_at="2026-06-10")] == ["lives in Osaka"]


@pytest.mark.parametrize("other", ["valid_at", "known_at"])
def test_as_of_excludes_the_other_two(mem: Memory, other: str) -> None:
    """``as_of`` with another time argument is a contradiction."""
    times: dict[str, Any] = {"as_of": NOON, other: NOON}
    with pytest.raises(InvalidInputError):
        mem.recall("x", **times)


def test_as_of_the_future_is_what_we_now_expect(mem: Memory, clock: FakeClock) -> None:
    """A future ``as_of`` asks what is believed now about then."""
    memory_id = mem.remember("A")
    mem.revise(memory_id, "B", valid_from="2026-07-01")
    assert [hit.text for hit in mem.recall(None, as_of="2026-08-01")] == ["B"]


def test_get_as_of(mem: Memory, moved: int) -> None:
    """``get`` takes ``as_of`` and gives what was believed then."""
    past = mem.get(moved, as_of="2026-06-10")
    assert past is not None
    assert (past.text, past.id) == ("lives in Osaka", moved)
    assert mem.get(moved, as_of="2026-06-08") is None
    now = mem.get(moved)
    assert now is not None
    assert now.text == "lives in Tokyo"


def test_get_as_of_a_forgotten_memory(mem: Memory, clock: FakeClock) -> None:
    """A memory forgotten since is got as of before."""
    memory_id = mem.remember("A")
    clock.advance(60)
    mem.forget(memory_id)
    past = mem.get(memory_id, as_of=NOON)
    assert past is not None
    assert past.text == "A"
    assert mem.get(memory_id) is None


def test_ranking_does_not_know_the_future(mem: Memory, clock: FakeClock) -> None:
    """Pins, repeats, disputes and archiving done later change neither order nor set of a past answer."""
    ids = [mem.remember(f"tea note {n}", subject=f"s{n}") for n in range(12)]
    clock.advance(3600)
    then = clock.now()
    clock.advance(1)

    def asked() -> list[tuple[int, str]]:
        return [(hit.id, hit.status) for hit in mem.recall("tea note", k=8, as_of=then)]

    before = asked()
    clock.advance(40 * 86_400)
    mem.dispute(ids[0], reason="?")
    mem.remember("tea note 3", subject="s3")
    mem.remember("a pinned tea note of later", pinned=True)
    for _ in range(5):
        mem.recall("tea note 7")
    assert mem.forget_older_than(86_400) > 0
    assert asked() == before


def test_archiving_is_ignored_in_the_past_only(mem: Memory, clock: FakeClock) -> None:
    """Under a time argument the archived flag does not hide, even as of now."""
    mem.remember("A")
    clock.advance(100)
    mem.forget_older_than(1)
    assert mem.recall(None) == []
    assert [hit.text for hit in mem.recall(None, as_of=clock.now())] == ["A"]
    assert [hit.text for hit in mem.recall(None, valid_at=clock.now())] == ["A"]


def test_filters_hold_in_the_past(mem: Memory, clock: FakeClock) -> None:
    """Subject, kind and where restrict by what was believed then."""
    memory_id = mem.remember("A", subject="user", kind="decision", metadata={"v": 1})
    clock.advance(60)
    mem.update(memory_id, metadata={"v": 2})
    for restriction in ({"subject": "user"}, {"kinds": ["decision"]}, {"where": {"v": 1}}):
        assert [hit.id for hit in mem.recall(None, as_of=NOON, **restriction)] == [memory_id]
    assert mem.recall(None, as_of=NOON, where={"v": 2}) == []


def test_history_is_found_by_words_of_its_time(mem: Memory, clock: FakeClock) -> None:
    """A question about the past finds retired texts by their own words, k of them."""
    ids = [mem.remember(f"quota of team {n} is small") for n in range(6)]
    clock.advance(60)
    for memory_id in ids:
        mem.revise(memory_id, "nothing of the kind")
    assert len(mem.recall("quota team", k=5, as_of=NOON)) == 5
    assert mem.recall("quota") == []


def test_many_writes_in_one_instant_are_all_known(mem: Memory, clock: FakeClock) -> None:
    """Known time does not run ahead of the clock, however many writes one instant sees."""
    with mem.bulk():
        for n in range(500):
            mem.remember(f"note {n}")
    assert len(mem.recall(None, k=1000, as_of=clock.now())) == 500
    assert mem.stats()["default"]["count"] == 500


def test_a_microsecond_is_enough(mem: Memory, clock: FakeClock) -> None:
    """Known time is told apart to the microsecond."""
    memory_id = mem.remember("A")
    clock.set(NOON + TICK)
    mem.revise(memory_id, "B", valid_from=NOON)
    assert [hit.text for hit in mem.recall(None, as_of=NOON)] == ["A"]
    assert [hit.text for hit in mem.recall(None, as_of=NOON + TICK)] == ["B"]
