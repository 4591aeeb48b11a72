"""A vault of somebody else: its notes are found, linked and never changed."""

from __future__ import annotations

import pytest
from tests.features.vault_kit import Vault

from omoide import Index, Memory
from omoide.errors import InvalidInputError, NotFoundError

NOTES: dict[str, str | bytes] = {
    "Welcome.md": "# Welcome\n\nStart with [[Cooking/Ramen 味噌]].\n",
    "Cooking/Ramen 味噌.md": (
        "---\ntags:\n  - food\n  - 'japan'\ncssclass: wide   # for print\ntype: recipe\n---\nMiso and noodles.\r\n"
    ),
    "Daily/2026-06-01.md": "no newline at the end",
    "Templates/daily.md": "---\ntitle: {{title}}\ndate: {{date:YYYY-MM-DD}}\n---\n",
    "Old.md": "Umlaute: äöü\n".encode("latin-1"),
    "board.canvas": "{}",
    "Empty.md": "",
    "MEMORY.md": "# What I must not forget\n",
    ".obsidian/app.json": '{"a": 1}',
}  # fmt: skip


@pytest.fixture
def theirs(vault: Vault) -> dict[str, bytes]:
    for path, text in NOTES.items():
        vault.write(path, text)
    return {path: (vault.root / path).read_bytes() for path in NOTES}


def same(vault: Vault, before: dict[str, bytes]) -> bool:
    return {path: (vault.root / path).read_bytes() for path in before} == before


def test_notes_of_others_are_found_and_stay_byte_for_byte(vault: Vault, theirs: dict[str, bytes]) -> None:
    id = vault.mem.remember("likes ramen", subject="user", predicate="likes")
    vault.mem.revise(id, "likes udon")
    vault.mem.forget(id)
    with Index(vault.root, embedder="none", clock=vault.clock) as index:
        assert [hit.source for hit in index.search("noodles")] == ["Cooking/Ramen 味噌.md"]
    assert vault.mem.list() == []
    assert same(vault, theirs)
    assert vault.mem.links("Welcome").links[0].target == "Cooking/Ramen 味噌.md"


def test_they_are_answers_beside_memories_when_asked_for(vault: Vault, theirs: dict[str, bytes]) -> None:
    vault.mem.remember("eats noodles on Friday", subject="user")
    hits = vault.mem.recall("noodles", include=["memories", "documents"])
    assert sorted(hit.origin for hit in hits) == ["document", "memory"]
    assert [hit.origin for hit in vault.mem.recall("noodles")] == ["memory"]


def test_an_edit_a_move_and_a_deletion_are_seen_at_the_next_search(vault: Vault, theirs: dict[str, bytes]) -> None:
    with Index(vault.root, embedder="none", clock=vault.clock) as index:
        assert index.search("noodles")
        vault.write("Cooking/Ramen 味噌.md", "Shoyu and dumplings.\n")
        assert not index.search("noodles")
        assert [hit.source for hit in index.search("dumplings")] == ["Cooking/Ramen 味噌.md"]
        (vault.root / "Cooking/Ramen 味噌.md").rename(vault.root / "Ramen.md")
        assert [hit.source for hit in index.search("dumplings")] == ["Ramen.md"]
        (vault.root / "Ramen.md").unlink()
        assert not index.search("dumplings")


def test_only_what_cannot_be_read_is_held(vault: Vault, theirs: dict[str, bytes]) -> None:
    vault.mem.list()
    assert vault.held() == {"Old.md": "encoding"}


def test_a_note_becomes_a_memory_on_request_only(vault: Vault, theirs: dict[str, bytes]) -> None:
    id = vault.mem.adopt_note("Cooking/Ramen 味噌.md", kind="procedure")
    record = vault.record(id)
    assert (record.text, record.kind, record.subject, record.tags) == (
        "Miso and noodles.", "procedure", "Ramen 味噌", ("food", "japan"),
    )  # fmt: skip
    text = (vault.root / "Cooking/Ramen 味噌.md").read_bytes().decode()
    assert "cssclass: wide   # for print\n" in text
    assert f"uid: {record.uid}" in text
    with pytest.raises(InvalidInputError, match="already"):
        vault.mem.adopt_note("Cooking/Ramen 味噌.md")
    with Index(vault.root, embedder="none", clock=vault.clock) as index:
        assert not index.search("noodles")


def test_what_cannot_be_adopted_is_refused_and_left_as_it_is(vault: Vault, theirs: dict[str, bytes]) -> None:
    vault.mem.list()
    with pytest.raises(NotFoundError):
        vault.mem.adopt_note("nothing")
    with pytest.raises(InvalidInputError, match="type must be one of"):
        vault.mem.adopt_note("Welcome.md", kind="song")
    with pytest.raises(InvalidInputError):
        vault.mem.adopt_note("Empty.md")
    assert same(vault, {path: data for path, data in theirs.items() if path != "Empty.md"})


def test_a_note_of_others_with_a_type_of_its_own_is_theirs(vault: Vault, theirs: dict[str, bytes]) -> None:
    vault.write("event.md", "---\ntype: event\ndate: 2026-06-01\n---\nA meeting.\n")
    vault.write("uid.md", "---\nuid: 0192a000-0000-7000-8000-000000000000\n---\nOf another program.\n")
    assert vault.mem.list() == []
    assert (vault.root / "uid.md").read_text(encoding="utf-8").count("\n") == 4


def test_their_notes_are_found_in_the_namespace_that_the_vault_names(vault: Vault, theirs: dict[str, bytes]) -> None:
    vault.write(".omoide/vault.toml", 'namespace = "work"\n')
    with Index(vault.root, namespace="work", embedder="none", clock=vault.clock) as index:
        assert index.search("noodles")
    with Index(vault.root, embedder="none", clock=vault.clock) as index:
        assert not index.search("noodles")


def test_their_notes_are_found_again_when_the_index_was_thrown_away(vault: Vault, theirs: dict[str, bytes]) -> None:
    import shutil

    vault.mem.list()
    vault.close()
    shutil.rmtree(vault.root / ".index")
    with Index(vault.root, embedder="none", clock=vault.clock) as index:
        assert index.search("noodles")
    assert same(vault, theirs)


def test_a_huge_note_is_left_out_and_a_code_fence_makes_no_heading(vault: Vault) -> None:
    vault.write("huge.md", b"# x\n" * 3_000_000)
    vault.write("code.md", "# Real\n\n```sh\n# not a heading\necho zebra\n```\n")
    with Index(vault.root, embedder="none", clock=vault.clock) as index:
        (hit,) = index.search("zebra")
    assert hit.metadata["heading"] == "Real"
    assert vault.held() == {"huge.md": "too_large"}


def test_a_handle_that_may_not_write_leaves_no_trace(vault: Vault, theirs: dict[str, bytes]) -> None:
    before = sorted(path.relative_to(vault.root).as_posix() for path in vault.root.rglob("*"))
    try:
        with Memory(vault.root, embedder="none", read_only=True) as mem:
            mem.list()
    except OSError:
        pass  # there is no index to read yet
    assert sorted(path.relative_to(vault.root).as_posix() for path in vault.root.rglob("*")) == before
