from __future__ import annotations

from collections.abc import Callable

import pytest

from omoide import Memory
from omoide.errors import InvalidInputError, NotFoundError, RejectedValueError


def current(mem: Memory) -> list[str]:
    """Return the texts believed now of now."""
    return sorted(hit.text for hit in mem.recall(None, k=99))


def test_ends_and_refuses_the_value(person: Memory) -> None:
    """A rejected value is no answer and cannot be said again."""
    memory_id = person.remember("is 40 years old", subject="user", predicate="age")
    person.reject(memory_id, reason="he is 41")
    assert current(person) == []
    with pytest.raises(RejectedValueError):
        person.remember("is 40 years old", subject="user", predicate="age")
    assert current(person) == []


@pytest.mark.parametrize("again", ["IS 40 Years Old", "  is  40\nyears old ", "ｉｓ ４０ years old"])
def test_folded_text_counts(person: Memory, again: str) -> None:
    """Case, width and white space do not get a rejected value in."""
    person.reject(person.remember("is 40 years old", subject="user"), reason="no")
    with pytest.raises(RejectedValueError):
        person.remember(again, subject="user")


def test_every_door_refuses(person: Memory, mem: Memory) -> None:
    """An agent cannot bring a rejected value back by remember, revise, update or supersede."""
    person.reject(person.remember("A", subject="user"), reason="no")
    other = mem.remember("B", subject="user")
    with pytest.raises(RejectedValueError):
        mem.remember("a", subject="user")
    with pytest.raises(RejectedValueError):
        mem.revise(other, "A")
    with pytest.raises(RejectedValueError):
        mem.update(other, text="A")
    with pytest.raises(RejectedValueError):
        mem.supersede([other], "A", subject="user")
    assert current(mem) == ["B"]


def test_another_subject_or_predicate_is_another_value(person: Memory) -> None:
    """A rejection is filed under subject and predicate."""
    person.reject(person.remember("A", subject="user", predicate="p"), reason="no")
    person.remember("A", subject="other", predicate="p")
    person.remember("A", subject="user", predicate="q")
    person.remember("A")
    assert current(person) == ["A", "A", "A"]


def test_another_namespace_is_not_touched(opened: Callable[..., Memory]) -> None:
    """A rejection stays in its namespace."""
    a, b = opened("a", door_trust="stated"), opened("b")
    b.remember("A")
    a.reject(a.remember("A"), reason="no")
    assert current(b) == ["A"]
    assert b.remember("A, again")


def test_ends_every_piece_that_holds_the_value(person: Memory) -> None:
    """Past, planned and other memories' pieces with the value all end; pieces with other texts stay."""
    memory_id = person.remember("A", valid_from="2026-01-01")
    person.revise(memory_id, "B", valid_from="2026-05-01", valid_to="2026-08-01")
    twin = person.supersede([person.remember("X", valid_from="2026-01-01")], "A", valid_from="2026-02-01")
    person.reject(twin, reason="no")
    texts = [[h.text for h in person.recall(None, valid_at=d)] for d in ("2026-03-01", "2026-06-01", "2026-09-01")]
    assert texts == [[], ["B"], []]


def test_the_past_still_knows(person: Memory) -> None:
    """What was believed before the rejection is in ``why``."""
    memory_id = person.remember("A")
    person.reject(memory_id, reason="no")
    assert [v.text for v in person.why(memory_id).versions] == ["A"]


def test_restore_of_it_is_refused(person: Memory) -> None:
    """A rejected value does not come back by restore."""
    memory_id = person.remember("A")
    person.reject(memory_id, reason="no")
    with pytest.raises(InvalidInputError):
        person.restore(memory_id)
    assert current(person) == []


def test_restore_of_a_forgotten_memory_with_the_value_is_refused(person: Memory) -> None:
    """A memory forgotten before the rejection does not bring the value back either."""
    forgotten = person.remember("A")
    person.forget(forgotten)
    person.reject(person.remember("A"), reason="no")
    with pytest.raises(InvalidInputError):
        person.restore(forgotten)
    assert current(person) == []


def test_unreject_lets_it_in_again(person: Memory) -> None:
    """After ``unreject`` the value may be said; nothing comes back by itself."""
    person.reject(person.remember("A", subject="user", predicate="p"), reason="no")
    person.unreject(" a ", subject="user", predicate="p")
    assert current(person) == []
    person.remember("A", subject="user", predicate="p")
    assert current(person) == ["A"]


def test_is_retracted_in_the_diff(person: Memory) -> None:
    """``diff`` lists a rejected memory as retracted."""
    memory_id = person.remember("A")
    known = person.get(memory_id)
    assert known is not None
    assert known.known_from is not None
    person.reject(memory_id, reason="no")
    assert [v.memory_id for v in person.diff(known.known_from).retracted] == [memory_id]


def test_a_missing_memory_is_an_error(person: Memory) -> None:
    """An id that does not exist is named in the error."""
    with pytest.raises(NotFoundError, match="4711"):
        person.reject(4711, reason="no")


def test_survives_reopening(person: Memory, opened: Callable[..., Memory]) -> None:
    """A rejection is kept in the store, not in the handle."""
    person.reject(person.remember("A"), reason="no")
    person.close()
    with pytest.raises(RejectedValueError):
        opened().remember("A")


def test_rejected_inside_bulk_is_refused_at_once(person: Memory) -> None:
    """A rejected value in a bulk block is refused where it is said, and the rest is kept."""
    person.reject(person.remember("A"), reason="no")
    with person.bulk():
        person.remember("B")
        with pytest.raises(RejectedValueError):
            person.remember("A")
        person.remember("C")
    assert current(person) == ["B", "C"]
