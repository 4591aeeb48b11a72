from __future__ import annotations

from itertools import permutations

from omoide.model.lineage import End, Put, Span, replay
from omoide.model.time import FOREVER

A = Put(b"a", "A", 0, FOREVER, (10, 0), "remember")


def edit(key: str, start: int, end: int, at: int, cause: str = "revise", text: str | None = None) -> Put:
    """An edit of the valid time ``[start, end)`` at a known time."""
    return Put(key.encode(), text or key.upper(), start, end, (at, 0), cause)


def spans(*steps: Put | End) -> list[tuple[str, int, int]]:
    """Replay steps; the order in which they are given must not matter."""
    found = set()
    for order in permutations(steps):
        puts = [step for step in order if isinstance(step, Put)]
        ends = [step for step in order if isinstance(step, End)]
        found.add(tuple((span.text, span.valid_from, span.valid_to) for span in replay(puts, ends)))
    (only,) = found
    return list(only)


def test_the_later_edit_wins_where_both_speak() -> None:
    assert spans(A, edit("b", 5, FOREVER, 20), edit("c", 7, FOREVER, 30)) == [
        ("A", 0, 5),
        ("B", 5, 7),
        ("C", 7, FOREVER),
    ]


def test_edits_of_different_times_both_stay() -> None:
    assert spans(A, edit("b", 5, 6, 30), edit("c", 8, 9, 20)) == [
        ("A", 0, 5),
        ("B", 5, 6),
        ("A", 6, 8),
        ("C", 8, 9),
        ("A", 9, FOREVER),
    ]


def test_an_end_reaches_what_it_has_seen_and_nothing_else() -> None:
    forget = End(b"a", 0, FOREVER, (25, 0), "forget")
    assert spans(A, forget) == []
    assert spans(A, edit("b", 5, FOREVER, 20), forget) == [("B", 5, FOREVER)]
    assert spans(A, edit("b", 5, FOREVER, 30), forget) == [("B", 5, FOREVER)]


def test_an_end_keeps_what_lies_outside_of_it() -> None:
    assert spans(A, End(b"a", 7, FOREVER, (20, 0), "supersede")) == [("A", 0, 7)]


def test_a_restore_fills_only_gaps() -> None:
    forget = End(b"a", 0, FOREVER, (15, 0), "forget")
    back = edit("r", 0, FOREVER, 30, "restore", "A")
    assert spans(A, forget, edit("b", 5, 9, 20), back) == [("A", 0, 5), ("B", 5, 9), ("A", 9, FOREVER)]


def test_a_confirmation_replaces_no_other_text() -> None:
    confirm = edit("k", 0, FOREVER, 30, "confirm", "A")
    assert spans(A, edit("b", 5, FOREVER, 20), confirm) == [("A", 0, 5), ("B", 5, FOREVER)]
    assert replay([A, confirm], []) == [Span(b"k", "A", 0, FOREVER)]


def test_what_one_edit_ends_makes_room_for_what_it_restores() -> None:
    swap: list[Put | End] = [End(b"b", 0, FOREVER, (30, 0), "undo"), edit("r", 0, FOREVER, 30, "restore", "A")]
    assert spans(A, edit("b", 0, FOREVER, 20), *swap) == [("A", 0, FOREVER)]
