"""Several copies of one vault, each with a log of its own, joined by git or by a program that keeps folders in step."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from omoide import Memory
from omoide.errors import RejectedValueError
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


def test_a_machine_that_gets_the_logs_before_the_notes_forgets_nothing(
    here: Memory, root: Path, away: Path, clock: FakeClock
) -> None:
    """What it never held it did not delete: the notes are waited for, and are then what they were, in both copies."""
    here.revise(1, "shared one, better")
    here.forget(here.remember("to be forgotten"))
    here.close()
    shutil.copytree(root / ".omoide", away / ".omoide", ignore=shutil.ignore_patterns("local"))
    with open_vault(root, clock) as first, open_vault(away, clock) as second:
        believed, told, lines = first.list(), [first.why(id) for id in (1, 2, 3)], len(first.audit())
        for _ in range(2):
            assert second.list() == believed
            throw_index_away(away)
        second.remember("written meanwhile")
        second.list()
        throw_index_away(away)
        assert texts(second) == sorted([*texts(first), "written meanwhile"])
        pull(root, away)
        assert texts(second) == ["shared one, better", "written meanwhile", "共有の二"]
        assert [second.why(id) for id in (1, 2, 3)] == told
        assert [event.op for event in second.audit()[lines:]] == ["remember"]
        assert second.quarantine() == []
        second.revise(2, "共有の二、改")
        pull(away, root)
        assert texts(first) == texts(second) == ["shared one, better", "written meanwhile", "共有の二、改"]
        assert (first.quarantine(), len(notes(root))) == ([], len(notes(away)))
        note_of(away, "共有の二、改").unlink()
        assert texts(second) == ["shared one, better", "written meanwhile"]


def test_what_a_copy_whose_clock_is_behind_does_is_later_than_what_it_took_in(
    here: Memory, root: Path, away: Path, clock: FakeClock
) -> None:
    """It says on purpose what was erased, by its clock five hours before the other copy erased it."""
    behind = FakeClock(clock.now())
    with open_vault(clone(root, away), behind) as there:
        there.remember("written there")
        clock.advance(5 * 3600)
        erased = here.remember("the code is 7")
        here.remember("written here")
        pull(root, away)
        assert texts(there) == sorted(["shared one", "the code is 7", "written here", "written there", "共有の二"])
        here.purge(erased)
        pull(root, away)
        assert "the code is 7" not in texts(there)
        there.remember("the code is 7")
        for source, target, mem in ((away, root, here), (root, away, there)) * 2:
            pull(source, target)
            assert "the code is 7" in texts(mem)
        for folder, mem in ((root, here), (away, there)):
            throw_index_away(folder)
            assert "the code is 7" in texts(mem)
            assert mem.integrity_check() == mem.verify() == []


def test_one_wrong_clock_does_not_set_those_of_all_copies(
    here: Memory, there: Memory, root: Path, away: Path, clock: FakeClock
) -> None:
    """What a copy ten years ahead wrote is taken in; what is written after it is known a day ahead at most."""
    there.remember("written there")
    clock.advance(10 * 365 * 86_400)
    here.remember("written here")
    clock.set("2026-06-02T00:00:00Z")
    pull(root, away)
    there.list()
    (version,) = there.why(there.remember("written after")).versions
    assert version.known_from == datetime(2026, 6, 3, tzinfo=UTC)


def _bring(log: Path, source: Path, target: Path) -> None:
    place = target / log.relative_to(source)
    place.parent.mkdir(exist_ok=True)
    shutil.copy(log, place)


@pytest.mark.parametrize("both", [False, True], ids=["one wrote", "both wrote"])
def test_logs_that_come_in_another_order_than_they_were_written(
    here: Memory, there: Memory, root: Path, away: Path, both: bool
) -> None:
    """A program that keeps folders in step brings the small file before the large one: in the end nothing lacks."""
    old = there.remember("said early, there")
    for word in ("long", "longer"):
        there.remember(f"{word} " * 120_000)
    there.revise(old, "said late, there")
    there.reject(2)
    if both:
        here.remember("said here")
    early, late = [log for log in logs(away) if not (root / log.relative_to(away)).exists()]
    _bring(late, away, root)
    here.list()
    assert "lacks what comes before" in here.integrity_check()[0]
    _bring(early, away, root)
    assert set(texts(there)) <= set(texts(here))
    assert here.integrity_check() == here.verify() == []
    (mine,) = [record.id for record in here.list() if record.text == "said late, there"]
    assert [version.text for version in here.why(mine).versions][:1] == ["said early, there"]
    with pytest.raises(RejectedValueError):
        here.remember("共有の二", subject="user")
    pull(away, root)
    here.list()
    throw_index_away(root)
    assert set(texts(there)) <= set(texts(here))


def test_a_damaged_line_that_is_mended_counts_again(here: Memory, there: Memory, root: Path, away: Path) -> None:
    """What a log says comes in when its line can be read, also where the lines behind it were taken in long ago."""
    for n in range(4):
        there.remember(f"{n} of there")
    (log,) = [log for log in logs(away) if not (root / log.relative_to(away)).exists()]
    whole = log.read_bytes()
    log.write_bytes(whole.replace(b"1 of there", b'1 of "there'))
    _bring(log, away, root)
    here.remember("written here")
    assert "1 of there" not in texts(here)
    log.write_bytes(whole)
    _bring(log, away, root)
    assert {f"{n} of there" for n in range(4)} <= set(texts(here))
    assert here.integrity_check() == here.verify() == []


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
