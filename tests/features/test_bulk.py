from __future__ import annotations

import threading
from collections.abc import Callable

import pytest

from omoide import Memory
from omoide.testing import FakeClock, count_statements


def test_all_is_there_at_the_end(mem: Memory) -> None:
    """What was remembered in the block is found after it."""
    with mem.bulk():
        ids = [mem.remember(f"note {n} on tea") for n in range(50)]
    assert len(set(ids)) == 50
    assert mem.stats()["default"]["count"] == 50
    assert len(mem.recall("tea", k=50)) == 50


def test_ids_are_the_final_ones(mem: Memory, opened: Callable[..., Memory]) -> None:
    """The ids given inside the block are those that the store keeps."""
    with mem.bulk():
        ids = {mem.remember(f"note {n}"): f"note {n}" for n in range(20)}
    other = opened()
    for memory_id, text in ids.items():
        record = other.get(memory_id)
        assert record is not None
        assert record.text == text


def test_a_read_inside_sees_what_was_written(mem: Memory) -> None:
    """A read in the block flushes first."""
    with mem.bulk():
        memory_id = mem.remember("tea at four")
        assert [hit.id for hit in mem.recall("tea")] == [memory_id]
        assert mem.get(memory_id) is not None
        other = mem.remember("coffee at ten")
        assert {record.id for record in mem.list()} == {memory_id, other}


def test_leaving_by_an_exception_keeps_what_was_said(mem: Memory) -> None:
    """An exception in the block loses nothing that was remembered before it."""

    def broken() -> None:
        with mem.bulk():
            mem.remember("before")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        broken()
    assert [hit.text for hit in mem.recall(None)] == ["before"]


def test_nests(mem: Memory) -> None:
    """A block inside a block is one block."""
    with mem.bulk():
        mem.remember("outer")
        with mem.bulk():
            mem.remember("inner")
        mem.remember("outer again")
    assert mem.stats()["default"]["count"] == 3


def test_known_time_is_that_of_the_flush(mem: Memory, clock: FakeClock) -> None:
    """A write in a block is known from its flush on, and valid from then by default."""
    with mem.bulk() as b:
        memory_id = mem.remember("A")
        clock.advance(60)
        flushed = clock.now()
        b.flush()
        clock.advance(60)
    record = mem.get(memory_id)
    assert record is not None
    assert (record.known_from, record.valid_from) == (flushed, flushed)


def test_acknowledged_counts_what_is_durable(mem: Memory, opened: Callable[..., Memory]) -> None:
    """``acknowledged`` grows at a flush, to what another handle sees."""
    other = opened()
    with mem.bulk() as b:
        mem.remember("A")
        mem.remember("B")
        b.flush()
        assert b.acknowledged == 2
        assert other.stats()["default"]["count"] == 2
    assert b.acknowledged == 2


def test_no_lock_is_held_between_flushes(mem: Memory, opened: Callable[..., Memory]) -> None:
    """Another handle writes while a block is open."""
    other = opened()
    with mem.bulk():
        mem.remember("mine")
        theirs = other.remember("theirs")
        ours = mem.remember("mine too")
    assert theirs != ours
    assert mem.stats()["default"]["count"] == 3


def test_every_verb_works_inside(mem: Memory) -> None:
    """Revise, update, forget and restore of what the block just wrote work."""
    with mem.bulk():
        a, b, c = mem.remember("A"), mem.remember("B"), mem.remember("C")
        mem.revise(a, "A2")
        mem.update(b, text="B2")
        mem.forget(c)
        mem.restore(c)
    assert sorted(hit.text for hit in mem.recall(None)) == ["A2", "B2", "C"]


def test_repeats_inside_collapse(mem: Memory) -> None:
    """The same text twice in one block is one memory."""
    with mem.bulk():
        assert mem.remember("A") == mem.remember("A ")
    assert mem.stats()["default"]["count"] == 1


def test_costs_less_than_one_by_one(mem: Memory) -> None:
    """A hundred writes in a block take fewer pages to disk than a hundred alone."""
    with count_statements(mem) as alone:
        for n in range(100):
            mem.remember(f"alone {n}")
    with count_statements(mem) as together, mem.bulk():
        for n in range(100):
            mem.remember(f"together {n}")
    assert together.pages_written < alone.pages_written


def test_a_key_used_twice_inside_is_one_write(mem: Memory) -> None:
    """An idempotency key holds within the block too."""
    with mem.bulk():
        assert mem.remember("A", idempotency_key="k") == mem.remember("A", idempotency_key="k")
    assert mem.list()[0].seen == 1


def test_near_duplicates_inside_merge(opened: Callable[..., Memory]) -> None:
    """A dedupe threshold holds among the memories of one block."""

    class Same:
        model_name = "same"

        def embed(self, texts: list[str], /) -> list[list[float]]:
            return [[1.0, 0.0] for _ in texts]

    mem = opened(embedder=Same(), dedupe_threshold=0.9)
    with mem.bulk():
        ids = {mem.remember("one way to say it"), mem.remember("another way to say it")}
    assert len(ids) == 1
    assert [record.text for record in mem.list()] == ["another way to say it"]


def test_a_write_of_another_thread_is_durable_when_it_returns(mem: Memory, opened: Callable[..., Memory]) -> None:
    """A thread that opened no block has its write committed when it returns, whatever others have open."""
    other = opened()
    with mem.bulk():
        mem.remember("mine, in the block")
        thread = threading.Thread(target=mem.remember, args=("theirs, outside of it",))
        thread.start()
        thread.join()
        assert "theirs, outside of it" in [record.text for record in other.list()]


def test_a_revise_inside_of_something_from_before(mem: Memory, opened: Callable[..., Memory]) -> None:
    """Changes of older memories in a block are there after it, for other handles too."""
    memory_id = mem.remember("A")
    with mem.bulk() as b:
        mem.revise(memory_id, "B")
        mem.remember("C")
        b.flush()
        assert sorted(record.text for record in opened().list()) == ["B", "C"]


async def test_awaited_writes_inside_are_there_at_the_end(mem: Memory) -> None:
    """Async twins work inside a block."""
    with mem.bulk():
        ids = [await mem.aremember(f"note {n}") for n in range(5)]
    assert {record.id for record in mem.list()} == set(ids)
