from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.features.conftest import copy_store

from omoide import Memory
from omoide.errors import InvalidInputError
from omoide.testing import FakeClock

Opener = Callable[..., Memory]


def dumped(mem: Memory) -> str:
    """Return the dump of a store."""
    stream = io.StringIO()
    mem.dump(stream)
    return stream.getvalue()


def test_one_state_gives_one_text(mem: Memory) -> None:
    """Two dumps of one state are the same, and reading does not change it."""
    mem.remember("Elle habite à Kyoto 京都", subject="ann", tags=["home"])
    first = dumped(mem)
    mem.recall("Kyoto")
    assert dumped(mem) == first
    assert "Elle habite à Kyoto 京都" in first


def test_a_change_shows_as_few_lines(mem: Memory, clock: FakeClock) -> None:
    """A revision adds lines to the memory that it is about and to no other."""
    memory_id = mem.remember("deploys to Heroku", subject="project")
    mem.remember("tea at four", valid_from="2025-01-01")
    before = dumped(mem).splitlines()
    clock.advance(60)
    mem.revise(memory_id, "deploys to Fly")
    after = dumped(mem).splitlines()
    gone = [line for line in before if line not in after]
    new = [line for line in after if line not in before]
    assert len(gone) == 1
    assert "    deploys to Fly" in new
    assert len(new) == 4
    assert not any("tea" in line for line in new)


def test_the_numbers_of_a_store_do_not_matter(opened: Opener, path: Path, tmp_path: Path) -> None:
    """A copy that gave its memories other ids dumps the same beliefs under the same uids."""
    mem = opened()
    mem.remember("first")
    mem.close()
    other = tmp_path / "other" / "copy"
    copy_store(path, other)
    left, right = opened(), opened(path=other)
    left.remember("only left")
    right.remember("only right")
    left.merge_from(other)
    right.merge_from(path)
    texts = [line for line in dumped(left).splitlines() if line.startswith(("    ", "### "))]
    assert texts == [line for line in dumped(right).splitlines() if line.startswith(("    ", "### "))]


def test_to_a_file(mem: Memory, tmp_path: Path) -> None:
    """A file gets the same text as a stream, in UTF-8 with plain line ends."""
    mem.remember("ligne une\nligne deux\0")
    target = tmp_path / "out" / "dump.txt"
    assert mem.dump(target) == str(target)
    data = target.read_bytes()
    assert data.decode("utf-8") == dumped(mem)
    assert b"\r" not in data
    assert b"\0" not in data


def test_purged_text_is_not_in_it(mem: Memory) -> None:
    """After a purge the dump holds a hash and no text."""
    memory_id = mem.remember("passphrase-xylophone")
    assert "xylophone" in dumped(mem)
    mem.purge(memory_id)
    assert "xylophone" not in dumped(mem)
    assert "- purged key=" in dumped(mem)


def test_a_folder_or_the_store_is_refused(mem: Memory, tmp_path: Path, path: Path) -> None:
    """A dump never takes the place of the store."""
    with pytest.raises(InvalidInputError):
        mem.dump(tmp_path)
    with pytest.raises(InvalidInputError):
        mem.dump(path)
