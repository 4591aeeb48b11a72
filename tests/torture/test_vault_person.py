"""Two processes write a vault while a person edits, renames and deletes notes: nothing is lost, each edit counts."""

from __future__ import annotations

import logging
import os
import random
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest

from omoide import Memory
from omoide.testing import FakeEmbedder
from omoide.vault.frontmatter import parse

pytestmark = pytest.mark.torture
Lines = Callable[[int], list[list[str]]]
SECONDS: Final = float(os.environ.get("OMOIDE_TORTURE_SECONDS") or 3)
"""How long they go on."""
OWN: Final = 24
"""Notes of which the person knows what they say; what the processes write is edited as well."""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where the vault will be."""
    (tmp_path / "notes").mkdir()
    return tmp_path / "notes"


def opened(path: Path) -> Memory:
    return Memory(path, embedder=FakeEmbedder(16))


def notes(root: Path) -> list[Path]:
    """The notes of memories that are believed."""
    found = [note for note in root.rglob("*.md") if not {".index", ".omoide", "archive"} & set(note.parts)]
    return [note for note in found if note.name != "MEMORY.md"]


class Person:
    """Somebody with an editor and a file manager, who knows nothing of the processes."""

    def __init__(self, root: Path, mine: list[int], seed: int) -> None:
        self.root, self.mine, self.chance = root, mine, random.Random(seed)
        self.edits: dict[str, int] = {}
        self.gone: set[int] = set()
        self.renamed = 0

    def round(self) -> None:
        """Do a few things at once, to different notes, then wait until they are seen."""
        files = {memory_id: note for note in notes(self.root) if (memory_id := self._id(note)) is not None}
        chosen = self.chance.sample(sorted(files), min(4, len(files)))
        told = [words for memory_id in chosen for words in self._do(memory_id, files[memory_id])]
        self._wait(told)

    def _do(self, memory_id: int, note: Path) -> list[str]:
        what = self.chance.choice(["replace", "replace", "write", "rename", "delete"])
        if what == "rename":
            return self._rename(note)
        if what == "delete":
            return self._delete(memory_id, note)
        return self._edit(memory_id, note, what)

    def _edit(self, memory_id: int, note: Path, how: str) -> list[str]:
        words = f"edit {len(self.edits)} の手 by hand"
        try:
            head, _, _ = note.read_text(encoding="utf-8").rpartition("---\n")
            text = f"{head}---\n{words}\n"
            if how == "write":
                note.write_text(text, encoding="utf-8")
            else:
                copy = note.with_name(f".{note.name}.swp")
                copy.write_text(text, encoding="utf-8")
                copy.replace(note)
        except FileNotFoundError:  # a process moved it
            return []
        self.edits[words] = memory_id
        return [words]

    def _rename(self, note: Path) -> list[str]:
        self.renamed += 1
        place = note.with_name(f"named {self.renamed}.md")
        try:
            note.rename(place)
        except FileNotFoundError:
            return []
        return [place.name]

    def _delete(self, memory_id: int, note: Path) -> list[str]:
        if memory_id not in self.mine or len(self.gone) > OWN // 3:
            return []
        note.unlink()
        self.gone.add(memory_id)
        return []

    def _wait(self, told: list[str]) -> None:
        end = time.monotonic() + 60
        while told:
            said = b"".join(file.read_bytes() for file in self.root.glob(".omoide/log/*/*.jsonl"))
            told = [words for words in told if words.encode() not in said]
            assert time.monotonic() < end, f"not seen: {told}"
            time.sleep(0.02)

    def _id(self, note: Path) -> int | None:
        try:
            found = parse(note.read_bytes()).fields.get("id")
        except FileNotFoundError:
            return None
        return found if isinstance(found, int) else None


def test_two_processes_and_a_person(start: Any, lines: Lines, first_line: Any, path: Path, tmp_path: Path) -> None:
    with opened(path) as mem:
        mine = [int(mem.remember(f"a note of mine {n}")) for n in range(OWN)]
    children = [start("write", path, "p", 0), start("mixed", path, "m", 7)]
    for number in range(2):
        first_line(number)
    person, end = Person(path, mine, 11), time.monotonic() + SECONDS
    while time.monotonic() < end:
        person.round()
    assert [child.poll() for child in children] == [None, None], errors(tmp_path)
    for child in children:
        child.kill()
        child.wait()
    assert errors(tmp_path) == ""
    for _ in range(2):
        logging.getLogger(__name__).info("%s", check(path, person, lines(0), lines(1)))
        shutil.rmtree(path / ".index")


def check(path: Path, person: Person, written: list[list[str]], mixed: list[list[str]]) -> dict[str, int]:
    """Everything that was said is in the history of its memory, and what was deleted is not believed; return counts."""
    with opened(path) as mem:
        current = {record.id: record.text for record in mem.list(limit=100_000)}
        said = {memory_id: {version.text for version in mem.why(memory_id).versions} for memory_id in _all(mem)}
        for words, memory_id in person.edits.items():
            assert words in said[memory_id]
        acknowledged = [words for words in (*written, *mixed) if words[0] == "ack" and words[2].strip() != "-"]
        for _, id, text in acknowledged:
            assert text.rstrip("\n") in said[int(id)]
        assert person.gone.isdisjoint(current)
        assert set(person.mine) - person.gone <= current.keys()
        assert mem.quarantine() == []
        assert len(notes(path)) == len(current)
        assert mem.integrity_check() == mem.verify() == []
        return {
            "edits": len(person.edits), "renames": person.renamed, "deletions": len(person.gone),
            "writes": len(acknowledged), "memories": len(current),
        }  # fmt: skip


def _all(mem: Memory) -> list[int]:
    return [record.id for record in mem.list(include_archived=True, include_retracted=True, limit=100_000)]


def errors(folder: Path) -> str:
    """Return what children complained about."""
    return "\n".join(text for file in folder.glob("*.err") if (text := file.read_text(encoding="utf-8")))
