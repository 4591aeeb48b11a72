"""What other systems and programs do to a folder: names in other forms, files held open, an index put in its place."""

from __future__ import annotations

import os
import shutil
import unicodedata
from pathlib import Path

import pytest
from tests.features.vault_kit import Vault

from omoide.vault import outbox


@pytest.fixture
def osaka(vault: Vault) -> int:
    return vault.mem.remember("lives in Osaka", subject="user")


def test_an_index_that_another_program_puts_in_its_place_takes_nothing_away(
    vault: Vault, osaka: int, tmp_path: Path
) -> None:
    """A backup that is put back, a cloud that syncs the wrong folder: the handle goes on with what the files say."""
    other = Vault(tmp_path / "other", vault.clock)
    other.mem.remember("of somebody else")
    other.close()
    copied = vault.root / ".index" / "copied"
    shutil.copy(other.root / ".index" / "omoide.db", copied)
    copied.replace(vault.root / ".index" / "omoide.db")
    assert [record.text for record in vault.mem.list()] == ["lives in Osaka"]
    vault.mem.remember("likes tea")
    vault.close()
    assert sorted(record.text for record in vault.mem.list()) == ["likes tea", "lives in Osaka"]


def test_an_index_overwritten_in_place_is_made_again_at_the_next_opening(vault: Vault, osaka: int) -> None:
    vault.mem.list()
    for name in ("omoide.db", "omoide.db-wal", "omoide.db-shm"):
        file = vault.root / ".index" / name
        if file.exists():
            with file.open("r+b") as opened:
                opened.write(b"\xff" * file.stat().st_size)
    fresh = Vault(vault.root, vault.clock)
    assert fresh.record(osaka).text == "lives in Osaka"
    fresh.close()


def test_a_name_that_a_file_system_writes_in_another_form_of_unicode_is_the_same_note(vault: Vault) -> None:
    id = vault.mem.remember("ouvre à neuf heures", subject="café", predicate="été")
    file = vault.file()
    assert file.name == unicodedata.normalize("NFC", file.name)
    file.rename(file.with_name(unicodedata.normalize("NFD", file.name)))
    assert vault.record(id).text == "ouvre à neuf heures"
    assert [event.op for event in vault.mem.audit()] == ["remember"]
    assert vault.held() == {}


@pytest.mark.parametrize("subject", ["CON", "nul", "aux.txt", "COM1", "trailing dot.", "a:b?c*", "x" * 400, "長" * 300])
def test_every_name_is_legal_on_every_system(vault: Vault, subject: str) -> None:
    id = vault.mem.remember("something", subject=subject, predicate="p", project=subject)
    path = vault.file(id).relative_to(vault.root)
    for part in path.parts:
        assert len(part.encode("utf-8")) <= 255
        assert not set(part) & set('<>:"\\|?*')
        assert part.rstrip(". ") == part
        assert part.partition(".")[0].lower() not in ("con", "nul", "aux", "prn", "com1")
    assert vault.record(id).subject == subject.strip()


def test_two_names_that_differ_in_case_only_are_two_files_on_a_system_that_folds_it(vault: Vault) -> None:
    for subject in ("Readme", "README", "readme"):
        vault.mem.remember(f"about {subject}", subject=subject, predicate="p")
    names = [path.casefold() for path in vault.notes()]
    assert len(set(names)) == len(names) == 3


def test_a_note_that_a_program_keeps_open_is_written_when_it_lets_go(
    vault: Vault, osaka: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Windows lets nobody replace an open file: the write stands, the note follows, nothing is taken for an edit."""
    held, real = vault.file(), os.replace

    def refusing(source: str, target: str) -> None:
        if Path(target) == held:
            raise PermissionError(13, "it is open in another program")
        real(source, target)

    vault.mem.list()
    monkeypatch.setattr(outbox, "_PAUSE", 0.0)
    monkeypatch.setattr(os, "replace", refusing)
    vault.mem.revise(osaka, "lives in Tokyo")
    assert "Osaka" in held.read_text(encoding="utf-8")
    assert vault.record(osaka).text == "lives in Tokyo"
    monkeypatch.setattr(os, "replace", real)
    vault.mem.remember("another")
    assert "Tokyo" in held.read_text(encoding="utf-8")
    assert [event.op for event in vault.mem.audit()] == ["remember", "revise", "remember"]


@pytest.mark.parametrize("at", ["its change", "its move"])
def test_a_note_that_a_program_keeps_open_goes_to_the_archive_when_it_lets_go(
    vault: Vault, osaka: int, monkeypatch: pytest.MonkeyPatch, at: str
) -> None:
    """A forget stands meanwhile: that its note is still where it was brings nothing back."""
    held, real = vault.file(), os.replace

    def refusing(source: str, target: str) -> None:
        if held == Path(target if at == "its change" else source):
            raise PermissionError(13, "it is open in another program")
        real(source, target)

    vault.mem.list()
    with monkeypatch.context() as patched:
        patched.setattr(outbox, "_PAUSE", 0.0)
        patched.setattr(os, "replace", refusing)
        vault.mem.forget(osaka)
        for _ in range(2):
            assert vault.mem.list() == []
        assert held.exists()
    vault.mem.remember("another")
    assert vault.mem.quarantine() == []
    assert "status: forgotten" in (vault.root / "archive" / held.relative_to(vault.root)).read_text(encoding="utf-8")
    assert not held.exists()
    for _ in range(2):
        assert [event.op for event in vault.mem.audit()] == ["remember", "forget", "remember"]


def test_a_note_edited_while_it_is_moved_away_counts(vault: Vault, osaka: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The edit of a person between the commit of a forget and the move of the note brings the memory back with it."""
    file, carry_out = vault.file(), outbox.carry_out

    def late(*arguments: object, **more: object) -> object:
        monkeypatch.setattr(outbox, "carry_out", carry_out)
        file.write_bytes(file.read_bytes().replace(b"Osaka", b"Kobe"))
        return carry_out(*arguments, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(outbox, "carry_out", late)
    vault.mem.forget(osaka)
    assert [record.text for record in vault.mem.list()] == ["lives in Kobe"]
    assert vault.mem.quarantine() == []
    assert vault.file() == file
