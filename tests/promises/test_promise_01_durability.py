"""Nothing acknowledged is lost; many kills and full disks are in ``tests/torture``."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import apsw
import pytest
from tests.promises.conftest import database

from omoide import Memory
from omoide.testing import FakeEmbedder

Opener = Callable[..., Memory]
Python = Callable[[str], str]

DIES = """
import os, sys
from omoide import Memory
from omoide.testing import FakeEmbedder
mem = Memory(sys.argv[1], embedder=FakeEmbedder(16))
{work}
sys.stdout.flush()
os.kill(os.getpid(), 9) if hasattr(os, "fork") else os._exit(9)
"""


class Broken:
    """An embedder whose model is not there."""

    model_name = "late"

    def embed(self, texts: list[str], /) -> list[list[float]]:
        """Fail."""
        raise ConnectionError("no model today")


@pytest.fixture
def dies(path: Path) -> Callable[[str], list[int]]:
    """Run statements in a process that is killed the moment they are done; return the ids it printed."""
    import subprocess
    import sys

    def run(work: str) -> list[int]:
        done = subprocess.run(
            [sys.executable, "-c", DIES.format(work=work), str(path)],
            capture_output=True,
            text=True,
            timeout=100,
            check=False,
        )
        assert done.returncode != 0
        assert not done.stderr, done.stderr
        return [int(word) for word in done.stdout.split()]

    return run


def test_a_write_that_returned_survives_a_kill(opened: Opener, dies: Callable[[str], list[int]]) -> None:
    """Row, keyword entry, vector and audit event of an acknowledged write are there after a kill."""
    ids = dies('print(*[mem.remember(f"note {n} on tea") for n in range(10)])')
    mem = opened(embedder=FakeEmbedder(16))
    assert [mem.get(i) is not None for i in ids] == [True] * 10
    assert {h.id for h in mem.recall("tea", k=20, use_vectors=False)} == set(ids)
    assert mem.recall("note 7 on tea", k=1, use_bm25=False)[0].id == ids[7]
    assert set(ids) <= {target for event in mem.audit() for target in event.targets}
    assert mem.integrity_check() == []


@pytest.mark.parametrize(
    "change, left",
    [
        ('mem.revise(i, "B")', "B"),
        ('mem.update(i, text="B")', "B"),
        ("mem.forget(i)", None),
        ("mem.forget(i); mem.restore(i)", "A"),
    ],
)
def test_every_verb_survives_a_kill(
    opened: Opener, dies: Callable[[str], list[int]], change: str, left: str | None
) -> None:
    """A change that returned is there after a kill."""
    (memory_id,) = dies(f'i = mem.remember("A"); print(i); {change}')
    record = opened().get(memory_id)
    assert (record.text if record else None) == left


def test_a_flushed_bulk_survives_a_kill(opened: Opener, dies: Callable[[str], list[int]]) -> None:
    """What a flush covered is there after a kill inside the block, searchable by both legs."""
    ids = dies(
        """
block = mem.bulk()
b = block.__enter__()
ids = [mem.remember(f"note {n} on tea") for n in range(30)]
b.flush()
assert b.acknowledged == 30
print(*ids)
mem.remember("not flushed")
"""
    )
    mem = opened(embedder=FakeEmbedder(16))
    assert {r.id for r in mem.list()} >= set(ids)
    assert mem.recall("note 29 on tea", k=1, use_bm25=False)[0].id == ids[29]
    assert mem.integrity_check() == []


def test_reserved_ids_are_not_given_again(opened: Opener, dies: Callable[[str], list[int]]) -> None:
    """Ids handed out in a block that was never flushed are not reused."""
    ids = dies('mem.bulk().__enter__(); print(*[mem.remember(f"lost {n}") for n in range(5)])')
    assert opened().remember("new") > max(ids)


def test_a_pending_vector_is_marked_found_counted_and_filled_in(opened: Opener) -> None:
    """Without its model a write is acknowledged, found by keyword, counted, shown, and completed later."""
    mem = opened(embedder=Broken())
    memory_id = mem.remember("tea at four")
    hits = mem.recall("tea")
    assert [hit.id for hit in hits] == [memory_id]
    assert hits.degraded
    assert pending(mem) == 1
    mem.close()
    whole = opened(embedder=FakeEmbedder(16, model_name="late"))
    whole.recall("tea")
    for _ in range(1000):
        if pending(whole) == 0:
            break
        time.sleep(0.01)
    assert whole.recall("tea at four", use_bm25=False, k=1)[0].id == memory_id
    assert not whole.recall("tea").degraded


def pending(mem: Memory) -> int:
    """Return how many vectors ``stats`` says are pending."""
    stats = mem.stats()["default"]
    names = [name for name in stats if "pending" in name]
    assert names, f"stats counts no pending vectors: {sorted(stats)}"
    return int(stats[names[0]])


def test_writes_are_synchronous(opened: Opener, path: Path) -> None:
    """An acknowledged write is in the file or its log, as another program reads it, at once."""
    mem = opened()
    for n in range(5):
        mem.remember(f"note {n}")
        connection = apsw.Connection(str(database(path)), flags=apsw.SQLITE_OPEN_READONLY)
        rows = connection.execute("SELECT count(*) FROM version").fetchall()
        connection.close()
        assert rows == [(n + 1,)]
