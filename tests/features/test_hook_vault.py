"""Hooks beside a vault: what a person edited before a session starts is what the session is shown."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from tests.features.hook_kit import Hooks, Said
from tests.features.test_hook_fast_path import process

from omoide import Memory
from omoide.beside.failures import failures
from omoide.vault.peek import edited


class Beside(Hooks):
    """Hooks whose store is a vault."""

    @property
    def store(self) -> str:
        return str(self.root / "notes")

    def note(self, words: str) -> Path:
        (found,) = [file for file in Path(self.store).rglob("*.md") if self._is_note(file, words)]
        return found

    def _is_note(self, file: Path, words: str) -> bool:
        return file.name != "MEMORY.md" and words in file.read_text(encoding="utf-8")

    def edit(self, old: str, new: str) -> None:
        note = self.note(old)
        note.write_text(note.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")

    def start(self, session: str) -> Said:
        return self("claude-code", "SessionStart", self.common("SessionStart", session) | {"source": "startup"})


@pytest.fixture
def beside(hooks: Hooks) -> Beside:
    made = Beside(hooks.root, hooks.patch, hooks.capture)
    Path(made.store).mkdir()
    made.remember("Never push on Friday.", importance="critical")
    return made


def test_an_edit_made_before_a_start_is_shown_by_it(beside: Beside) -> None:
    beside.edit("on Friday", "on Sunday")
    assert "on Sunday" in beside.start("one").context
    beside.edit("on Sunday", "月曜日に")
    shown = beside.start("two").context
    assert "月曜日に" in shown
    assert "Sunday" not in shown


def test_a_note_that_was_written_or_deleted_before_a_start_counts(beside: Beside) -> None:
    new = Path(beside.store, "fact", "general", "tea.md")
    new.write_text("---\ntype: fact\nsubject: user\nimportance: critical\n---\nprefers green tea\n", encoding="utf-8")
    assert "green tea" in beside.start("one").context
    beside.note("green tea").unlink()
    assert "green tea" not in beside.start("two").context


def test_a_file_that_was_touched_only_is_not_taken_for_edited(beside: Beside) -> None:
    with Memory(beside.store, embedder="none") as memory:
        memory.list()
    os.utime(beside.note("Friday"), (1_700_000_000, 1_700_000_000))
    assert edited(beside.store) == 0


@pytest.mark.parametrize("what", ["edited", "gone", "new", "moved"])
def test_a_peek_finds_every_change(beside: Beside, what: str) -> None:
    note = beside.note("Friday")
    if what == "edited":
        beside.edit("Friday", "Monday")
    elif what == "gone":
        note.unlink()
    elif what == "new":
        (note.parent / "another.markdown").write_text("words", encoding="utf-8")
    else:
        note.rename(note.with_name("elsewhere.md"))
    assert edited(beside.store)


def test_what_is_set_aside_is_no_edit_until_it_changes(beside: Beside) -> None:
    beside.edit("Never push on Friday.", "<<<<<<< HEAD\na\n=======\nb\n>>>>>>> c\n")
    with Memory(beside.store, embedder="none") as memory:
        assert len(memory.quarantine()) == 1
    assert edited(beside.store) == 0
    beside.note("<<<<<<<").write_text("---\nbroken", encoding="utf-8")
    assert edited(beside.store) == 1


def test_a_missing_index_is_left_to_the_worker(beside: Beside) -> None:
    """Making it may take longer than a host waits."""
    shutil.rmtree(Path(beside.store, ".index"))
    said = beside.start("one")
    assert (said.status, said.context) == (0, "")
    assert not Path(beside.store, ".index", "omoide.db").exists()


def test_very_many_edits_are_left_to_the_worker(beside: Beside) -> None:
    for number in range(60):
        Path(beside.store, f"{number}.md").write_text(f"words {number}", encoding="utf-8")
    assert "on Friday" in beside.start("one").context
    assert edited(beside.store) == 60


def test_a_vault_that_cannot_be_written_is_shown_as_it_is(beside: Beside) -> None:
    """What keeps the edit from being taken in is told to doctor, not to the host."""
    beside.edit("on Friday", "on Sunday")
    Path(beside.store, ".omoide", "local", "lock").unlink()
    Path(beside.store, ".omoide", "local", "lock").mkdir()
    said = beside.start("one")
    assert said.status == 0
    assert "on Friday" in said.context
    assert failures(beside.store)


def test_a_start_without_edits_loads_neither_numpy_nor_a_face(beside: Beside) -> None:
    done = process(beside, "SessionStart", beside.common("SessionStart") | {"source": "startup"})
    modules = set(done.stderr.decode().split())
    assert "on Friday" in done.stdout.decode()
    assert not {"numpy", "onnxruntime", "omoide.memory", "omoide.vault.scan"} & modules
