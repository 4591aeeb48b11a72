"""Several copies of one vault, each with a log of its own, joined by git or by a program that keeps folders in step."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from omoide import Memory
from omoide.testing import FakeClock

from .vaults import clone, logs, note_of, notes, open_vault, pull, texts, throw_index_away


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Where the first copy is."""
    return tmp_path / "here"


@pytest.fixture
def here(root: Path, clock: FakeClock) -> Iterator[Memory]:
    """A handle on the first copy, with two memories."""
    with open_vault(root, clock) as handle:
        handle.remember("shared one", subject="user")
        handle.remember("共有の二", subject="user")
        clock.advance(10)
        yield handle


@pytest.fixture
def away(tmp_path: Path) -> Path:
    """Where the second copy is."""
    return tmp_path / "there"


@pytest.fixture
def there(here: Memory, root: Path, away: Path, clock: FakeClock) -> Iterator[Memory]:
    """A handle on the second copy."""
    with open_vault(clone(root, away), clock) as handle:
        yield handle


def test_lines_that_go_on_from_here_are_taken_as_they_are(here: Memory, there: Memory, root: Path, away: Path) -> None:
    """When only the other copy was written, this one becomes its equal: same ids, same audit chain."""
    new = there.remember("written there")
    there.revise(1, "shared one, better")
    pull(away, root)
    taken = here.get(new)
    assert taken is not None
    assert taken.text == "written there"
    assert here.head() == there.head()
    assert texts(here) == texts(there)
    assert here.integrity_check() == []


def test_both_were_written(here: Memory, there: Memory, root: Path, away: Path, clock: FakeClock) -> None:
    """When both copies were written, each takes in the other's memories, edits and deletions."""
    here.remember("only here")
    clock.advance(5)
    there.remember("only there")
    there.revise(1, "shared one, edited there")
    there.forget(2)
    pull(away, root)
    assert texts(here) == ["only here", "only there", "shared one, edited there"]
    pull(root, away)
    assert texts(there) == texts(here)
    assert here.verify() == there.verify() == []
    assert here.integrity_check() == there.integrity_check() == []


def test_a_note_that_came_along_is_the_note_of_its_memory(here: Memory, there: Memory, root: Path, away: Path) -> None:
    """No second file is written for a memory whose file the other copy has made."""
    here.remember("only here")
    there.remember("only there")
    pull(away, root)
    here.recall("only")
    assert len(notes(root)) == 4
    note_of(root, "only there")


def test_an_id_that_two_copies_gave_is_one_memory_s_in_each_and_its_note_names_the_other(
    here: Memory, there: Memory, root: Path, away: Path
) -> None:
    """Neither copy changes an id that it told anybody."""
    mine, theirs = here.remember("one of here"), there.remember("one of there")
    assert mine == theirs
    pull(away, root)
    found = {record.text: record.id for record in here.list()}
    assert found["one of here"] == mine
    assert found["one of there"] not in (mine, *[id for text, id in found.items() if text != "one of there"])
    here.revise(found["one of there"], "one of there, revised")
    text = note_of(root, "one of there, revised").read_text(encoding="utf-8")
    assert f"id: {found['one of there']}\n" in text
    assert f"was: [{theirs}]\n" in text
    seen: list[dict[str, bytes]] = []
    for _ in range(3):
        pull(root, away)
        there.list()
        pull(away, root)
        here.list()
        seen.append({file.name: file.read_bytes() for file in notes(root)})
    assert seen[1] == seen[2]
    ids = [int(data.decode().partition("id: ")[2].partition("\n")[0]) for data in seen[2].values()]
    assert len(set(ids)) == len(ids)


def test_taking_in_is_done_once(here: Memory, there: Memory, root: Path, away: Path) -> None:
    """After the logs went back and forth, nothing more is written by anybody."""
    here.remember("only here")
    there.remember("only there")
    for _ in range(3):
        pull(away, root)
        here.list()
        pull(root, away)
        there.list()
    before = {file: file.read_bytes() for file in logs(root)}
    pull(away, root)
    here.list()
    assert {file: file.read_bytes() for file in logs(root)} == before


def test_a_fresh_clone_holds_both(here: Memory, there: Memory, root: Path, away: Path, tmp_path: Path) -> None:
    """A third copy made of both logs has what either wrote, before anybody joined them."""
    here.remember("only here")
    there.remember("only there")
    pull(away, root)
    with open_vault(clone(root, tmp_path / "third")) as third:
        assert texts(third) == ["only here", "only there", "shared one", "共有の二"]
        assert third.integrity_check() == []


def test_an_older_revision_of_the_files(here: Memory, root: Path, tmp_path: Path) -> None:
    """A checkout of an older state is a revision of today; what the index still knows is written back."""
    clone(root, tmp_path / "old")
    here.revise(1, "shared one, edited later")
    here.remember("added later")
    _check_out(tmp_path / "old", root)
    assert texts(here) == ["shared one", "共有の二"]
    assert "shared one, edited later" in [version.text for version in here.why(1).versions]
    here.remember("after the checkout")
    throw_index_away(root)
    assert texts(here) == ["after the checkout", "shared one", "共有の二"]
    assert "shared one, edited later" in [version.text for version in here.why(1).versions]
    assert here.verify() == []


