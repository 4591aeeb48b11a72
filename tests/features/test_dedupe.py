from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from omoide import Memory
from omoide.errors import InvalidInputError
from omoide.testing import FakeClock, FakeEmbedder


class Angles:
    """An embedder under the test's control: a text that ends in degrees points that way."""

    model_name = "angles"

    def embed(self, texts: list[str], /) -> list[list[float]]:
        """Return unit vectors in the plane."""
        import math

        turns = [math.radians(float(text.rsplit(" ", 1)[-1])) for text in texts]
        return [[math.cos(turn), math.sin(turn)] for turn in turns]


@pytest.mark.parametrize(
    "again", ["runs on port 8090  ", "  runs on\tport 8090", "runs on port 8090\r\n", "runs  on port 8090"]
)
def test_the_same_text_is_the_same_memory(mem: Memory, again: str) -> None:
    """White space and line ends apart, the same text is one memory, seen once more."""
    first = mem.remember("runs on port 8090")
    assert mem.remember(again) == first
    record = mem.get(first)
    assert record is not None
    assert (record.seen, record.text) == (2, "runs on port 8090")
    assert len(mem.why(first).versions) == 1
    assert mem.stats()["default"]["count"] == 1


def test_line_ends_are_white_space(mem: Memory) -> None:
    """A text with CRLF is the same as with LF."""
    assert mem.remember("one\r\ntwo") == mem.remember("one\ntwo")


@pytest.mark.parametrize(
    "other",
    [
        {"subject": "x"},
        {"predicate": "x"},
        {"kind": "note"},
        {"project": "x"},
        {"metadata": {"a": 1}},
        {"valid_from": "2026-05-01"},
        {"valid_from": "2026-05-01", "valid_to": "2026-05-02"},
    ],
)
def test_another_context_is_another_memory(mem: Memory, other: dict[str, Any]) -> None:
    """A different subject, predicate, kind, project, metadata or an interval outside is a new memory."""
    first = mem.remember("A")
    second = mem.remember("A", **other)
    assert first != second
    assert mem.remember("A", **other) == second


def test_case_is_not_white_space(mem: Memory) -> None:
    """A text in other letters is another text."""
    assert mem.remember("polish the table") != mem.remember("Polish the table")


def test_sources_add_up(mem: Memory) -> None:
    """A repeat from another source adds that source."""
    memory_id = mem.remember("A", source="s-1")
    mem.remember("A", source="s-2")
    mem.remember("A", source="s-2")
    record = mem.get(memory_id)
    assert record is not None
    assert set(record.sources) == {"s-1", "s-2"}
    assert record.seen == 3


def test_a_repeat_inside_a_past_piece(mem: Memory) -> None:
    """A text whose interval lies inside a piece that ended is a repeat of that piece."""
    memory_id = mem.remember("A", valid_from="2026-01-01")
    mem.revise(memory_id, "B", valid_from="2026-05-01")
    assert mem.remember("A", valid_from="2026-02-01", valid_to="2026-03-01") == memory_id
    assert mem.remember("A", valid_from="2026-02-01", valid_to="2026-06-01") != memory_id


def test_a_corrected_value_observed_before_the_correction(mem: Memory, clock: FakeClock) -> None:
    """An old report of a corrected value is evidence for its memory, with a notice and no version."""
    memory_id = mem.remember("A", subject="user", valid_from="2026-01-01")
    clock.advance(3600)
    mem.update(memory_id, text="B")
    versions = len(mem.why(memory_id).versions)
    clock.advance(3600)
    again = mem.remember("A", subject="user", observed_at="2026-05-01")
    assert again == memory_id
    assert again.notices
    assert len(mem.why(memory_id).versions) == versions
    assert [hit.text for hit in mem.recall(None)] == ["B"]


def test_a_corrected_value_observed_after_the_correction(mem: Memory, clock: FakeClock) -> None:
    """A new report of a corrected value is a new memory and a conflict."""
    memory_id = mem.remember("A", subject="user", valid_from="2026-01-01")
    clock.advance(3600)
    mem.update(memory_id, text="B")
    clock.advance(3600)
    again = mem.remember("A", subject="user")
    assert again != memory_id
    assert sorted(hit.text for hit in mem.recall(None)) == ["A", "B"]
    assert any({memory_id, again} <= set(conflict.ids) for conflict in mem.conflicts())


