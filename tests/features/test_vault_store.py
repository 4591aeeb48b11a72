"""A folder is a store: the same verbs, a line in a log for each write, notes that people can read."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from omoide import History, Index, Memory, open_store
from omoide.errors import ReadOnlyStoreError
from omoide.testing import FakeClock

from .vaults import lines, logs, note_of, notes, open_vault, texts, throw_index_away


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Where the vault will be."""
    return tmp_path / "notes"


@pytest.fixture
def mem(root: Path, clock: FakeClock) -> Iterator[Memory]:
    """A handle on the vault."""
    with open_vault(root, clock) as handle:
        yield handle


def test_a_trailing_slash_makes_a_vault(tmp_path: Path) -> None:
    """A path that ends with a slash becomes a folder with notes in it."""
    with Memory(f"{tmp_path}/new/", embedder="none") as mem:
        mem.remember("un souvenir")
    assert [file.read_text(encoding="utf-8").splitlines()[-1] for file in notes(tmp_path / "new")] == ["un souvenir"]


def test_a_folder_is_a_vault(mem: Memory, root: Path) -> None:
    """A path at which there is a folder is opened as a vault, and the handle says where it is."""
    assert mem.path == str(root)
    mem.remember("大阪に住んでいる")
    assert note_of(root, "大阪に住んでいる").is_file()


def test_every_write_is_in_the_log_when_it_returns(mem: Memory, root: Path) -> None:
    """Each acknowledged write has added its line, which names the line before it."""
    one = mem.remember("one")
    assert len(lines(root)) == 1
    mem.revise(one, "two")
    mem.forget(one)
    read = [json.loads(line) for line in lines(root)]
    assert [line["n"] for line in read] == [1, 2, 3]
    assert read[0]["prev"] is None
    assert read[2]["rows"]["event"]["+"][0]["op"] == "forget"


def test_reading_writes_nothing(mem: Memory, root: Path) -> None:
    """Questions leave neither a line nor a changed note."""
    mem.remember("the answer is 42")
    before = {file: file.read_bytes() for file in root.rglob("*") if file.suffix in (".md", ".jsonl")}
    mem.recall("answer")
    mem.list()
    mem.stats()
    after = {file: file.read_bytes() for file in root.rglob("*") if file.suffix in (".md", ".jsonl")}
    assert before == after


def test_what_can_be_thrown_away_is_kept_from_git(mem: Memory, root: Path) -> None:
    """The index and the lock are ignored, logs merge by keeping the lines of both sides, nothing else is touched."""
    mem.remember("x")
    assert (root / ".index" / ".gitignore").read_text().splitlines()[-1] == "*"
    assert (root / ".omoide" / "local" / ".gitignore").read_text().splitlines()[-1] == "*"
    assert "merge=union" in (root / ".omoide" / ".gitattributes").read_text()
    assert not (root / ".gitignore").exists()


def test_a_person_s_gitignore_stays(root: Path) -> None:
    """Files for git that are there already are not written anew."""
    (root / ".omoide").mkdir(parents=True)
    (root / ".omoide" / ".gitattributes").write_text("mine\n")
    with open_vault(root) as mem:
        mem.remember("x")
    assert (root / ".omoide" / ".gitattributes").read_text() == "mine\n"


def test_two_handles_see_each_other(mem: Memory, root: Path) -> None:
    """What one handle writes the other finds at its next call, in both directions."""
    with open_vault(root) as other:
        mem.remember("from the first")
        assert other.recall("first", k=1)[0].text == "from the first"
        other.remember("from the second")
        assert mem.recall("second", k=1)[0].text == "from the second"
        assert mem.verify() == other.verify() == []


def test_many_files_of_the_log(mem: Memory, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A log goes on in another file when one is long, and is read as one."""
    monkeypatch.setattr("omoide.vault.pen.LONGEST", 3000)
    for n in range(8):
        mem.remember(f"fact {n} {'x' * 200}")
    assert len(logs(root)) > 1
    before = texts(mem)
    throw_index_away(root)
    assert texts(mem) == before


def test_bulk_is_one_line_a_flush(mem: Memory, root: Path) -> None:
    """Writes that are committed together are one line, and each has its note."""
    with mem.bulk():
        for n in range(20):
            mem.remember(f"fact {n}")
    assert len(notes(root)) == 20
    assert len([line for line in lines(root) if '"version"' in line]) == 1


def test_documents_and_conversations_live_there_too(root: Path, clock: FakeClock) -> None:
    """Index and History work on a vault, and survive the loss of its index."""
    root.mkdir()
    with Index(root, clock=clock, embedder="none") as idx, History(root, clock=clock, embedder="none") as his:
        idx.add_text("La poste ouvre à neuf heures.", source="poste.txt")
        saved = his.save("We chose SQLite after a long debate.", summary="choice")
        throw_index_away(root)
        assert idx.search("poste", k=1)[0].text == "La poste ouvre à neuf heures."
        assert his.read(saved).text == "We chose SQLite after a long debate."


def test_the_store_can_be_opened_alone(root: Path) -> None:
    """``open_store`` opens a vault as well."""
    root.mkdir()
    store = open_store(f"{root}/")
    with store.read(None) as tx:
        assert tx.namespaces.all() == []
    store.close()


def test_reading_only(mem: Memory, root: Path, tmp_path: Path) -> None:
    """A vault opened for reading only answers, refuses writes, and changes nothing, index or not."""
    mem.remember("readable")
    mem.close()
    copy = tmp_path / "copy"
    shutil.copytree(root, copy, ignore=shutil.ignore_patterns(".index"))
    before = sorted(map(str, copy.rglob("*")))
    with Memory(copy, embedder="none", read_only=True) as handle:
        assert handle.recall("readable", k=1)[0].text == "readable"
        with pytest.raises(ReadOnlyStoreError):
            handle.remember("no")
    assert sorted(map(str, copy.rglob("*"))) == before


@pytest.mark.skipif(os.name == "nt", reason="Windows does not rename folders with open files")
def test_a_closed_vault_can_be_moved(mem: Memory, root: Path, tmp_path: Path) -> None:
    """A closed vault works elsewhere, and goes on with its own log."""
    mem.remember("before the move")
    mem.close()
    root.rename(tmp_path / "moved")
    with open_vault(tmp_path / "moved") as moved:
        moved.remember("after the move")
        assert texts(moved) == ["after the move", "before the move"]
        assert moved.verify() == []
    assert len(logs(tmp_path / "moved")) == 1


def test_numbers_that_change_all_the_time_stay_out_of_notes(mem: Memory, root: Path) -> None:
    """Saying a thing again counts it, and leaves its note as it is."""
    mem.remember("said twice")
    note = note_of(root, "said twice")
    before = note.read_bytes()
    mem.remember("said twice")
    assert mem.list()[0].seen == 2
    assert note.read_bytes() == before


def test_backup_of_a_vault_is_one_file(mem: Memory, tmp_path: Path) -> None:
    """A backup is a file that opens as a store with the same answers."""
    mem.remember("kept")
    mem.backup(tmp_path / "copy.db")
    with Memory(tmp_path / "copy.db", embedder="none") as copy:
        assert texts(copy) == ["kept"]
        assert copy.verify() == []
