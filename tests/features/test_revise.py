from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from omoide import Memory
from omoide.errors import InvalidInputError, NotFoundError
from omoide.testing import FakeClock

NOON = datetime(2026, 6, 1, 12, tzinfo=UTC)
TICK = timedelta(microseconds=1)


def at(mem: Memory, moment: str) -> list[str]:
    """Return the texts believed now to hold at ``moment``."""
    return sorted(hit.text for hit in mem.recall(None, k=99, valid_at=moment))


def test_the_id_stays_and_the_version_comes_back(mem: Memory) -> None:
    """A revise answers with the new version of the same memory."""
    memory_id = mem.remember("lives in Osaka", valid_from="2026-01-10")
    version = mem.revise(memory_id, "lives in Tokyo", valid_from="2026-05-01")
    assert (version.memory_id, version.text) == (memory_id, "lives in Tokyo")
    assert (version.valid_from, version.valid_to) == (datetime(2026, 5, 1, tzinfo=UTC), None)
    assert (version.known_from, version.known_to) == (NOON, None)
    record = mem.get(memory_id)
    assert record is not None
    assert (record.text, record.version_id) == ("lives in Tokyo", version.version_id)


def test_the_old_text_is_no_answer_about_now(mem: Memory) -> None:
    """After a revise, only the new text is found, by the old words or the new."""
    memory_id = mem.remember("the editor of choice is Vim")
    mem.revise(memory_id, "the editor of choice is Helix")
    assert [hit.text for hit in mem.recall("editor of choice")] == ["the editor of choice is Helix"]
    assert all(hit.text != "the editor of choice is Vim" for hit in mem.recall("Vim"))


def test_starts_now_by_default(mem: Memory, clock: FakeClock) -> None:
    """Without a start, a revise begins at its known time and the old piece ends there."""
    memory_id = mem.remember("A", valid_from="2026-01-01")
    clock.set("2026-06-10")
    mem.revise(memory_id, "B")
    assert at(mem, "2026-06-09") == ["A"]
    assert at(mem, "2026-06-10") == ["B"]


def test_starts_with_a_memory_that_lies_in_the_future(mem: Memory) -> None:
    """Without a start, the revise of a planned memory begins where that begins."""
    memory_id = mem.remember("A", valid_from="2026-09-01", valid_to="2026-10-01")
    version = mem.revise(memory_id, "B")
    assert version.valid_from == datetime(2026, 9, 1, tzinfo=UTC)
    assert version.valid_to is None
    assert at(mem, "2026-08-31") == []
    assert at(mem, "2026-11-01") == ["B"]


def test_a_middle_revision_leaves_two_outer_pieces(mem: Memory) -> None:
    """What lies outside the revised interval keeps its text on both sides."""
    memory_id = mem.remember("A", valid_from="2026-01-01")
    mem.revise(memory_id, "B", valid_from="2026-03-01", valid_to="2026-04-01")
    assert [at(mem, day) for day in ("2026-02-28", "2026-03-01", "2026-03-31", "2026-04-01")] == [
        ["A"],
        ["B"],
        ["B"],
        ["A"],
    ]
    record = mem.get(memory_id)
    assert record is not None
    assert record.text == "A"


def test_without_an_end_it_runs_on_for_ever(mem: Memory) -> None:
    """A revise without an end takes away the end that the memory had and every later plan."""
    memory_id = mem.remember("A", valid_from="2026-01-01", valid_to="2026-12-01")
    mem.revise(memory_id, "planned", valid_from="2026-10-01", valid_to="2026-11-01")
    mem.revise(memory_id, "B", valid_from="2026-08-01")
    assert at(mem, "2026-07-31") == ["A"]
    assert at(mem, "2026-10-15") == at(mem, "2027-06-01") == ["B"]


def test_may_start_before_the_first_start(mem: Memory) -> None:
    """A revise may reach back before anything was believed to hold."""
    memory_id = mem.remember("A", valid_from="2026-05-01")
    mem.revise(memory_id, "B", valid_from="2026-04-01", valid_to="2026-04-10")
    assert at(mem, "2026-04-05") == ["B"]
    assert at(mem, "2026-04-20") == []
    assert at(mem, "2026-05-01") == ["A"]


def test_may_start_in_a_gap(mem: Memory) -> None:
    """A revise may put a piece where none was, after the end of the memory."""
    memory_id = mem.remember("A", valid_from="2026-01-01", valid_to="2026-02-01")
    mem.revise(memory_id, "B", valid_from="2026-04-01")
    assert [at(mem, day) for day in ("2026-01-15", "2026-03-01", "2026-04-01")] == [["A"], [], ["B"]]


def test_may_lie_in_the_future(mem: Memory, clock: FakeClock) -> None:
    """A planned change is not believed of today, and holds when its day comes."""
    memory_id = mem.remember("A")
    mem.revise(memory_id, "B", valid_from="2026-07-01")
    assert [hit.text for hit in mem.recall(None)] == ["A"]
    clock.set("2026-07-01")
    assert [hit.text for hit in mem.recall(None)] == ["B"]


