from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.features.conftest import database

from omoide import Memory
from omoide.errors import DamagedStoreError, InvalidInputError, StoreBusyError
from omoide.testing import FakeEmbedder

Opener = Callable[..., Memory]
MODEL = FakeEmbedder(16)

WRITER = """
import sys
from omoide import Memory
from omoide.testing import FakeEmbedder
mem = Memory(sys.argv[1], embedder=FakeEmbedder(16))
n = 0
while True:
    mem.remember(f"note {n} by the child")
    n += 1
    print(n, flush=True)
"""


def test_while_another_process_writes(opened: Opener, path: Path, tmp_path: Path) -> None:
    """The copy is one moment of the store: all that was acknowledged before it, whole and in order."""
    mem = opened(embedder=MODEL)
    mem.remember("tea at four")
    child = subprocess.Popen([sys.executable, "-c", WRITER, str(path)], stdout=subprocess.PIPE, text=True)
    try:
        assert child.stdout is not None
        for number in range(5):
            acknowledged = int(child.stdout.readline())
            target = tmp_path / f"copy-{number}.db"
            assert mem.backup(target) == str(target)
            copy = opened(path=target, embedder=MODEL)
            texts = {record.text for record in copy.list()}
            assert {"tea at four", *(f"note {n} by the child" for n in range(acknowledged))} <= texts
            assert copy.integrity_check() == []
            assert mem.verify(copy.head()) == []
            copy.close()
    finally:
        child.kill()
        child.communicate()


def test_the_copy_is_one_closed_file(opened: Opener, tmp_path: Path) -> None:
    mem = opened(embedder=MODEL)
    mem.remember("tea at four")
    folder = tmp_path / "made" / "on the way"
    mem.backup(folder / "copy.db")
    assert [file.name for file in folder.iterdir()] == ["copy.db"]
    (folder / "copy.db").rename(tmp_path / "elsewhere.db")
    assert [hit.text for hit in opened(path=tmp_path / "elsewhere.db").recall("tea")] == ["tea at four"]


def test_what_bulk_holds_back_is_in_the_copy(opened: Opener, tmp_path: Path) -> None:
    mem = opened()
    with mem.bulk():
        mem.remember("tea at four")
        mem.backup(tmp_path / "copy.db")
    assert len(opened(path=tmp_path / "copy.db").list()) == 1


def test_a_store_in_memory(opened: Opener, tmp_path: Path) -> None:
    mem = opened(path=":memory:")
    mem.remember("tea at four")
    mem.backup(tmp_path / "copy.db")
    assert [hit.text for hit in opened(path=tmp_path / "copy.db").recall("tea")] == ["tea at four"]


def test_a_store_that_may_only_be_read(opened: Opener, tmp_path: Path) -> None:
    opened().remember("tea at four")
    opened(read_only=True).backup(tmp_path / "copy.db")
    assert len(opened(path=tmp_path / "copy.db").list()) == 1


def test_an_existing_file_is_replaced_only_when_told_so(opened: Opener, tmp_path: Path) -> None:
    mem = opened()
    mem.remember("tea at four")
    target = tmp_path / "copy.db"
    target.write_text("precious")
    with pytest.raises(InvalidInputError, match="overwrite"):
        mem.backup(target)
    assert target.read_text() == "precious"
    mem.backup(target, overwrite=True)
    assert len(opened(path=target).list()) == 1
    assert {file.name for file in tmp_path.iterdir() if file.name.startswith("copy")} >= {"copy.db"}


@pytest.mark.parametrize("overwrite", [False, True])
def test_places_that_cannot_be_meant(opened: Opener, path: Path, tmp_path: Path, overwrite: bool) -> None:
    """Neither the store itself nor a folder is overwritten."""
    mem = opened()
    mem.remember("tea at four")
    for target in (path, tmp_path, ""):
        with pytest.raises(InvalidInputError):
            mem.backup(target, overwrite=overwrite)
    assert len(mem.list()) == 1


def test_an_open_store_is_not_replaced(opened: Opener, tmp_path: Path) -> None:
    mem, other = opened(), opened(path=tmp_path / "other.db")
    mem.remember("tea at four")
    other.remember("milk at noon")
    with pytest.raises(StoreBusyError):
        mem.backup(tmp_path / "other.db", overwrite=True)
    assert [record.text for record in other.list()] == ["milk at noon"]


def test_a_damaged_store_does_not_replace_a_good_copy(opened: Opener, path: Path, tmp_path: Path) -> None:
    """The last good backup survives; no half file is left behind."""
    mem = opened()
    with mem.bulk():
        for n in range(300):
            mem.remember(f"note {n} on tea " + "and more " * 20)
    target = tmp_path / "copy.db"
    mem.backup(target)
    good = target.read_bytes()
    mem.close()
    with database(path).open("r+b") as file:
        file.seek(20 * 4096)
        file.write(b"\xff" * 4096)
    with pytest.raises(DamagedStoreError, match="repair"):
        opened().backup(target, overwrite=True)
    assert target.read_bytes() == good
    assert [file.name for file in tmp_path.glob("copy*")] == ["copy.db"]
