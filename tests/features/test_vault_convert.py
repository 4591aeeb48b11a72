"""A file becomes a folder of notes and a folder a file, and nothing is lost on the way."""

from __future__ import annotations

from pathlib import Path

import pytest

from omoide import Index, Memory
from omoide.errors import InvalidInputError
from omoide.testing import FakeClock
from omoide.vault.store import VaultStore

from .test_vault_rebuild import answers, busy
from .vaults import note_of, notes, open_vault, texts, throw_index_away


@pytest.fixture
def mem(tmp_path: Path, clock: FakeClock) -> Memory:
    """A handle on a store that is a file."""
    return Memory(tmp_path / "agents.db", clock=clock, embedder="none")


def test_there_and_back(mem: Memory, tmp_path: Path, clock: FakeClock) -> None:
    """A file made into a vault, its index thrown away, and made into a file again answers as it did."""
    ids = busy(mem, clock)
    before = answers(mem, ids)
    mem.convert(f"{tmp_path}/notes/")
    throw_index_away(tmp_path / "notes")
    with open_vault(tmp_path / "notes", clock) as vault:
        assert answers(vault, ids) == before
        vault.convert(tmp_path / "again.db")
    with Memory(tmp_path / "again.db", clock=clock, embedder="none") as again:
        assert answers(again, ids) == before
        assert again.verify() == again.integrity_check() == []


def test_every_memory_gets_its_note(mem: Memory, tmp_path: Path) -> None:
    """The notes say what is believed, in any script."""
    for text in ("lives in Osaka", "boit du thé", "猫を飼っている"):
        mem.remember(text)
    mem.convert(f"{tmp_path}/notes/")
    assert len(notes(tmp_path / "notes")) == 3
    note_of(tmp_path / "notes", "猫を飼っている")


def test_documents_come_along(mem: Memory, tmp_path: Path) -> None:
    """Reference material is found in the new store."""
    with Index(tmp_path / "agents.db", embedder="none") as idx:
        idx.add_text("the gate opens at nine", source="gate.txt")
    mem.convert(f"{tmp_path}/notes/")
    with Index(tmp_path / "notes", embedder="none") as idx:
        assert idx.search("gate", k=1)[0].text == "the gate opens at nine"


def test_the_new_vault_is_used_like_any(mem: Memory, tmp_path: Path) -> None:
    """Writes and edits of notes go on in the vault."""
    id = mem.remember("written in the file")
    mem.convert(f"{tmp_path}/notes/")
    with open_vault(tmp_path / "notes") as vault:
        vault.revise(id, "revised in the vault")
        note = note_of(tmp_path / "notes", "revised in the vault")
        note.write_text(note.read_text(encoding="utf-8").replace("revised", "edited"), encoding="utf-8")
        assert texts(vault) == ["edited in the vault"]
        assert vault.verify() == vault.integrity_check() == []


def test_notes_of_a_person_stay(mem: Memory, tmp_path: Path) -> None:
    """A folder with notes in it becomes a vault beside them."""
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "mine.md").write_bytes(b"# My own\r\n")
    mem.remember("from the store")
    mem.convert(tmp_path / "notes")
    assert (tmp_path / "notes" / "mine.md").read_bytes() == b"# My own\r\n"
    with open_vault(tmp_path / "notes") as vault:
        assert texts(vault) == ["from the store"]


def test_nothing_is_overwritten(mem: Memory, tmp_path: Path) -> None:
    """A vault or a file that is there is refused, and so is a store of the same kind."""
    mem.remember("x")
    mem.convert(f"{tmp_path}/notes/")
    with pytest.raises(InvalidInputError, match="already"):
        mem.convert(f"{tmp_path}/notes/")
    with pytest.raises(InvalidInputError, match="backup"):
        mem.convert(tmp_path / "other.db")
    with open_vault(tmp_path / "notes") as vault, pytest.raises(InvalidInputError, match="exists"):
        vault.convert(tmp_path / "agents.db")


def test_a_purge_names_the_converted_store(mem: Memory, tmp_path: Path) -> None:
    """What was written to another store is out of reach, and the receipt says so."""
    id = mem.remember("a secret xylophone")
    mem.convert(f"{tmp_path}/notes/")
    assert any("notes" in left for left in mem.purge(id).remaining)


class _StoppedError(BaseException):
    """Ctrl-C, wherever the next step would be."""


def _stop(*_: object, **__: object) -> None:
    raise _StoppedError


def test_a_conversion_that_is_stopped_early_leaves_no_vault(
    mem: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before the new store is whole there is none: the same call makes it."""
    mem.remember("from the store")
    with monkeypatch.context() as patched:
        patched.setattr(Path, "touch", _stop)
        with pytest.raises(_StoppedError):
            mem.convert(f"{tmp_path}/notes/")
    mem.convert(f"{tmp_path}/notes/")
    with open_vault(tmp_path / "notes") as vault:
        assert texts(vault) == ["from the store"]


@pytest.mark.parametrize("step", ["adopt", "_deliver"])
def test_a_conversion_that_is_stopped_late_goes_on_at_the_next_opening(
    mem: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    """Once it has every memory the vault gets its notes and its log, whoever opens it."""
    mem.remember("from the store", subject="user")
    mem.remember("猫を飼っている")
    with monkeypatch.context() as patched:
        patched.setattr(VaultStore, step, _stop)
        with pytest.raises(_StoppedError):
            mem.convert(f"{tmp_path}/notes/")
    with open_vault(tmp_path / "notes") as vault:
        assert len(notes(tmp_path / "notes")) == 2
    throw_index_away(tmp_path / "notes")
    with open_vault(tmp_path / "notes") as vault:
        assert texts(vault) == ["from the store", "猫を飼っている"]
        assert vault.verify() == vault.integrity_check() == []
        assert not vault.quarantine()
