from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from omoide import Memory
from omoide.errors import StoreFullError
from omoide.testing import FakeEmbedder

pytest.importorskip("resource", reason="this system has no limit on file sizes")
pytestmark = pytest.mark.torture


@pytest.mark.parametrize("room", [0, 5_000, 40_000, 300_000])
def test_a_full_disk_gives_typed_errors_and_loses_nothing(
    start: Any, lines: Callable[[int], list[list[str]]], path: Path, tmp_path: Path, room: int
) -> None:
    """Without room a write raises a store error; what was acknowledged stays, and with room it goes on."""
    child = start("fill", path, room)
    assert child.wait(100) == 0, (tmp_path / "child-0.err").read_text()
    said = lines(0)
    assert {words[1] for words in said if words[0] == "full"} <= {"store_full", "store"}
    expected = {int(words[1]): words[2].rstrip("\n") for words in said if words[0] == "ack"}
    with Memory(path, embedder=FakeEmbedder(16)) as mem:
        assert mem.integrity_check() == []
        assert {record.id: record.text for record in mem.list()} == expected
        assert mem.recall("room again", k=1)[0].text == "room again"


@pytest.mark.parametrize("room", [0, 5_000, 60_000, 200_000])
def test_a_store_that_finds_no_room_while_it_is_made_says_so(path: Path, room: int) -> None:
    """The error names the full disk whatever step it stops at; with room the same path makes a sound store."""
    import resource
    import signal

    hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
    before = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (room, hard))
    try:
        with pytest.raises(StoreFullError, match="no room left"):
            Memory(path, embedder="none").remember("too much")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
        signal.signal(signal.SIGXFSZ, before)
    with Memory(path, embedder="none") as mem:
        mem.remember("room again")
        assert mem.integrity_check() == []
