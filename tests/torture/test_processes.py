from __future__ import annotations

import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from omoide import Memory
from omoide.testing import FakeEmbedder

pytestmark = pytest.mark.torture
Lines = Callable[[int], list[list[str]]]


def test_four_write_and_two_read(start: Any, lines: Lines, path: Path, tmp_path: Path) -> None:
    """Four writing and two reading processes: every note once, every vector there, no error."""
    stop = tmp_path / "stop"
    readers = [start("read", path, stop) for _ in range(2)]
    writers = [start("write", path, f"w{n}", 50) for n in range(4)]
    assert [child.wait(100) for child in writers] == [0] * 4, errors(tmp_path)
    stop.touch()
    assert [child.wait(60) for child in readers] == [0] * 2, errors(tmp_path)
    acks = [words for number in range(2, 6) for words in lines(number)]
    with Memory(path, embedder=FakeEmbedder(16)) as mem:
        assert mem.integrity_check() == []
        records = mem.list()
        assert len(records) == len({r.id for r in records}) == len({r.uid for r in records}) == 200
        assert {int(words[1]): words[2].strip() for words in acks} == {r.id: r.text for r in records}
        for text in ("note 0 by w0", "note 49 by w3"):
            assert mem.recall(text, k=1, use_bm25=False)[0].text == text


def errors(folder: Path) -> str:
    """Return what children complained about."""
    return "\n".join(file.read_text() for file in folder.glob("*.err"))


def test_first_open_by_many(start: Any, path: Path, tmp_path: Path) -> None:
    """Six processes that create one store at once all succeed."""
    children = [start("write", path, f"w{n}", 3) for n in range(6)]
    assert [child.wait(100) for child in children] == [0] * 6, errors(tmp_path)
    with Memory(path, embedder="none") as mem:
        assert mem.stats()["default"]["count"] == 18


@pytest.mark.skipif(sys.platform == "win32", reason="this system cannot stop a process")
def test_a_stopped_process_holds_nobody_up(start: Any, first_line: Callable[[int], None], path: Path) -> None:
    """A process stopped between its writes leaves the store writable; killed, it leaves no lock."""
    stopped = start("read", path, path.with_name("never"))
    with Memory(path, embedder=FakeEmbedder(16)) as mem:
        mem.remember("note by me")
        stopped.send_signal(signal.SIGSTOP)
        mem.remember("note by me again")
        stopped.kill()
        stopped.wait()
        mem.remember("note after the kill")
        assert mem.stats()["default"]["count"] == 3
