from __future__ import annotations

import asyncio
import inspect

import pytest

from omoide import Memory

VERBS = [
    "remember",
    "remember_turn",
    "recall",
    "revise",
    "supersede",
    "forget",
    "forget_older_than",
    "restore",
    "reject",
    "unreject",
    "confirm",
    "dispute",
    "conflicts",
    "purge",
    "get",
    "list",
    "update",
    "why",
    "diff",
    "timeline",
    "stats",
    "audit",
    "integrity_check",
    "rebuild",
    "backup",
]


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_has_a_twin(verb: str) -> None:
    """Each method that does I/O has an async twin with the same parameters."""
    plain, twin = getattr(Memory, verb), getattr(Memory, f"a{verb}")
    assert list(inspect.signature(plain).parameters) == list(inspect.signature(twin).parameters)


async def test_the_twins_do_the_same(mem: Memory) -> None:
    """Remember, recall, revise, get and forget work awaited."""
    memory_id = await mem.aremember("tea at four", subject="user")
    assert [hit.id for hit in await mem.arecall("tea")] == [memory_id]
    await mem.arevise(memory_id, "tea at five")
    record = await mem.aget(memory_id)
    assert record is not None
    assert record.text == "tea at five"
    await mem.aforget(memory_id)
    assert await mem.alist() == []


async def test_many_at_once(mem: Memory) -> None:
    """Fifty writes and reads awaited together all happen."""
    ids = await asyncio.gather(*(mem.aremember(f"note {n} on tea") for n in range(50)))
    answers = await asyncio.gather(*(mem.arecall("tea", k=50) for _ in range(10)))
    assert len(set(ids)) == 50
    assert {len(hits) for hits in answers} == {50}


async def test_an_error_is_raised_where_it_is_awaited(mem: Memory) -> None:
    """Typed errors come through the twin."""
    with pytest.raises(ValueError):
        await mem.aremember("  ")


async def test_the_loop_goes_on_meanwhile(mem: Memory) -> None:
    """While a write is awaited, other tasks run."""
    ticks = 0

    async def tick() -> None:
        nonlocal ticks
        for _ in range(5):
            ticks += 1
            await asyncio.sleep(0)

    await asyncio.gather(tick(), *(mem.aremember(f"note {n}") for n in range(5)))
    assert ticks == 5
