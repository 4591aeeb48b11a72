"""A purge reaches the notes, the archive and the logs of a vault, and says what it cannot reach."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from omoide import Memory
from omoide.testing import FakeClock

from .vaults import clone, logs, notes, open_vault, pull, texts, throw_index_away

SECRETS = ["passphrase-xylophone-7731", "le mot de passe est quarantaine-bleue", "合言葉は木琴七七三一です"]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Where the vault will be."""
    return tmp_path / "notes"


@pytest.fixture
def mem(root: Path, clock: FakeClock) -> Iterator[Memory]:
    """A handle on the vault."""
    with open_vault(root, clock, door_trust="stated") as handle:
        handle.remember("harmless")
        yield handle


def holding(root: Path, text: str) -> list[str]:
    """Return the files that hold the bytes of a text, the index aside."""
    files = [file for file in root.rglob("*") if file.is_file()]
    return [str(file) for file in files if text.encode() in file.read_bytes()]


@pytest.mark.parametrize("secret", SECRETS)
def test_no_file_holds_it(mem: Memory, root: Path, secret: str) -> None:
    """After a purge no note, no line of a log and no page of the index holds the text."""
    id = mem.remember(secret, subject="vault")
    mem.revise(id, f"{secret}, revised")
    assert holding(root, secret)
    receipt = mem.purge(id)
    assert receipt.verified
    assert holding(root, secret) == []
    assert texts(mem) == ["harmless"]


def test_a_forgotten_memory_too(mem: Memory, root: Path) -> None:
    """What lies in the archive goes as well."""
    id = mem.remember(SECRETS[0])
    mem.forget(id)
    mem.purge(id)
    assert holding(root, SECRETS[0]) == []
    assert len(notes(root)) == 1


def test_it_does_not_come_back(mem: Memory, root: Path) -> None:
    """A rebuild after a purge knows that something was purged, and not what it was."""
    id = mem.remember(SECRETS[0])
    mem.purge(id)
    throw_index_away(root)
    assert texts(mem) == ["harmless"]
    assert mem.verify() == mem.integrity_check() == []
    assert [event.op for event in mem.audit()][-1] == "purge"


def test_a_note_of_it_that_git_left_lying_is_set_aside(mem: Memory, root: Path) -> None:
    """A file with the uid of a purged memory, edited meanwhile elsewhere, is not taken in, nor by a rebuild."""
    id = mem.remember(SECRETS[0], subject="vault")
    (file,) = holding(root / "fact", SECRETS[0])
    edited = Path(file).read_text(encoding="utf-8").replace(SECRETS[0], "edited in another clone")
    mem.purge(id)
    Path(file).write_text(edited, encoding="utf-8")
    assert texts(mem) == ["harmless"]
    assert [("purged" in held.reason, held.path) for held in mem.quarantine()] == [
        (True, str(Path(file).relative_to(root).as_posix()))
    ]
    throw_index_away(root)
    assert texts(mem) == ["harmless"]
    assert [held.path for held in mem.quarantine()] == [str(Path(file).relative_to(root).as_posix())]


def test_another_copy_purges_when_it_hears_of_it(mem: Memory, root: Path, tmp_path: Path, clock: FakeClock) -> None:
    """A clone that takes in the log of the purge erases the memory in its own database, notes and logs."""
    id = mem.remember(SECRETS[0])
    with open_vault(clone(root, tmp_path / "clone"), clock) as other:
        other.remember("written in the clone")
        mem.purge(id)
        pull(root, tmp_path / "clone")
        assert texts(other) == ["harmless", "written in the clone"]
        assert holding(tmp_path / "clone", SECRETS[0]) == []


def test_the_receipt_names_what_is_out_of_reach(mem: Memory, root: Path) -> None:
    """Other copies of the folder and the history of git are named."""
    (root / ".git").mkdir()
    receipt = mem.purge(mem.remember(SECRETS[0]))
    assert any("git" in left for left in receipt.remaining)
    assert "notes" in receipt.locations
    assert "logs" in receipt.locations


def test_a_whole_namespace(root: Path, mem: Memory) -> None:
    """Every note of a namespace goes, those of others stay."""
    with open_vault(root, namespace="other") as other:
        for n in range(5):
            other.remember(f"{SECRETS[0]} {n}")
        other.purge(namespace="other")
    assert holding(root, SECRETS[0]) == []
    assert texts(mem) == ["harmless"]


def test_logs_are_one_again(mem: Memory, root: Path) -> None:
    """After a purge there is one log, which holds the present state."""
    for n in range(3):
        mem.remember(f"fact {n}")
        throw_index_away(root)
    mem.purge(mem.remember(SECRETS[0]))
    assert len(logs(root)) == 1
    throw_index_away(root)
    assert len(texts(mem)) == 4
