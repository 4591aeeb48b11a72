"""A damaged note is set aside with the reason; everything else works, and nothing of it is lost."""

from __future__ import annotations

import shutil

import pytest
from tests.features.vault_kit import Vault

from omoide import Index


@pytest.fixture
def osaka(vault: Vault) -> int:
    id = vault.mem.remember("lives in Osaka", subject="user")
    vault.mem.remember("likes tea", subject="user", predicate="likes")
    return id


def damages() -> dict[str, tuple[str, bytes]]:
    front = b"---\nid: 1\nuid: %s\ntype: fact\n---\n"
    return {
        "shift_jis": ("encoding", front + "大阪に住む".encode("shift-jis")),
        "utf_16": ("encoding", "大阪".encode("utf-16")),
        "yaml": ("front_matter", b"---\nid: [1\nuid: %s\n---\nx\n"),
        "twice": ("front_matter", b"---\nid: 1\nid: 2\nuid: %s\n---\nx\n"),
        "half": ("unclosed", b"---\nid: 1\nuid: %s\ntype: fa"),
        "emptied": ("empty", b""),
        "blank": ("empty", front + b"\n\n"),
        "conflict": ("conflict", front + b"<<<<<<< HEAD\nlives in Kobe\n=======\nlives in Nara\n>>>>>>> topic\n"),
        "front_conflict": (
            "conflict",
            b"---\nid: 1\nuid: %s\n<<<<<<< HEAD\ntrust: observed\n=======\ntrust: stated\n>>>>>>> b\n---\nx\n",
        ),
        "huge": ("too_large", front + b"x" * 9_000_000),
    }  # fmt: skip


@pytest.mark.parametrize("name", list(damages()))
def test_a_damaged_note_is_held_and_its_memory_stays_until_it_is_mended(vault: Vault, osaka: int, name: str) -> None:
    code, data = damages()[name]
    file, good = vault.file(osaka), vault.file(osaka).read_bytes()
    bad = data.replace(b"%s", vault.record(osaka).uid.encode())
    file.write_bytes(bad)
    (held,) = vault.mem.quarantine()
    assert (held.path, held.code) == (file.relative_to(vault.root).as_posix(), code)
    assert vault.record(osaka).text == "lives in Osaka"
    assert [hit.text for hit in vault.mem.recall("tea")] == ["likes tea"]
    new = vault.mem.remember("works in Kobe", subject="user")
    assert file.read_bytes() == bad
    file.write_bytes(good.replace(b"Osaka", b"Sakai"))
    assert vault.record(osaka).text == "lives in Sakai"
    assert not vault.mem.quarantine()
    assert vault.mem.get(new) is not None


def test_a_conflict_names_both_sides(vault: Vault, osaka: int) -> None:
    text = "<<<<<<< HEAD\nlives in Kobe\n=======\nlives in Nara\n>>>>>>> topic"
    vault.edit("lives in Osaka", text, osaka)
    (held,) = vault.mem.quarantine()
    assert "'HEAD'" in held.reason
    assert "'topic'" in held.reason
    assert not vault.mem.recall("Kobe")
    assert not vault.mem.recall("Nara")


def test_a_write_never_touches_a_damaged_note(vault: Vault, osaka: int) -> None:
    file = vault.file(osaka)
    file.write_bytes(b"---\nuid: broken\n<<<")
    vault.mem.revise(osaka, "lives in Nara")
    assert file.read_bytes() == b"---\nuid: broken\n<<<"
    assert vault.record(osaka).text == "lives in Nara"


def test_a_byte_order_mark_windows_lines_and_blanks_after_the_fence_are_no_damage(vault: Vault, osaka: int) -> None:
    file = vault.file(osaka)
    text = file.read_bytes().replace(b"---\n", b"---  \n").replace(b"\n", b"\r\n").replace(b"Osaka", b"Kobe")
    file.write_bytes(b"\xef\xbb\xbf" + text)
    assert vault.record(osaka).text == "lives in Kobe"
    assert not vault.mem.quarantine()
    data = file.read_bytes()
    assert data.startswith(b"\xef\xbb\xbf---  \r\n")
    assert data.count(b"\n") == data.count(b"\r\n")


