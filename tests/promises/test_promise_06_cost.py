"""The cost of a write does not grow with the store; that of a read grows with the namespace."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from omoide import Memory
from omoide.testing import FakeEmbedder, count_statements

Opener = Callable[..., Memory]
Verb = Callable[[Memory, int, int], object]

WRITES: dict[str, Verb] = {
    "remember": lambda mem, _i, n: mem.remember(f"a new note {n} on tea", subject="user", source="s"),
    "repeat": lambda mem, _i, _n: mem.remember("host 3 has 3 disks", subject="svc"),
    "revise": lambda mem, i, n: mem.revise(i, f"revised {n} on tea"),
    "update": lambda mem, i, n: mem.update(i, text=f"updated {n} on tea"),
    "forget": lambda mem, i, _n: mem.forget(i),
    "remember under a limit": lambda mem, _i, n: mem.remember(f"one more note {n}", subject="limit"),
}
READS: dict[str, Verb] = {
    "get": lambda mem, i, _n: mem.get(i),
    "recall": lambda mem, _i, _n: mem.recall("disks of the host", k=5),
    "recall of a subject": lambda mem, _i, _n: mem.recall(subject="svc", k=5),
    "list": lambda mem, _i, _n: mem.list(limit=20),
    "stats": lambda mem, _i, _n: mem.stats(),
    "why": lambda mem, i, _n: mem.why(i),
}


def fill(mem: Memory, start: int, end: int) -> None:
    """Remember notes that share most of their words."""
    with mem.bulk():
        for n in range(start, end):
            mem.remember(f"host {n} has {n % 9} disks", subject="svc")


def cost(mem: Memory, verb: Verb, numbers: range) -> tuple[int, int, int]:
    """Return the least statements, pages and steps that the verb took in a few tries, each on a fresh memory."""
    tries = []
    for n in numbers:
        memory_id = mem.remember(f"target {n}")
        mem.recall("target")
        with count_statements(mem) as work:
            verb(mem, memory_id, n)
        tries.append((work.statements, work.pages_written, work.steps))
    return min(t[0] for t in tries), min(t[1] for t in tries), min(t[2] for t in tries)


@pytest.mark.parametrize("embedder", ["none", "fake"])
def test_a_write_takes_the_same_work_at_any_size(opened: Opener, embedder: str) -> None:
    """Statements equal, no statement that walks, pages within a few more levels, at a hundred and five thousand."""
    chosen: Any = "none" if embedder == "none" else FakeEmbedder(16)
    mem = opened(embedder=chosen, max_memories=100_000)
    fill(mem, 0, 100)
    small = {name: cost(mem, verb, range(5)) for name, verb in WRITES.items()}
    fill(mem, 100, 5000)
    large = {name: cost(mem, verb, range(5, 10)) for name, verb in WRITES.items()}
    for name, (statements, pages, steps) in small.items():
        assert large[name][0] <= statements + 3, f"{name}: {statements} statements became {large[name][0]}"
        assert large[name][1] <= pages * 2 + 8, f"{name}: {pages} pages became {large[name][1]}"
        assert large[name][2] <= steps * 1.2 + 500, f"{name}: {steps} steps became {large[name][2]}"


def test_a_full_store_evicts_at_the_same_cost(opened: Opener) -> None:
    """A write at the limit of memories takes the same statements with fifty as with two thousand."""
    small, large = opened("small", max_memories=50), opened("large", max_memories=2000)
    fill(small, 0, 60)
    fill(large, 0, 2010)

    def write(mem: Memory, _id: int, n: int) -> object:
        return mem.remember(f"one more {n}")

    assert cost(large, write, range(5))[0] <= cost(small, write, range(5))[0] + 3


@pytest.mark.parametrize("name", list(READS))
def test_a_read_does_not_know_its_neighbours(opened: Opener, name: str) -> None:
    """In a namespace of forty, a read takes the same statements beside nothing and beside thousands."""
    mem = opened("small")
    fill(mem, 0, 40)
    memory_id = mem.remember("target")
    READS[name](mem, memory_id, 0)

    def statements() -> int:
        with count_statements(mem) as work:
            READS[name](mem, memory_id, 0)
        return work.statements

    before = min(statements() for _ in range(3))
    fill(opened("big"), 0, 3000)
    READS[name](mem, memory_id, 0)
    assert min(statements() for _ in range(3)) == before


def test_a_read_writes_nothing(opened: Opener) -> None:
    """A recall puts no page into the file."""
    mem = opened(embedder=FakeEmbedder(16))
    fill(mem, 0, 50)
    mem.recall("disks")
    with count_statements(mem) as work:
        for n in range(20):
            mem.recall(f"disks of host {n}")
    assert work.pages_written == 0
