"""The look that a hook has and the look that a call has at a folder see the same, whatever lies in it."""

from __future__ import annotations

import os
import shutil
import unicodedata
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from omoide import Memory
from omoide.store.sqlite.notes import Notes
from omoide.store.sqlite.store import SqliteStore
from omoide.vault import scan
from omoide.vault.peek import edited

from .vaults import note_of, open_vault

NOTE = "---\ntype: fact\nsubject: user\n---\nprefers green tea\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "notes"


@pytest.fixture
def mem(root: Path) -> Iterator[Memory]:
    with open_vault(root) as handle:
        handle.remember("the gate opens at nine", subject="gate")
        handle.remember("les clés sont à l'accueil", subject="clés")
        handle.list()
        yield handle


def at(path: str, data: str | bytes = NOTE) -> Callable[[Path], None]:
    def put(root: Path) -> None:
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data if isinstance(data, bytes) else data.encode("utf-8"))

    return put


def link(path: str, target: str, *, folder: bool = False) -> Callable[[Path], None]:
    def put(root: Path) -> None:
        try:
            (root / path).symlink_to((root / target).resolve(), target_is_directory=folder)
        except OSError:
            pytest.skip("this system makes no links")

    return put


def outside(root: Path) -> None:
    (root.parent / "elsewhere").mkdir()
    at("../elsewhere/note.md")(root)
    link("linked", "../elsewhere", folder=True)(root)


def pipe(root: Path) -> None:
    if not hasattr(os, "mkfifo"):
        pytest.skip("this system has no pipes in folders")
    os.mkfifo(root / "pipe.md")


def huge(root: Path) -> None:
    with (root / "huge.md").open("wb") as file:
        file.truncate(9_000_000)


def gone(root: Path) -> None:
    note_of(root, "at nine").unlink()


def in_the_cloud(root: Path) -> None:
    note = note_of(root, "at nine")
    note.rename(note.with_name(f".{note.name}.icloud"))


def decomposed(root: Path) -> None:
    note = note_of(root, "accueil")
    note.rename(note.with_name(unicodedata.normalize("NFD", note.name)))


def changed(root: Path) -> None:
    note = note_of(root, "at nine")
    note.write_text(note.read_text(encoding="utf-8").replace("nine", "ten"), encoding="utf-8")


def written_again(root: Path) -> None:
    note = note_of(root, "at nine")
    data = note.read_bytes()
    note.unlink()
    note.write_bytes(data)


def copied(root: Path) -> None:
    note = note_of(root, "at nine")
    shutil.copy(note, note.with_name(f"{note.stem} (conflicted copy 2026-06-01).md"))


def no_folder(root: Path) -> None:
    note = note_of(root, "at nine")
    shutil.rmtree(note.parent)


KINDS: dict[str, Callable[[Path], None]] = {
    "a note": at("a.md"), "another ending": at("a.markdown"), "capitals": at("A.MD"), "mixed": at("a.MarkDown"),
    "text": at("a.txt"), "no name": at(".md"), "hidden": at(".a.md"), "a hidden folder": at(".trash/a.md"),
    "deep": at("一/二/三/四.md"), "programs": at("node_modules/a.md"), "programs below": at("a/venv/lib/a.md"),
    "our own": at(".omoide/a.md"), "the index": at(".index/a.md"), "the list": at("MEMORY.md", "mine\n"),
    "a list below": at("a/MEMORY.md"), "a folder like a note": at("a.md/b.md"), "empty": at("a.md", b""),
    "shift-jis": at("a.md", "---\nuid: x\n---\n思い出".encode("shift-jis")),
    "bom": at("a.md", b"\xef\xbb\xbf" + NOTE.encode()), "in the cloud": in_the_cloud,
    "conflict": at("a.md", f"{NOTE}<<<<<<< a\nx\n=======\ny\n>>>>>>> b\n"), "unclosed": at("a.md", "---\nuid: x\n"),
    "odd name": at("a  b's #1 [x]&%.md"), "huge": huge, "gone": gone, "no folder": no_folder,
    "decomposed": decomposed, "changed": changed, "written again": written_again, "copied": copied, "pipe": pipe,
    "a link in": link("linked.md", "fact"), "a link nowhere": link("linked.md", "nothing.md"),
    "a folder outside": outside,
    "a folder inside": link("linked", "fact", folder=True), "a sheet": at("archive/sessions/2026-05/a.md"),
}  # fmt: skip


def swept(root: Path) -> bool:
    """Say whether a call would find something to do."""
    store = SqliteStore(str(root / ".index" / "omoide.db"), read_only=True)
    try:
        with store.read(None) as tx:
            notes = Notes(tx.connection)
            known = {row.path: row for row in notes.seen()}
            return bool(scan.sweep(root, known, {row.path: row.stat for row in notes.held()}))
    finally:
        store.close()


@pytest.mark.parametrize("kind", KINDS)
def test_both_looks_see_a_change_or_none(mem: Memory, root: Path, kind: str) -> None:
    """A hook finds something where a call does, and neither does once it was taken in."""
    assert edited(str(root)) == 0
    assert not swept(root)
    KINDS[kind](root)
    assert bool(edited(str(root))) == swept(root)
    mem.list()
    assert edited(str(root)) == 0
    assert not swept(root)


def test_a_link_that_leads_out_is_set_aside_and_brings_a_hook_nothing(mem: Memory, root: Path) -> None:
    (root.parent / "outside.md").write_text(NOTE, encoding="utf-8")
    link("linked.md", "../outside.md")(root)
    assert edited(str(root)) == 0
    assert [each.code for each in mem.quarantine()] == ["link_outside"]
    assert edited(str(root)) == 0
