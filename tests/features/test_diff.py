from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import FrozenInstanceError, asdict, fields, replace
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

import pytest

from omoide import Memory
from omoide.errors import InvalidInputError
from omoide.testing import FakeClock
from omoide.types import Diff, Version

NOON = datetime(2026, 6, 1, 12, tzinfo=UTC)


def summary(diff: Diff) -> tuple[list[str], list[tuple[str | None, str]], list[int]]:
    """Return learned texts, pairs of texts, retracted ids."""
    return (
        [v.text for v in diff.learned],
        [(p.old.text if p.old else None, p.new.text) for p in diff.revised],
        [v.memory_id for v in diff.retracted],
    )


def test_learned_revised_retracted(mem: Memory, clock: FakeClock) -> None:
    """A window shows what was learned, revised and retracted in it."""
    a, b = mem.remember("A"), mem.remember("B")
    clock.advance(60)
    since = clock.now()
    mem.remember("C")
    mem.revise(a, "A2")
    mem.forget(b)
    assert summary(mem.diff(since)) == (["C"], [("A", "A2")], [b])


def test_a_backdated_correction_shows(mem: Memory, clock: FakeClock) -> None:
    """A revision counts when it became known, whatever its valid time."""
    clock.set("2026-06-09")
    memory_id = mem.remember("A")
    clock.set("2026-06-16")
    mem.revise(memory_id, "B", valid_from="2026-06-01")
    assert summary(mem.diff("2026-06-15")) == ([], [("A", "B")], [])
    assert summary(mem.diff("2026-06-01", "2026-06-10"))[1] == []


def test_the_window_is_half_open(mem: Memory, clock: FakeClock) -> None:
    """An event at ``since`` is inside, one at ``until`` is not."""
    mem.remember("A")
    clock.advance(60)
    mem.remember("B")
    clock.advance(60)
    later = NOON + timedelta(seconds=60)
    assert summary(mem.diff(NOON, later))[0] == ["A"]
    assert summary(mem.diff(later))[0] == ["B"]


def test_without_an_end_now_is_included(mem: Memory, clock: FakeClock) -> None:
    """Without ``until`` an event at this very instant is inside."""
    mem.remember("A")
    assert summary(mem.diff(clock.now()))[0] == ["A"]


def test_learned_and_forgotten_again_is_only_retracted(mem: Memory) -> None:
    """What came and went inside the window was not learned."""
    memory_id = mem.remember("A")
    mem.forget(memory_id)
    assert summary(mem.diff(NOON)) == ([], [], [memory_id])


def test_a_restored_memory_is_learned(mem: Memory, clock: FakeClock) -> None:
    """What was forgotten before the window and restored in it is learned."""
    memory_id = mem.remember("A")
    mem.forget(memory_id)
    clock.advance(60)
    mem.restore(memory_id)
    assert summary(mem.diff(clock.now())) == (["A"], [], [])


def test_a_restored_memory_is_learned_as_what_it_says_now(mem: Memory, clock: FakeClock) -> None:
    """Of the pieces that came back the one that was valid then is shown, as it is for a retracted memory."""
    memory_id = mem.remember("lives in Osaka", valid_from="2025-01-01")
    mem.revise(memory_id, "lives in Tokyo", valid_from="2025-06-01")
    mem.forget(memory_id)
    clock.advance(60)
    since = clock.now()
    mem.restore(memory_id)
    assert summary(mem.diff(since)) == (["lives in Tokyo"], [], [])


def test_an_undo_is_told_against_what_it_took_away(mem: Memory, clock: FakeClock) -> None:
    """The pair of a memory that an undo put back has the text of the batch as its old one."""
    memory_id = mem.remember("lives in Osaka")
    clock.advance(60)
    with mem.batch() as batch:
        mem.revise(memory_id, "lives in Tokyo")
        added = mem.remember("likes tea")
    clock.advance(60)
    since = clock.now()
    mem.undo(batch)
    assert summary(mem.diff(since)) == ([], [("lives in Tokyo", "lives in Osaka")], [added])


def test_a_memory_is_learned_once(mem: Memory) -> None:
    """Learned and revised in one window is one learned memory and one pair."""
    memory_id = mem.remember("A", valid_from="2026-01-01")
    mem.revise(memory_id, "B")
    diff = mem.diff(NOON)
    assert [v.memory_id for v in diff.learned] == [memory_id]
    assert summary(diff)[1:] == ([("A", "B")], [])


def test_each_revision_is_a_pair(mem: Memory, clock: FakeClock) -> None:
    """Three revisions of one memory are three pairs in order, at one instant too."""
    memory_id = mem.remember("A")
    clock.advance(60)
    for text in ("B", "C", "D"):
        mem.revise(memory_id, text)
    assert summary(mem.diff(clock.now()))[1] == [("A", "B"), ("B", "C"), ("C", "D")]


def test_a_repeat_is_no_change(mem: Memory, clock: FakeClock) -> None:
    """The same said again is neither learned nor revised."""
    mem.remember("A", source="s-1")
    clock.advance(60)
    mem.remember("A", source="s-2")
    assert summary(mem.diff(clock.now())) == ([], [], [])


def test_losing_one_of_two_sources_is_no_change(mem: Memory, clock: FakeClock) -> None:
    """A memory that only loses a source is not retracted."""
    mem.remember("A", source="s-1")
    mem.remember("A", source="s-2")
    clock.advance(60)
    mem.forget(source="s-1")
    assert summary(mem.diff(clock.now())) == ([], [], [])