def test_when_the_correction_was_observed_decides(mem: Memory, clock: FakeClock) -> None:
    """A correction counts from when it was observed, not from when it was entered."""
    memory_id = mem.remember("A", subject="user", valid_from="2026-01-01")
    clock.advance(86_400)
    mem.revise(memory_id, "B", valid_from="2026-01-01", observed_at="2026-03-01")
    assert mem.remember("A", subject="user", observed_at="2026-02-01") == memory_id
    assert mem.remember("A", subject="user", observed_at="2026-04-01") != memory_id


def test_at_the_threshold_a_near_duplicate_updates(opened: Callable[..., Memory], clock: FakeClock) -> None:
    """A text as near as the threshold or nearer corrects the memory it hits."""
    mem = opened(embedder=Angles(), dedupe_threshold=0.95)
    first = mem.remember("points to 0", metadata={"a": 1}, pinned=True)
    clock.advance(60)
    assert mem.remember("points to 10") == first
    record = mem.get(first)
    assert record is not None
    assert record.text == "points to 10"
    assert record.pinned
    assert record.metadata.get("a") == 1
    assert [(p.old and p.old.text, p.new.text) for p in mem.diff(clock.now()).revised] == [
        ("points to 0", "points to 10")
    ]


def test_below_the_threshold_nothing_is_merged(opened: Callable[..., Memory]) -> None:
    """A text farther than the threshold is a new memory."""
    mem = opened(embedder=Angles(), dedupe_threshold=0.95)
    assert mem.remember("points to 0") != mem.remember("points to 30")


def test_the_boundary_is_inside(opened: Callable[..., Memory]) -> None:
    """A similarity equal to the threshold merges."""
    mem = opened(embedder=Angles(), dedupe_threshold=1.0)
    assert mem.remember("east 0") == mem.remember("also east 0")


def test_the_call_overrides_the_handle(opened: Callable[..., Memory]) -> None:
    """A threshold of None in the call switches off, one given switches on."""
    mem = opened(embedder=Angles(), dedupe_threshold=0.95)
    first = mem.remember("points to 0")
    assert mem.remember("points to 1", dedupe_threshold=None) != first
    plain = opened("plain", embedder=Angles())
    one = plain.remember("points to 0")
    assert plain.remember("points to 2") != one
    assert plain.remember("points to 3", dedupe_threshold=0.9) != plain.remember("up to 90")


def test_looks_only_into_its_own_namespace(opened: Callable[..., Memory]) -> None:
    """Near-duplicates in a big neighbour neither merge nor hide one's own."""
    big, small = opened("big", embedder=Angles()), opened("small", embedder=Angles())
    with big.bulk():
        for n in range(200):
            big.remember(f"note {n} points to 0")
    own = small.remember("points to 5")
    assert small.remember("points to 6", dedupe_threshold=0.95) == own
    assert big.stats()["big"]["count"] == 200


@pytest.mark.parametrize("threshold", [-0.5, 1.5, "high"])
def test_a_threshold_outside_zero_to_one_is_an_error(opened: Callable[..., Memory], threshold: Any) -> None:
    """A threshold is a similarity."""
    mem = opened(embedder=FakeEmbedder(8))
    with pytest.raises(InvalidInputError):
        mem.remember("A", dedupe_threshold=threshold)


def test_turns_do_not_merge_by_likeness_of_text(mem: Memory) -> None:
    """The same turn text twice is two turns even without a session."""
    first = mem.remember_turn("user", "ok")
    second = mem.remember_turn("user", "ok")
    assert first != second
    assert mem.stats()["default"]["count"] == 2


def test_a_repeat_reaches_a_threshold_of_one_however_its_vector_is_kept(opened: Callable[..., Memory]) -> None:
    """Also in a space of many numbers, each of which is kept as a byte."""
    mem = opened(embedder=FakeEmbedder(384), dedupe_threshold=1.0)
    for number in range(40):
        first = mem.remember(f"note {number} about tea", metadata={"at": 1})
        assert mem.remember(f"note {number} about tea", metadata={"at": 2}) == first
    assert mem.stats()["default"]["count"] == 40
