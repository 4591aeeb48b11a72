from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from omoide import Memory
from omoide.errors import InvalidInputError
from omoide.testing import FakeClock


def test_a_retry_returns_the_first_result(mem: Memory) -> None:
    """The same key and arguments give the first id, and one memory."""
    first = mem.remember("A", subject="user", idempotency_key="k-1")
    assert mem.remember("A", subject="user", idempotency_key="k-1") == first
    record = mem.get(first)
    assert record is not None
    assert record.seen == 1


def test_whatever_happened_since(mem: Memory, clock: FakeClock) -> None:
    """After a revise and a forget the retry still gives the first id and changes nothing."""
    first = mem.remember("A", idempotency_key="k-1")
    clock.advance(60)
    mem.revise(first, "B")
    mem.forget(first)
    before = mem.why(first)
    assert mem.remember("A", idempotency_key="k-1") == first
    assert mem.why(first) == before
    assert mem.recall(None) == []


def test_after_reopening(mem: Memory, opened: Callable[..., Memory]) -> None:
    """Keys are kept in the store."""
    first = mem.remember("A", idempotency_key="k-1")
    mem.forget(first)
    mem.close()
    assert opened().remember("A", idempotency_key="k-1") == first


def test_other_arguments_are_an_error(mem: Memory) -> None:
    """A key used again for something else is refused, and nothing is written."""
    mem.remember("A", idempotency_key="k-1")
    with pytest.raises(InvalidInputError):
        mem.remember("B", idempotency_key="k-1")
    assert [hit.text for hit in mem.recall(None)] == ["A"]


def test_per_namespace(opened: Callable[..., Memory]) -> None:
    """The same key in another namespace is another key."""
    a, b = opened("a"), opened("b")
    assert a.remember("A", idempotency_key="k") != b.remember("B", idempotency_key="k")


def test_per_operation(mem: Memory) -> None:
    """The same key for another verb is another key."""
    memory_id = mem.remember("A", idempotency_key="k")
    mem.revise(memory_id, "B", idempotency_key="k")
    assert [hit.text for hit in mem.recall(None)] == ["B"]


def test_revise_once(mem: Memory, clock: FakeClock) -> None:
    """A retried revise gives the first version and makes no second."""
    memory_id = mem.remember("A")
    clock.advance(60)
    first = mem.revise(memory_id, "B", idempotency_key="k")
    clock.advance(60)
    again = mem.revise(memory_id, "B", idempotency_key="k")
    assert again.version_id == first.version_id
    assert len([v for v in mem.why(memory_id).versions if v.text == "B"]) == 1


def test_supersede_once(mem: Memory) -> None:
    """A retried supersede gives the first successor."""
    old = mem.remember("A")
    first = mem.supersede([old], "B", idempotency_key="k")
    assert mem.supersede([old], "B", idempotency_key="k") == first
    assert mem.why(old).superseded_by == (first,)


def test_forget_once(mem: Memory) -> None:
    """A retried forget does not forget what was restored in between."""
    memory_id = mem.remember("A")
    mem.forget(memory_id, idempotency_key="k")
    mem.restore(memory_id)
    mem.forget(memory_id, idempotency_key="k")
    assert [hit.text for hit in mem.recall(None)] == ["A"]


@pytest.mark.parametrize("key", ["", "  ", 5])
def test_a_blank_key_is_an_error(mem: Memory, key: Any) -> None:
    """A key is a text with something in it."""
    with pytest.raises(InvalidInputError):
        mem.remember("A", idempotency_key=key)
