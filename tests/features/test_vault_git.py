"""A vault in git: branches, merges and clones are edits like any other, and nothing of omoide's own is committed."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from tests.features.vault_kit import Vault

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="needs git")

NAMED = {
    "GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@b", "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@b",
    "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull,
}  # fmt: skip


def git(root: Path, *words: str, check: bool = True) -> str:
    done = subprocess.run(
        [str(shutil.which("git")), *words],
        cwd=root,
        env=os.environ | NAMED,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0 or not check, done.stderr
    return done.stdout


def commit(vault: Vault, words: str = "x") -> None:
    git(vault.root, "add", "-A")
    git(vault.root, "commit", "-q", "-m", words)


@pytest.fixture
def osaka(vault: Vault) -> int:
    id = vault.mem.remember("lives in Osaka", subject="user")
    git(vault.root, "init", "-q", "-b", "main")
    commit(vault)
    return id


def test_only_truth_is_committed(vault: Vault, osaka: int) -> None:
    files = git(vault.root, "ls-files").split()
    assert any(path.startswith("fact/") for path in files)
    assert any(path.endswith(".jsonl") for path in files)
    assert not [path for path in files if ".index" in path or "local" in path or path.endswith((".db", "lock"))]
    vault.mem.recall("Osaka")
    assert git(vault.root, "status", "--porcelain") == ""


def test_a_checkout_of_older_notes_is_a_revision(vault: Vault, osaka: int) -> None:
    vault.clock.advance(60)
    vault.mem.revise(osaka, "lives in Tokyo")
    commit(vault)
    vault.clock.advance(60)
    git(vault.root, "checkout", "-q", "HEAD~1", "--", "fact")
    assert vault.record(osaka).text == "lives in Osaka"
    assert vault.mem.recall("Osaka")
    texts = [version.text for version in vault.mem.why(osaka).versions]
    assert texts[-1] == "lives in Osaka"
    assert "lives in Tokyo" in texts


def test_a_checkout_from_before_a_note_never_tells_of_a_path_that_is_gone(vault: Vault, osaka: int) -> None:
    vault.clock.advance(60)
    new = vault.mem.remember("likes tea", subject="user", predicate="likes")
    commit(vault)
    git(vault.root, "checkout", "-q", "HEAD~1")
    assert vault.mem.recall("tea") == []
    assert vault.notes() == [vault.mem.links(osaka).path]
    git(vault.root, "checkout", "-q", "main")
    assert vault.record(new).text == "likes tea"


def test_a_merge_of_two_edits_of_one_note_is_held_until_it_is_settled(vault: Vault, osaka: int) -> None:
    git(vault.root, "checkout", "-q", "-b", "side")
    file = vault.edit("Osaka", "Kobe")
    git(vault.root, "commit", "-q", "-m", "kobe", "--", file.relative_to(vault.root).as_posix())
    git(vault.root, "checkout", "-q", "main")
    vault.edit("Osaka", "Nara")
    git(vault.root, "commit", "-q", "-m", "nara", "--", file.relative_to(vault.root).as_posix())
    git(vault.root, "merge", "-q", "side", check=False)
    (held,) = vault.mem.quarantine()
    assert (held.code, "'side'" in held.reason) == ("conflict", True)
    assert vault.mem.get(osaka) is not None
    text = file.read_text(encoding="utf-8")
    start, end = text.index("<<<<<<<"), text.index(">>>>>>>")
    file.write_text(text[:start] + "lives in Kobe\n" + text[end:].partition("\n")[2], encoding="utf-8")
    assert vault.record(osaka).text == "lives in Kobe"
    assert not vault.mem.quarantine()


def test_a_clone_knows_what_was_known(vault: Vault, osaka: int, tmp_path: Path) -> None:
    vault.clock.advance(60)
    vault.mem.revise(osaka, "lives in Tokyo")
    commit(vault)
    git(tmp_path, "clone", "-q", str(vault.root), "clone")
    other = Vault(tmp_path / "clone", vault.clock)
    try:
        assert other.record(osaka).text == "lives in Tokyo"
        assert [version.text for version in other.mem.why(osaka).versions] == [
            version.text for version in vault.mem.why(osaka).versions
        ]
        assert git(other.root, "status", "--porcelain") == ""
    finally:
        other.close()


def test_line_ends_that_git_changes_are_no_edits(vault: Vault, osaka: int, tmp_path: Path) -> None:
    git(tmp_path, "-c", "core.autocrlf=true", "clone", "-q", str(vault.root), "clone")
    other = Vault(tmp_path / "clone", vault.clock)
    try:
        assert b"\r\n" in other.file().read_bytes()
        assert len(other.mem.why(osaka).versions) == 1
        other.mem.revise(osaka, "lives in Nara")
        assert other.file().read_bytes().count(b"\r\n") == other.file().read_bytes().count(b"\n")
    finally:
        other.close()


def test_an_edit_outlives_a_forget_of_another_clone_that_has_not_seen_it(
    vault: Vault, osaka: int, tmp_path: Path
) -> None:
    """Git joins the new text and the line of the end in one note; the store knows which counts."""
    git(tmp_path, "clone", "-q", str(vault.root), "clone")
    other = Vault(tmp_path / "clone", vault.clock)
    other.record(osaka)
    vault.clock.advance(60)
    other.mem.revise(osaka, "lives in Kyoto")
    vault.clock.advance(60)
    vault.mem.forget(osaka)
    for each in (vault, other):
        commit(each)
    for here, there in ((vault, other), (other, vault)):
        git(here.root, "pull", "-q", "--no-rebase", str(there.root), "main")
        assert here.record(osaka).text == "lives in Kyoto"
        commit(here)
    assert "status" not in vault.note(osaka).fields
    other.close()


def theirs(text: str) -> str:
    """Return a file with marks of a merge as the side that was pulled has it."""
    lines: list[str] = []
    kept = True
    for line in text.splitlines(keepends=True):
        kept = False if line.startswith("<<<<<<<") else True if line.startswith("=======") else kept
        if kept and not line.startswith(("<<<<<<<", "=======", ">>>>>>>")):
            lines.append(line)
    return "".join(lines)


def test_what_two_clones_said_differently_is_a_conflict_until_a_person_settles_it(
    vault: Vault, osaka: int, tmp_path: Path
) -> None:
    git(tmp_path, "clone", "-q", str(vault.root), "clone")
    other = Vault(tmp_path / "clone", vault.clock)
    other.record(osaka)
    for each, town in ((other, "Kyoto"), (vault, "Nara")):
        vault.clock.advance(60)
        each.mem.revise(osaka, f"lives in {town}")
        commit(each)
    git(vault.root, "pull", "-q", "--no-rebase", str(other.root), "main", check=False)
    assert list(vault.held().values()) == ["conflict"]
    assert vault.record(osaka).text == "lives in Nara"
    assert [(conflict.kind, conflict.ids) for conflict in vault.mem.conflicts()] == [("merge", (osaka,))]
    vault.clock.advance(60)
    (path,) = vault.notes()
    vault.write(path, theirs((vault.root / path).read_text(encoding="utf-8")))
    assert vault.record(osaka).text == "lives in Kyoto"
    assert vault.mem.conflicts() == []
    commit(vault)
    git(other.root, "pull", "-q", "--no-rebase", str(vault.root), "main")
    assert other.record(osaka).text == "lives in Kyoto"
    assert other.mem.conflicts() == []
    other.close()


@pytest.mark.parametrize("kept", ["lives in Tokyo", "lives in Kyoto"])
def test_the_side_of_a_conflict_that_a_person_keeps_is_believed_in_both_clones(
    vault: Vault, osaka: int, tmp_path: Path, kept: str
) -> None:
    """Also where that is the side of the clone in which it is chosen, whose note looks as before the merge then."""
    git(tmp_path, "clone", "-q", str(vault.root), "other")
    other = Vault(tmp_path / "other", vault.clock)
    vault.clock.advance(60)
    vault.mem.revise(osaka, "lives in Tokyo")
    vault.clock.advance(60)
    other.mem.revise(osaka, "lives in Kyoto")
    for each in (vault, other):
        each.close()  # its list is written now and not a second later
        commit(each)
    git(vault.root, "pull", "-q", "--no-rebase", str(other.root), "main", check=False)
    ((note, code),) = vault.held().items()
    assert code == "conflict"
    vault.clock.advance(60)
    side = "--ours" if kept == "lives in Tokyo" else "--theirs"
    git(vault.root, "checkout", side, "--", note)
    assert vault.record(osaka).text == kept
    assert vault.held() == {}
    assert kept in vault.text(osaka)
    vault.close()
    commit(vault)
    git(other.root, "pull", "-q", "--no-rebase", str(vault.root), "main")
    assert other.record(osaka).text == kept
    shutil.rmtree(vault.root / ".index")
    assert vault.record(osaka).text == kept
    other.close()
