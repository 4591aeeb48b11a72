"""Every process sees every committed write; many processes at once are in ``tests/torture``."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.promises.conftest import database

from omoide import Memory
from omoide.errors import StoreBusyError
from omoide.testing import FakeEmbedder

Opener = Callable[..., Memory]
Python = Callable[[str], str]

OPEN = """
import sys
from omoide import Memory
from omoide.testing import FakeEmbedder
mem = Memory(sys.argv[1], embedder=FakeEmbedder(16))
"""


@pytest.mark.parametrize("leg", ["use_vectors", "use_bm25"])
def test_at_its_next_call(opened: Opener, python: Python, leg: str) -> None:
    """A write of another process is found at the next call, by either leg, and the other way round."""
    mem = opened(embedder=FakeEmbedder(16), clock=None)
    mem.remember("before the other came")
    assert mem.recall("tea at four", k=1)
    python(OPEN + 'assert mem.recall("before the other came", k=1); mem.remember("tea at four")')
    only: dict[str, Any] = {leg: False}
    assert mem.recall("tea at four", k=1, **only)[0].text == "tea at four"


def test_changes_too(opened: Opener, python: Python) -> None:
    """A revise and a forget of another process show at the next call."""
    mem = opened(embedder=FakeEmbedder(16), clock=None)
    a, b = mem.remember("tea at four"), mem.remember("coffee at ten")
    mem.recall("tea")
    python(OPEN + f'mem.revise({int(a)}, "tea at five"); mem.forget({int(b)})')
    assert [hit.text for hit in mem.recall("tea at five", use_bm25=False, k=5)] == ["tea at five"]
    assert [hit.text for hit in mem.recall("tea coffee", use_vectors=False)] == ["tea at five"]


def test_the_same_store_answers_the_same(opened: Opener, python: Python) -> None:
    """Two processes give the same ids, order and scores for the same question."""
    mem = opened(embedder=FakeEmbedder(16), clock=None)
    with mem.bulk():
        for n in range(50):
            mem.remember(f"note {n} on tea and its garden {n % 7}")
    ask = '[(h.id, round(h.score, 6)) for h in mem.recall("garden 3 tea", as_of="2100-01-01", k=10)]'
    here = [(h.id, round(h.score, 6)) for h in mem.recall("garden 3 tea", as_of="2100-01-01", k=10)]
    assert python(OPEN + f"print({ask})").strip() == str(here)


HOLD = """
import sys, apsw
connection = apsw.Connection(sys.argv[1])
connection.execute("BEGIN IMMEDIATE")
print("held", flush=True)
sys.stdin.read()
"""


def test_held_too_long_is_a_typed_error(opened: Opener, path: Path) -> None:
    """While another process holds the store, a write waits a bounded time and says that it is busy."""
    mem = opened(busy_timeout=0.5)
    mem.remember("before")
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(database(path))], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline().strip() == "held"
        with pytest.raises(StoreBusyError):
            mem.remember("must not be lost 5521")
        assert mem.recall("must not be lost 5521", k=1) == []
        holder.kill()
    mem.remember("must not be lost 5521")
    assert [hit.text for hit in mem.recall("5521")] == ["must not be lost 5521"]