def test_the_older_revision_and_back_again(here: Memory, root: Path, tmp_path: Path) -> None:
    """When the newer files come back after a write on the older ones, all is still known once."""
    clone(root, tmp_path / "old")
    here.remember("added later")
    clone(root, tmp_path / "new")
    _check_out(tmp_path / "old", root)
    here.remember("written on the old branch")
    pull(tmp_path / "new", root)
    assert texts(here) == ["added later", "shared one", "written on the old branch", "共有の二"]
    throw_index_away(root)
    assert "written on the old branch" in texts(here)
    assert here.verify() == []


def test_a_copied_folder_has_a_log_of_its_own(here: Memory, root: Path, tmp_path: Path) -> None:
    """A folder copied whole, index included, does not write into the log of the one it was copied from."""
    here.close()
    shutil.copytree(root, tmp_path / "copy")
    with open_vault(tmp_path / "copy") as copy, open_vault(root) as again:
        copy.remember("in the copy")
        again.remember("in the original")
        pull(tmp_path / "copy", root)
        assert texts(again) == ["in the copy", "in the original", "shared one", "共有の二"]


def test_a_log_joined_line_by_line(here: Memory, there: Memory, root: Path, away: Path) -> None:
    """Two versions of one log file whose lines git kept side by side are read as two histories and joined."""
    here.close()
    shutil.copytree(root, root.with_name("twin"))
    with open_vault(root) as one:
        one.remember("one side")
    for inode in (root.with_name("twin") / ".index").glob("omoide.db*"):
        inode.unlink()
    with open_vault(root.with_name("twin")) as other:
        other.remember("other side")
    mine, theirs = logs(root)[0], logs(root.with_name("twin"))
    joined = mine.read_text(encoding="utf-8") + "".join(file.read_text(encoding="utf-8") for file in theirs)
    mine.write_text(joined, encoding="utf-8")
    with open_vault(root) as again:
        assert texts(again) == ["one side", "other side", "shared one", "共有の二"]


def _check_out(source: Path, target: Path) -> None:
    """Bring a folder back to an older state, as git does: files that were not there then go."""
    for file in target.rglob("*"):
        relative = file.relative_to(target)
        if file.is_file() and not {".index", "local"} & set(relative.parts) and not (source / relative).exists():
            file.unlink()
    pull(source, target)


def test_taking_lines_in_costs_what_they_bring(here: Memory, there: Memory, root: Path, away: Path) -> None:
    """Only the texts that are new are analysed when lines go on from here, however much there was before."""
    with there.bulk():
        for n in range(50):
            there.remember(f"there before {n}")
    pull(away, root)
    here.list()
    store: Any = here._ctx.store
    hooks, analysed = store.hooks, list[str]()
    prepare = hooks.prepare

    def counting(claims: Sequence[Any]) -> Any:
        analysed.extend(claim.text for claim in claims)
        return prepare(claims)

    hooks.prepare = counting
    there.revise(1, "shared one, once more")
    there.forget(2)
    there.remember("one more")
    pull(away, root)
    assert len(here.list(limit=100)) == 52
    assert sorted(analysed) == ["one more", "shared one", "shared one, once more"]
    assert here.integrity_check() == []


def test_a_line_that_comes_before_its_note(here: Memory, there: Memory, root: Path, away: Path) -> None:
    """When a program brings the log first, the old note is no edit: the note is written as the line says."""
    there.revise(1, "shared one, better")
    there.remember("written there")
    for log in logs(away):
        place = root / log.relative_to(away)
        place.parent.mkdir(exist_ok=True)
        shutil.copy(log, place)
    assert texts(here) == ["shared one, better", "written there", "共有の二"]
    note_of(root, "shared one, better")
    pull(away, root)
    assert texts(here) == ["shared one, better", "written there", "共有の二"]
    assert len([version for version in here.why(1).versions if version.cause == "revise"]) == 1


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_git_merges_without_a_conflict(root: Path, away: Path, clock: FakeClock) -> None:
    """Two clones that were both written are merged by git itself: logs, notes and the list."""

    def git(where: Path, *arguments: str) -> None:
        identity = ["-c", "user.name=x", "-c", "user.email=x@example.org", "-c", "init.defaultBranch=main"]
        subprocess.run([str(shutil.which("git")), *identity, *arguments], cwd=where, check=True, capture_output=True)

    root.mkdir()
    git(root, "init")
    with open_vault(root, clock) as here:
        here.remember("shared")
        git(root, "add", "-A")
        git(root, "commit", "-m", "one")
        git(root.parent, "clone", str(root), str(away))
        with open_vault(away, clock) as there:
            there.remember("from the clone")
        git(away, "add", "-A")
        git(away, "commit", "-m", "there")
        here.remember("from here")
        git(root, "add", "-A")
        git(root, "commit", "-m", "here")
        git(root, "pull", "--no-rebase", "--no-edit", str(away), "HEAD")
        assert texts(here) == ["from here", "from the clone", "shared"]
        assert here.integrity_check() == here.verify() == []
