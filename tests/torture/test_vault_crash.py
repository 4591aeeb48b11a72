"""Processes on a vault killed anywhere, and people who edit meanwhile: nothing acknowledged is lost."""

from __future__ import annotations

import random
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from omoide import Memory

pytestmark = pytest.mark.torture
Lines = Callable[[int], list[list[str]]]

DIES = """
import os, sys
from omoide import Memory
calls, limit = 0, int(sys.argv[2])
def dying(call):
    def run(*args, **kwargs):
        global calls
        calls += 1
        if calls == limit:
            os._exit(9)
        return call(*args, **kwargs)
    return run
mem = Memory(sys.argv[1], embedder="none")
print("ack", int(mem.remember("before the crash")), flush=True)
os.replace, os.fsync, os.link = dying(os.replace), dying(os.fsync), dying(os.link)
new = mem.remember("amid the crash")
print("ack", int(new), flush=True)
mem.revise(new, "revised amid the crash")
print("revised", flush=True)
mem.forget(1)
print("forgotten", flush=True)
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where the vault will be."""
    (tmp_path / "notes").mkdir()
    return tmp_path / "notes"


def notes(root: Path) -> list[Path]:
    """Return the notes."""
    return [file for file in root.rglob("*.md") if ".index" not in file.parts and file.name != "MEMORY.md"]


def current(mem: Memory) -> dict[int, str]:
    """Return what is believed, by id."""
    return {record.id: record.text for record in mem.list(limit=100_000)}


@pytest.mark.parametrize("limit", [1, 2, 3, 4, 6, 8, 10, 12, 13])
@pytest.mark.parametrize("without_index", [False, True], ids=["index", "files alone"])
def test_killed_at_a_call_of_the_system(path: Path, limit: int, without_index: bool) -> None:
    """Killed at any replacement of a file or any flush, what was said to be done is done, and the rest is whole."""
    child = subprocess.run(
        [sys.executable, "-c", DIES, str(path), str(limit)], capture_output=True, text=True, check=False
    )
    said = child.stdout.split("\n")
    if without_index:
        shutil.rmtree(path / ".index")
    with Memory(path, embedder="none") as mem:
        found = set(current(mem).values())
        assert "before the crash" in found or "revised" in said
        if "ack 2" in said:
            assert found & {"amid the crash", "revised amid the crash"}
        if "revised" in said:
            assert "revised amid the crash" in found
        if "forgotten" in said:
            assert "before the crash" not in found
        assert mem.integrity_check() == mem.verify() == []
        assert mem.quarantine() == []
        assert not list(path.rglob("*.omoide~"))
        mem.remember("life goes on")
        assert len(mem.list()) == len([note for note in notes(path) if "archive" not in note.parts])


def _killed(start: Any, first_line: Callable[[int], None], number: int, *arguments: object) -> None:
    child = start(*arguments)
    first_line(number)
    time.sleep(random.Random(f"{arguments}{number}").uniform(0.02, 0.6))
    child.kill()
    child.wait()


def _acknowledged(lines: list[list[str]]) -> dict[int, str]:
    return {int(words[1]): words[2].rstrip("\n") for words in lines if words[0] == "ack"}


@pytest.mark.parametrize("mode", ["write", "bulk"])
def test_killed_while_writing(
    start: Any, lines: Lines, first_line: Callable[[int], None], path: Path, mode: str
) -> None:
    """After a kill every acknowledged note is there, with its file; from the files alone as well."""
    expected: dict[int, str] = {}
    for number in range(4):
        _killed(start, first_line, number, mode, path, f"w{number}", 0 if mode == "write" else 10, "none")
        expected |= _acknowledged(lines(number))
        if number % 2:
            shutil.rmtree(path / ".index")
        with Memory(path, embedder="none") as mem:
            assert expected.items() <= current(mem).items()
            assert mem.integrity_check() == mem.verify() == []
            assert len(notes(path)) == len(current(mem))


def test_killed_amid_changes(start: Any, lines: Lines, first_line: Callable[[int], None], path: Path) -> None:
    """Killed amid revisions and forgets, every memory is as last acknowledged or as just begun, index or not."""
    for number in range(4):
        _killed(start, first_line, number, "mixed", path, f"m{number}", number)
        said = lines(number)
        begun = {int(said[-1][1]): said[-1][2].rstrip("\n")} if said[-1][0] == "try" else {}
        if number % 2:
            shutil.rmtree(path / ".index")
        with Memory(path, embedder="none") as mem:
            for memory_id, text in _acknowledged(said).items():
                record = mem.get(memory_id)
                found = "-" if record is None else record.text
                assert found in {text, begun.get(memory_id, text)}
            assert mem.integrity_check() == mem.verify() == []


def test_processes_and_a_person(start: Any, lines: Lines, first_line: Callable[[int], None], path: Path) -> None:
    """Two processes write, one of them is killed, a person edits notes all the while: every text is known."""
    with Memory(path, embedder="none") as mem:
        mine = [int(mem.remember(f"a note of mine {n}")) for n in range(5)]
    children: list[Any] = []
    for number in range(2):
        children.append(start("write", path, f"p{number}", 0, "none"))
        first_line(number)
    written: list[tuple[int, str]] = []
    chance = random.Random(7)
    for n in range(12):
        (note,) = [each for each in notes(path) if f"mine {n % 5}" in each.read_text(encoding="utf-8")]
        head, _, _ = note.read_text(encoding="utf-8").rpartition("---\n")
        temporary = note.with_suffix(".tmp")
        temporary.write_text(f"{head}---\nedit {n} of mine {n % 5}\n", encoding="utf-8")
        temporary.replace(note)
        written.append((mine[n % 5], f"edit {n} of mine {n % 5}"))
        time.sleep(chance.uniform(0.05, 0.3))
    for child in children:
        child.kill()
        child.wait()
    shutil.rmtree(path / ".index")
    with Memory(path, embedder="none") as mem:
        expected = _acknowledged(lines(0)) | _acknowledged(lines(1))
        assert expected.items() <= current(mem).items()
        assert {text.strip() for id in mine for text in [current(mem)[id]]} == {text for _, text in written[-5:]}
        assert mem.integrity_check() == mem.verify() == []