def test_what_is_not_given_is_inherited(mem: Memory) -> None:
    """Source, confidence, subject, kind, tags, importance, metadata, project pass on to the new version."""
    memory_id = mem.remember(
        "A",
        subject="user",
        predicate="home",
        kind="profile",
        source="s-1",
        confidence=0.6,
        importance="high",
        tags=["x"],
        metadata={"a": 1},
        project="p",
    )
    new = mem.revise(memory_id, "B")
    assert (new.subject, new.predicate, new.kind, new.source) == ("user", "home", "profile", "s-1")
    assert (new.confidence, new.importance, new.tags) == (0.6, "high", ("x",))
    assert (new.metadata, new.project) == ({"a": 1}, "p")


def test_what_is_given_replaces(mem: Memory) -> None:
    """A source and a confidence that are given belong to the new version alone."""
    memory_id = mem.remember("A", source="s-1", confidence=0.6)
    new = mem.revise(memory_id, "B", source="s-2", confidence=0.9)
    assert (new.source, new.confidence) == ("s-2", 0.9)


def test_the_old_of_a_pair_is_the_piece_at_the_new_start(mem: Memory, clock: FakeClock) -> None:
    """``diff`` pairs a revision with the piece valid at its start, else the one before, else the first."""
    memory_id = mem.remember("A", valid_from="2026-01-01", valid_to="2026-02-01")
    clock.advance(1)
    since = clock.now()
    mem.revise(memory_id, "gap", valid_from="2026-03-01", valid_to="2026-04-01")
    mem.revise(memory_id, "before", valid_from="2025-01-01", valid_to="2025-02-01")
    mem.revise(memory_id, "inside", valid_from="2026-03-15", valid_to="2026-03-20")
    pairs = [(p.old.text if p.old else None, p.new.text) for p in mem.diff(since).revised]
    assert pairs == [("A", "gap"), ("A", "before"), ("gap", "inside")]


def test_the_past_belief_stays(mem: Memory, clock: FakeClock) -> None:
    """A backdated revise does not change what was believed before it."""
    clock.set("2026-06-09")
    memory_id = mem.remember("A")
    clock.set("2026-06-16")
    mem.revise(memory_id, "B", valid_from="2026-06-01")
    assert [hit.text for hit in mem.recall(None, as_of="2026-06-10")] == ["A"]
    assert [hit.text for hit in mem.recall(None, as_of="2026-06-12")] == ["A"]
    assert [hit.text for hit in mem.recall(None, valid_at="2026-06-10")] == ["B"]


def test_revised_twice_at_one_instant_is_the_last(mem: Memory) -> None:
    """Two revises at one instant leave the later one, as of that instant too."""
    memory_id = mem.remember("A", valid_from="2026-01-01")
    mem.revise(memory_id, "B")
    mem.revise(memory_id, "C")
    assert [hit.text for hit in mem.recall(None)] == ["C"]
    assert [hit.text for hit in mem.recall(None, as_of=NOON)] == ["C"]


def test_a_missing_memory_cannot_be_revised(mem: Memory) -> None:
    """An id that does not exist is named in the error."""
    with pytest.raises(NotFoundError, match="4711"):
        mem.revise(4711, "x")


def test_a_forgotten_memory_must_be_restored_first(mem: Memory) -> None:
    """A forgotten memory is not revised; the error says to restore it first."""
    memory_id = mem.remember("A")
    mem.forget(memory_id)
    with pytest.raises(InvalidInputError, match="restore"):
        mem.revise(memory_id, "B")


@pytest.mark.parametrize(
    "wrong",
    [
        {"text": " "},
        {"text": None},
        {"text": "B", "valid_from": "2026-05-02", "valid_to": "2026-05-01"},
        {"text": "B", "valid_from": "2026-05-02", "valid_to": "2026-05-02"},
        {"text": "B", "valid_from": "2026-02-30"},
        {"text": "B", "confidence": 2.0},
    ],
)
def test_a_wrong_argument_changes_nothing(mem: Memory, wrong: dict[str, Any]) -> None:
    """A revise that cannot be meant is refused and leaves the chain as it was."""
    memory_id = mem.remember("A", valid_from="2026-01-01")
    before = mem.why(memory_id)
    with pytest.raises(InvalidInputError):
        mem.revise(memory_id, **wrong)
    assert mem.why(memory_id) == before


def test_three_hundred_revisions_do_not_crowd_out_the_head(mem: Memory) -> None:
    """A much revised memory is found by its present text, alone."""
    memory_id = mem.remember("statuses: 0")
    with mem.bulk():
        for n in range(1, 301):
            mem.revise(memory_id, f"statuses: {n}")
    assert [hit.text for hit in mem.recall("statuses")] == ["statuses: 300"]


def test_created_at_stays(mem: Memory, clock: FakeClock) -> None:
    """A revise leaves ``created_at`` and moves ``updated_at``."""
    memory_id = mem.remember("A")
    clock.advance(60)
    mem.revise(memory_id, "B")
    record = mem.get(memory_id)
    assert record is not None
    assert record.created_at == NOON
    assert record.updated_at == NOON + timedelta(seconds=60)
