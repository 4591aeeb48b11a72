from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from omoide.store.sqlite.notes import SeenRow
from omoide.vault.frontmatter import render
from omoide.vault.scan import Changes, sweep


class Folder:
    """A vault of a few notes, and what is known of it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        (root / ".omoide").mkdir()
        for number in range(4):
            self.write(f"n{number}.md", number)
        self.known: dict[str, SeenRow] = {}
        self.held: dict[str, str | None] = {}
        self.learn()

    def write(self, path: str, number: int, text: str = "text") -> Path:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(render(None, {"id": number, "uid": uid(number)}, text))
        return file

    def sweep(self) -> Changes:
        return sweep(self.root, self.known, self.held)

    def learn(self) -> Changes:
        """Sweep, and take what was found for known, as the store does."""
        changes = self.sweep()
        for each in changes.vanished:
            del self.known[each.path]
        for move in changes.moved:
            del self.known[move.old]
        for look in (*changes.created, *changes.edited, *changes.touched, *(move.look for move in changes.moved)):
            self.known[look.path] = SeenRow(look.path, look.hash, look.stat, look.uid)
        for path in changes.mended:
            self.held.pop(path, None)
        self.held |= {each.path: each.stat for each in changes.damaged}
        return changes


def uid(number: int) -> str:
    return f"0192a000-0000-7000-8000-{number:012d}"


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return Folder(tmp_path)


def paths(looks: list) -> list[str]:
    return sorted(look.path for look in looks)


def test_nothing_changed_is_nothing_found(folder: Folder) -> None:
    assert not folder.sweep()


def test_an_edit_of_the_same_length_at_once_is_seen(folder: Folder) -> None:
    file = folder.root / "n1.md"
    for text in ("aaaa", "bbbb", "cccc"):
        file.write_bytes(file.read_bytes()[:-5] + text.encode() + b"\n")
        assert [look.note.body for look in folder.learn().edited if look.note] == [text]


def test_a_note_in_another_place_is_moved_even_when_it_was_edited(folder: Folder) -> None:
    (folder.root / "deep").mkdir()
    (folder.root / "n1.md").rename(folder.root / "deep" / "x.md")
    (folder.root / "n2.md").unlink()
    folder.write("y.md", 2, "other text")
    changes = folder.learn()
    assert sorted((move.old, move.look.path, move.edited) for move in changes.moved) == [
        ("n1.md", "deep/x.md", False), ("n2.md", "y.md", True),
    ]  # fmt: skip
    assert not changes.created
    assert not changes.vanished


def test_notes_that_are_gone_and_new_ones(folder: Folder) -> None:
    (folder.root / "n3.md").unlink()
    (folder.root / "mine.md").write_text("# Mine\n", encoding="utf-8")
    changes = folder.learn()
    assert [each.path for each in changes.vanished] == ["n3.md"]
    assert paths(changes.created) == ["mine.md"]
    assert not folder.sweep()


@pytest.mark.parametrize(
    "name, code",
    [
        ("n1 (conflicted copy 2026-05-01).md", "conflict_copy"),
        ("n1.sync-conflict-20260501-101112-ABCDEFG.md", "conflict_copy"),
        ("n1 2.md", "conflict_copy"),
        ("n1 (1).md", "conflict_copy"),
        ("n1 copy.md", "conflict_copy"),
        ("n1 (競合コピー 2026-05-01).md", "conflict_copy"),
        ("n1 (copie en conflit de Marie).md", "conflict_copy"),
        ("other.md", "duplicate"),
    ],
)
def test_a_copy_of_a_note_is_set_aside_and_the_note_stays(folder: Folder, name: str, code: str) -> None:
    shutil.copy(folder.root / "n1.md", folder.root / name)
    changes = folder.learn()
    assert [(each.path, each.code) for each in changes.damaged] == [(name, code)]
    assert "n1.md" in changes.damaged[0].reason
    assert not folder.sweep()


def test_when_the_note_goes_its_copy_takes_its_place(folder: Folder) -> None:
    shutil.copy(folder.root / "n1.md", folder.root / "zz.md")
    folder.learn()
    (folder.root / "n1.md").unlink()
    changes = folder.learn()
    assert [(move.old, move.look.path) for move in changes.moved] == [("n1.md", "zz.md")]
    assert changes.mended == ["zz.md"]
    assert not folder.held


def test_a_damaged_note_is_no_note_that_is_gone_and_comes_back_when_mended(folder: Folder) -> None:
    good = (folder.root / "n2.md").read_bytes()
    (folder.root / "n2.md").write_bytes(good.replace(b"---\ntext", b"text"))
    changes = folder.learn()
    assert [(each.path, each.code, each.uid) for each in changes.damaged] == [("n2.md", "unclosed", uid(2))]
    assert not changes.vanished
    assert not folder.sweep()
    (folder.root / "n2.md").write_bytes(good)
    assert folder.learn().mended == ["n2.md"]
    assert not folder.held


def test_an_emptied_note_is_half_written_and_not_forgotten(folder: Folder) -> None:
    (folder.root / "n2.md").write_bytes(render(None, {"id": 2, "uid": uid(2)}, " "))
    assert [each.code for each in folder.learn().damaged] == ["empty"]
    (folder.root / "n1.md").write_bytes(b"")
    assert [each.code for each in folder.learn().damaged] == ["empty"]


def test_a_huge_note_is_not_read(folder: Folder) -> None:
    with (folder.root / "big.md").open("wb") as file:
        file.truncate(50_000_000)
    changes = folder.learn()
    assert [(each.path, each.code) for each in changes.damaged] == [("big.md", "too_large")]
    assert "50000000 bytes" in changes.damaged[0].reason


def test_a_link_out_of_the_vault_is_named_and_not_followed(
    folder: Folder, tmp_path_factory: pytest.TempPathFactory
) -> None:
    outside = tmp_path_factory.mktemp("outside")
    (outside / "secret.md").write_text("secret", encoding="utf-8")
    try:
        (folder.root / "link.md").symlink_to(outside / "secret.md")
        (folder.root / "folder").symlink_to(outside, target_is_directory=True)
        (folder.root / "inside.md").symlink_to(folder.root / "n1.md")
    except OSError:
        pytest.skip("this account may not make links")
    changes = folder.learn()
    assert [(each.path, each.code) for each in changes.damaged] == [("link.md", "link_outside")]
    assert not changes.created
    assert not folder.sweep()


def test_what_programs_hide_is_left_alone(folder: Folder) -> None:
    for hidden in (".git", ".obsidian", ".trash", ".index", "node_modules"):
        (folder.root / hidden).mkdir()
        (folder.root / hidden / "x.md").write_text("x", encoding="utf-8")
    (folder.root / ".hidden.md").write_text("x", encoding="utf-8")
    (folder.root / "MEMORY.md").write_text("x", encoding="utf-8")
    assert not folder.sweep()


def test_a_folder_that_is_not_there_or_no_vault_has_no_changes(folder: Folder, tmp_path: Path) -> None:
    shutil.rmtree(folder.root / ".omoide")
    assert not folder.sweep()
    assert not sweep(tmp_path / "nowhere", folder.known)


@pytest.mark.skipif(
    os.name == "nt" or not hasattr(os, "geteuid") or os.geteuid() == 0, reason="needs rights to take away"
)
def test_notes_of_a_folder_that_cannot_be_read_are_not_gone(folder: Folder) -> None:
    folder.write("deep/n9.md", 9)
    folder.learn()
    (folder.root / "deep").chmod(0)
    try:
        assert not folder.sweep().vanished
    finally:
        (folder.root / "deep").chmod(0o700)


def test_a_name_in_the_other_form_of_unicode_is_the_same_note(folder: Folder) -> None:
    folder.write("caf\u00e9.md", 7)
    folder.learn()
    (folder.root / "caf\u00e9.md").rename(folder.root / "cafe\u0301.md")
    assert not folder.sweep()


def test_a_strangers_note_with_odd_front_matter_is_a_text(folder: Folder) -> None:
    (folder.root / "template.md").write_text("---\ntitle: {{title}\n---\ntext\n", encoding="utf-8")
    changes = folder.learn()
    assert paths(changes.created) == ["template.md"]
    assert not changes.damaged


def test_only_the_states_of_files_are_asked_when_nothing_changed(
    folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    for path in folder.root.glob("*.md"):
        os.utime(path, ns=(1, 1_700_000_000_123_456_789))
    folder.learn()
    reads: list[Path] = []
    monkeypatch.setattr(Path, "read_bytes", reads.append)
    assert not folder.sweep()
    assert not reads


def test_a_note_that_a_cloud_keeps_elsewhere_for_now_is_not_gone(folder: Folder) -> None:
    folder.write("deep/n9.md", 9)
    folder.learn()
    for path in ("n1.md", "deep/n9.md"):
        file = folder.root / path
        file.rename(file.with_name(f".{file.name}.icloud"))
    assert not folder.sweep()


def test_a_note_written_over_by_another_is_displaced_and_not_gone(folder: Folder) -> None:
    (folder.root / "n1.md").replace(folder.root / "n2.md")
    changes = folder.sweep()
    assert [(move.old, move.look.path) for move in changes.moved] == [("n1.md", "n2.md")]
    assert [seen.path for seen in changes.displaced] == ["n2.md"]
    assert not changes.vanished


def test_a_mended_note_is_told_until_that_is_written_down(folder: Folder) -> None:
    good = (folder.root / "n2.md").read_bytes()
    (folder.root / "n2.md").write_bytes(b"---\nuid: [")
    folder.learn()
    (folder.root / "n2.md").write_bytes(good)
    os.utime(folder.root / "n2.md", ns=(1, 1_700_000_000_123_456_789))
    for look in folder.sweep().touched:
        folder.known[look.path] = SeenRow(look.path, look.hash, look.stat, look.uid)
    assert folder.sweep().mended == ["n2.md"]
