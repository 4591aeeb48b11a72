"""Notes lie where people look for them, under names that stay, in any script."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.features.vault_kit import Vault

from omoide.errors import InvalidInputError


def test_one_memory_is_one_file_with_what_it_says_as_its_text(vault: Vault) -> None:
    vault.mem.remember(
        "lives in Osaka", subject="user", predicate="home", tags=["a b", "c"], importance="high", confidence=0.9,
        source="session-2026-06-09", valid_from="2026-01-10", abstract="Home: Osaka", project="github.com/x/y",
        metadata={"n": [1, {"é": None}]},
    )  # fmt: skip
    uid = vault.mem.list()[0].uid
    assert vault.notes() == ["fact/github-com-x-y/user-home.md"]
    assert vault.text() == (
        f'---\nid: 1\nuid: {uid}\ntype: fact\nsubject: user\npredicate: home\nproject: "github.com/x/y"\n'
        'abstract: "Home: Osaka"\ntags: [a b, c]\nimportance: high\nconfidence: 0.9\n'
        "valid_from: 2026-01-10T00:00:00Z\nsource: session-2026-06-09\ntrust: observed\n"
        'metadata: {"n": [1, {"é": null}]}\n---\nlives in Osaka\n'
    ).replace('"github.com/x/y"', "github.com/x/y")


def test_two_japanese_subjects_with_one_latin_word_are_two_notes(vault: Vault) -> None:
    vault.mem.remember("表示が速い", subject="React の選定理由", predicate="理由", kind="decision")
    vault.mem.remember("結合テストを先に", subject="React のテスト方針", predicate="方針", kind="decision")
    assert vault.notes() == ["decision/general/react-のテスト方針-方針.md", "decision/general/react-の選定理由-理由.md"]


def test_the_database_of_two_projects_never_meets(vault: Vault) -> None:
    one = vault.mem.remember("PostgreSQL", subject="database", predicate="is", project="a")
    other = vault.mem.remember("SQLite", subject="database", predicate="is", project="b")
    assert vault.notes() == ["fact/a/database-is.md", "fact/b/database-is.md"]
    vault.mem.revise(one, "MySQL")
    assert vault.note(one).body == "MySQL"
    assert vault.note(other).body == "SQLite"


def test_two_memories_of_one_key_have_two_names(vault: Vault) -> None:
    vault.mem.remember("likes tea", subject="user", predicate="likes")
    vault.mem.remember("likes coffee", subject="user", predicate="likes")
    first, second = sorted(vault.notes(), key=len)
    assert first == "fact/general/user-likes.md"
    assert second.startswith("fact/general/user-likes-")


def test_a_name_stays_when_the_memory_changes(vault: Vault) -> None:
    id = vault.mem.remember("lives in Osaka", subject="user")
    names = vault.notes()
    vault.mem.revise(id, "lives in Tokyo")
    vault.mem.rename_subject("user", "Aya")
    vault.mem.update(id, metadata={"a": 1})
    assert vault.notes() == names


@pytest.mark.parametrize("subject", ["con", "../../etc", "a/b", "x" * 500, "日" * 500, "😀", "...", "é\u0301", "C:\\x"])
def test_no_subject_leads_out_of_the_vault_or_makes_an_illegal_name(vault: Vault, subject: str) -> None:
    id = vault.mem.remember("x", subject=subject, predicate="p", project=subject)
    (path,) = vault.notes()
    assert path.startswith("fact/")
    assert all(len(part.encode()) < 200 and part not in ("..", "con", "con.md") for part in path.split("/"))
    assert vault.record(id).subject == subject


def test_a_note_never_moves_by_a_write(vault: Vault) -> None:
    one = vault.mem.remember("uses Postgres", subject="database", predicate="is", project="a")
    before = vault.file(one)
    vault.mem.remember("uses Postgres", subject="database", predicate="is", project="b")
    vault.mem.remember("uses Postgres", subject="database", predicate="is", project="a")
    assert vault.file(one) == before
    assert len(vault.notes()) == 2


def test_a_folder_with_a_note_of_somebody_else_is_written_around(vault: Vault) -> None:
    vault.write("fact/general/user-lives-in-osaka.md", "# Mine\n")
    vault.mem.remember("lives in Osaka", subject="user")
    assert len(vault.notes()) == 2
    assert (vault.root / "fact/general/user-lives-in-osaka.md").read_text(encoding="utf-8") == "# Mine\n"


def test_numbers_that_change_by_use_are_in_no_file(vault: Vault) -> None:
    id = vault.mem.remember("lives in Osaka", subject="user")
    text = vault.text()
    for _ in range(3):
        vault.mem.remember("lives in Osaka", subject="user")
        vault.mem.recall("Osaka")
    assert vault.record(id).seen == 4
    assert vault.text() == text


def test_nothing_is_written_behind_a_link(vault: Vault, tmp_path: Path) -> None:
    vault.mem.list()
    (tmp_path / "elsewhere").mkdir()
    try:
        (vault.root / "fact").symlink_to(tmp_path / "elsewhere", target_is_directory=True)
    except OSError:
        pytest.skip("this account may not make links")
    with pytest.raises(InvalidInputError, match="is a link"):
        vault.mem.remember("lives in Osaka", subject="user")
    assert list((tmp_path / "elsewhere").iterdir()) == []
    assert vault.mem.list() == []