def test_by_subject(mem: Memory) -> None:
    """A subject restricts all three parts."""
    a = mem.remember("A", subject="ann")
    b = mem.remember("B", subject="bob")
    mem.revise(a, "A2")
    mem.revise(b, "B2")
    diff = mem.diff(NOON, subject="bob")
    assert {v.memory_id for v in diff.learned} == {b}
    assert summary(diff)[1] == [("B", "B2")]


def test_own_namespace_only(opened: Callable[..., Memory]) -> None:
    """What happened in another namespace is not in the diff."""
    a, b = opened("a"), opened("b")
    a.remember("A")
    b.remember("B")
    assert summary(b.diff(NOON))[0] == ["B"]


def test_windows_add_up(mem: Memory, clock: FakeClock) -> None:
    """Two windows that meet hold the pairs of the window they make."""
    memory_id = mem.remember("0")
    marks = []
    for n in range(1, 5):
        clock.advance(60)
        marks.append(clock.now())
        mem.revise(memory_id, str(n))
    whole = summary(mem.diff(marks[0]))[1]
    parts = summary(mem.diff(marks[0], marks[2]))[1] + summary(mem.diff(marks[2]))[1]
    assert whole == parts == [("0", "1"), ("1", "2"), ("2", "3"), ("3", "4")]


def test_bounds_are_given_back(mem: Memory, clock: FakeClock) -> None:
    """The diff says which window it is of."""
    diff = mem.diff("2026-05-01", "2026-06-01")
    assert (diff.since, diff.until) == (datetime(2026, 5, 1, tzinfo=UTC), datetime(2026, 6, 1, tzinfo=UTC))
    ahead = mem.diff("2030-01-01")
    assert ahead.since == ahead.until == datetime(2030, 1, 1, tzinfo=UTC)


@pytest.mark.parametrize("since, until", [("nonsense", None), ("2026-02-30", None), ("2026-06-02", "2026-06-01")])
def test_a_wrong_window_is_an_error(mem: Memory, since: str, until: str | None) -> None:
    """Nonsense dates and a window upside down are refused."""
    with pytest.raises(InvalidInputError):
        mem.diff(since, until)


def test_versions_of_a_diff_are_those_of_why(mem: Memory, clock: FakeClock) -> None:
    """Whatever is asked of them first, and in whatever order, they are equal to those that ``why`` shows."""
    memory_id = mem.remember(
        "猫を飼う", subject="ユーザー", tags=["pet"], source="s-1", metadata={"n": [1, None]}, importance="high",
        valid_from="2026-05-01", observed_at="2026-05-02", cites=["README.md"], triggers=["src/*"], confidence=0.5,
    )  # fmt: skip
    clock.advance(60)
    mem.revise(memory_id, "犬を飼う", valid_from="2026-05-20")
    versions = {version.version_id: version for version in mem.why(memory_id).versions}
    for first in (*(field.name for field in fields(Version)), "id"):
        diff = mem.diff(NOON)
        for version in (*diff.learned, diff.revised[0].new):
            getattr(version, first)
            assert version == versions[version.version_id]
            assert type(version) is Version


def pickled(value: Any) -> Any:
    """Return a value as another process would get it."""
    return pickle.loads(pickle.dumps(value))  # noqa: S301  (our own bytes)


def test_versions_of_a_diff_behave_like_any_other(mem: Memory) -> None:
    """They are compared, shown, copied, pickled, replaced and taken apart before anything was asked of them."""
    mem.remember("A", subject="user", metadata={"k": "v"})

    def one() -> Version:
        return mem.diff(NOON).learned[0]

    plain = one()
    assert plain.metadata == {"k": "v"}
    assert one() == one() == plain == one()
    assert repr(one()) == repr(plain)
    assert isinstance(one(), Version)
    assert copy.copy(one()) == copy.deepcopy(one()) == pickled(one()) == plain
    assert replace(one(), text="B") == replace(plain, text="B")
    assert asdict(one()) == asdict(plain)
    assert mem.diff(NOON) == mem.diff(NOON)
    assert pickled(mem.diff(NOON)) == mem.diff(NOON)
    with pytest.raises(FrozenInstanceError):
        one().text = "B"  # type: ignore[misc]
    with pytest.raises(AttributeError):
        _ = one().nothing  # type: ignore[attr-defined]


def test_a_diff_is_a_copy_of_its_moment(mem: Memory, clock: FakeClock) -> None:
    """What happens to a memory, or to the handle, after the diff was made does not show in it."""
    memory_id = mem.remember("A", source="s")
    diff = mem.diff(NOON)
    clock.advance(60)
    mem.revise(memory_id, "B")
    mem.purge(memory_id)
    mem.close()
    assert (diff.learned[0].known_to, diff.learned[0].provenance.ref) == (None, "s")


def test_threads_read_one_version_of_a_diff(mem: Memory) -> None:
    """Read by many threads at once, a version is the same for all."""
    mem.remember("A", source="s")
    for _ in range(50):
        version = mem.diff(NOON).learned[0]
        with ThreadPoolExecutor(4) as pool:
            found = list(pool.map(partial(getattr, version), ["provenance", "kind", "valid_from", "source"]))
        assert found == [version.provenance, "fact", NOON, "s"]
