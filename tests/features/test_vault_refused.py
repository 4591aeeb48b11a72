"""A folder of a vault in which nothing can be written, or a name that nobody can write down, costs no memory."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from tests.features.vault_kit import Vault

FINDING = "could not be written yet"


@pytest.fixture
def refused(vault: Vault) -> Path:
    """A file that lies where the folder of decisions has to be: no note of one can be written."""
    vault.mem.remember("likes tea", subject="user")
    return vault.write("decision", "in the way")


def test_a_memory_whose_note_cannot_be_written_was_taken_away_by_nobody(vault: Vault, refused: Path) -> None:
    id = vault.mem.remember("Postgres it is", kind="decision")
    assert vault.record(id).text == "Postgres it is"
    assert vault.another().stats()["default"]["count"] == 2
    assert "forget" not in [event.op for event in vault.mem.audit()]


def test_a_note_that_could_not_be_written_is_named(vault: Vault, refused: Path) -> None:
    vault.mem.remember("Postgres it is", kind="decision")
    (finding,) = vault.mem.integrity_check()
    assert finding.startswith("decision/")
    assert FINDING in finding


@pytest.mark.parametrize("reopened", [False, True], ids=["at the next write", "at the next opening"])
def test_a_note_that_could_not_be_written_is_written_later(vault: Vault, refused: Path, reopened: bool) -> None:
    id = vault.mem.remember("Postgres it is", kind="decision")
    refused.unlink()
    if reopened:
        vault.close()
    else:
        vault.mem.remember("works in Kobe", subject="user")
    assert vault.record(id).text == "Postgres it is"
    assert vault.file(id).read_text(encoding="utf-8").endswith("Postgres it is\n")
    assert not vault.mem.integrity_check()
    assert [event.op for event in vault.mem.audit() if event.op != "remember"] == []


def test_what_could_not_be_written_outlives_the_index(vault: Vault, refused: Path) -> None:
    id = vault.mem.remember("Postgres it is", kind="decision")
    vault.close()
    for file in (vault.root / ".index").iterdir():
        file.unlink()
    assert vault.record(id).text == "Postgres it is"


@pytest.mark.skipif(sys.platform != "linux", reason="other systems let no such name come about")
@pytest.mark.parametrize("name", [b"bad\xff.md", b"folder\xff/inner.md"], ids=["file", "folder"])
def test_a_name_that_is_not_unicode_is_set_aside_and_the_rest_works(vault: Vault, name: bytes) -> None:
    vault.mem.remember("likes tea", subject="user")
    file = vault.root / os.fsdecode(name)
    file.parent.mkdir(exist_ok=True)
    file.write_text("no way in", encoding="utf-8")
    assert [hit.text for hit in vault.mem.recall("tea")] == ["likes tea"]
    assert list(vault.held().values()) == ["name"]
    assert vault.another().remember("works in Kobe") == 2
    file.unlink()
    assert not vault.held()