def test_of_two_files_with_one_uid_the_other_one_takes_over_when_the_first_goes(vault: Vault, osaka: int) -> None:
    file = vault.file(osaka)
    copy = vault.root / "zz.md"
    shutil.copy(file, copy)
    assert vault.held() == {"zz.md": "duplicate"}
    assert len(vault.mem.list()) == 2
    file.unlink()
    assert vault.record(osaka).text == "lives in Osaka"
    assert vault.held() == {}
    assert vault.mem.links(osaka).path == "zz.md"


def test_a_conflict_copy_of_a_syncing_program_is_recognised_by_its_name(vault: Vault, osaka: int) -> None:
    file = vault.file(osaka)
    copy = file.with_name(f"{file.stem} (Aya's conflicted copy 2026-06-01).md")
    copy.write_bytes(file.read_bytes().replace(b"Osaka", b"Kobe"))
    (held,) = vault.mem.quarantine()
    assert (held.code, file.name in held.reason) == ("conflict_copy", True)
    assert vault.record(osaka).text == "lives in Osaka"
    assert b"Kobe" in copy.read_bytes()


def test_a_copy_without_its_uid_is_a_memory_of_its_own(vault: Vault, osaka: int) -> None:
    text = vault.text(osaka)
    lines = [line for line in text.splitlines(keepends=True) if not line.startswith(("id:", "uid:"))]
    vault.write("copy.md", "".join(lines).replace("Osaka", "Kobe"))
    assert sorted(record.text for record in vault.mem.list()) == ["likes tea", "lives in Kobe", "lives in Osaka"]
    assert not vault.mem.quarantine()


def test_a_link_out_of_the_vault_is_never_followed(
    vault: Vault, osaka: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    outside = tmp_path_factory.mktemp("outside") / "secret.md"
    outside.write_text("the secret word is xylophone", encoding="utf-8")
    try:
        (vault.root / "link.md").symlink_to(outside)
    except OSError:
        pytest.skip("this account may not make links")
    assert vault.held() == {"link.md": "link_outside"}
    with Index(vault.root, embedder="none", clock=vault.clock) as index:
        assert not index.search("xylophone")


def test_quarantine_is_looked_at_again_in_another_process(vault: Vault, osaka: int) -> None:
    file, good = vault.file(osaka), vault.file(osaka).read_bytes()
    file.write_bytes(b"---\nid: [")
    assert len(vault.mem.quarantine()) == 1
    vault.close()
    assert len(vault.mem.quarantine()) == 1
    file.write_bytes(good)
    assert not vault.another().quarantine()


def test_a_memory_whose_text_shows_merge_marks_is_written_and_read(vault: Vault) -> None:
    text = "A conflict looks so:\n<<<<<<< HEAD\na\n=======\nb\n>>>>>>> x\n"
    id = vault.mem.remember(text, subject="git")
    assert vault.record(id).text == text
    vault.mem.update(id, metadata={"a": 1})
    assert vault.record(id).metadata == {"a": 1}
    assert not vault.mem.quarantine()


def test_what_is_in_a_file_store_has_no_notes(tmp_path_factory: pytest.TempPathFactory) -> None:
    from omoide import Memory
    from omoide.errors import InvalidInputError

    with Memory(tmp_path_factory.mktemp("x") / "a.db", embedder="none") as mem, pytest.raises(InvalidInputError):
        mem.quarantine()


def test_a_field_that_cannot_be_taken_is_named_once(vault: Vault) -> None:
    vault.write("x.md", "---\ntype: fact\nsubject: a\nconfidence: 7\nvalid_from: 2026-02-30\n---\nx\n")
    (held,) = vault.mem.quarantine()
    assert (held.code, held.reason.count("confidence"), held.reason.count("valid_from")) == ("invalid", 1, 1)


def test_a_memory_whose_place_was_taken_gets_one_new_note_however_often_that_file_changes(vault: Vault) -> None:
    """A copy of another note is laid over its own, and edited there twice: it has moved away once."""
    first = vault.mem.remember("one", subject="a")
    second = vault.mem.remember("two", subject="b")
    place, copied = vault.file(second), vault.text(first)
    for n in range(3):
        place.write_text(f"{copied}{n}\n", encoding="utf-8")
        assert [record.text for record in vault.mem.list()] == ["two", "one"]
    assert len([path for path in vault.notes() if vault.root / path != place]) == 2
