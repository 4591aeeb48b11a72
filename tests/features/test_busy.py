from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.features.conftest import database

from omoide import Memory
from omoide.errors import StoreBusyError
from omoide.testing import FakeEmbedder

Opener = Callable[..., Memory]

HOLD = """
import apsw, sys
connection = apsw.Connection(sys.argv[1])
connection.execute("BEGIN IMMEDIATE")
print("held", flush=True)
sys.stdin.read()
connection.execute("ROLLBACK")
"""


@contextmanager
def held(path: Path) -> Iterator[int]:
    """Hold the write lock in another process; give its process id."""
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(database(path))], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    with holder:
        assert holder.stdout is not None
        assert holder.stdin is not None
        assert holder.stdout.readline().strip() == "held"
        try:
            yield holder.pid
        finally:
            holder.stdin.close()


def test_a_held_store_is_busy_after_a_bounded_wait(opened: Opener, path: Path) -> None:
    """A write into a store that is held gives a typed error, and works when it is free."""
    mem = opened(busy_timeout=0.5)
    mem.remember("before")
    with held(path), pytest.raises(StoreBusyError):
        mem.remember("meanwhile")
    mem.remember("after")
    assert sorted(hit.text for hit in mem.recall(None)) == ["after", "before"]


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux tells who holds a lock")
def test_the_holder_is_named(opened: Opener, path: Path) -> None:
    """The error names the process that holds the store."""
    mem = opened(busy_timeout=0.5)
    mem.remember("before")
    with held(path) as pid, pytest.raises(StoreBusyError, match=str(pid)):
        mem.remember("meanwhile")


def test_reading_needs_no_lock(opened: Opener, path: Path) -> None:
    """While another process holds the write lock every read works, a question never asked before too."""
    mem = opened(embedder=FakeEmbedder(16))
    memory_id = mem.remember("tea at four")
    with held(path):
        assert [hit.id for hit in mem.recall("tea at four o'clock")] == [memory_id]
        assert mem.recall("tea", as_of="2026-06-01T12:00:00Z")
        assert mem.get(memory_id) is not None
        assert len(mem.list()) == 1
        assert mem.stats()["default"]["count"] == 1
        assert mem.why(memory_id).versions
        assert mem.diff("2026-01-01").learned


def test_a_store_can_be_opened_while_it_is_held(opened: Opener, path: Path) -> None:
    """Opening and reading work beside a holder."""
    opened().remember("tea at four")
    with held(path):
        assert [hit.text for hit in opened().recall("tea")] == ["tea at four"]


def test_bulk_that_finds_the_store_busy_loses_nothing_silently(opened: Opener, path: Path) -> None:
    """A block whose flush finds the store held raises, and says so; nothing is acknowledged."""
    mem = opened(busy_timeout=0.5)

    def write() -> None:
        with held(path), mem.bulk() as b:
            mem.remember("A")
            b.flush()

    with pytest.raises(StoreBusyError):
        write()
    assert [hit.text for hit in mem.recall(None)] in ([], ["A"])
