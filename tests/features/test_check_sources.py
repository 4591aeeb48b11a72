from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from omoide import Memory
from omoide.errors import InvalidInputError
from omoide.testing import FakeClock, count_statements

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="needs git")


class Repo:
    """A git repository of a test."""

    def __init__(self, root: Path) -> None:
        self.root = root
        root.mkdir()
        self.git("init", "-q", "-b", "main")

    def git(self, *arguments: str) -> str:
        """Run git here and return what it writes."""
        who = ("-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false")
        done = subprocess.run(["git", *who, *arguments], cwd=self.root, capture_output=True, text=True, check=True)  # noqa: S607
        return done.stdout.strip()

    def commit(self, **files: str) -> str:
        """Write files (``a_md`` is ``a.md``), commit them, and return the full hash."""
        for name, text in files.items():
            (self.root / name.replace("_", ".")).write_text(text, encoding="utf-8")
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", "c")
        return self.git("rev-parse", "HEAD")


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    """A repository without commits."""
    return Repo(tmp_path / "repo")


def statuses(mem: Memory) -> dict[str, str]:
    """Return the status that recall shows, by text."""
    return {hit.text: hit.status for hit in mem.recall(None, k=99)}


def test_a_pin_at_head_is_current_by_long_and_short_hash(mem: Memory, repo: Repo) -> None:
    """A commit is recognised however much of its hash is cited."""
    head = repo.commit(README_md="one")
    for length in (6, 7, 12, 40):
        mem.remember(f"pinned by {length}", cites=[f"README.md@{head[:length]}"])
    mem.remember("the commit alone", cites=[head[:9]])
    report = mem.check_sources(repo.root)
    assert len(report.current) == 5
    assert (report.stale, report.unresolved) == ((), ())
    assert set(statuses(mem).values()) == {"current"}


def test_a_changed_file_makes_its_memory_stale(mem: Memory, repo: Repo) -> None:
    """Of two files one changes after the cited commit: its memory is stale and shows it, the other stays current."""
    then = repo.commit(a_md="one", b_md="one")
    changed = mem.remember("about a", cites=[f"a.md@{then[:7]}"])
    same = mem.remember("about b", cites=[f"b.md@{then[:7]}"])
    repo.commit(a_md="two")
    report = mem.check_sources(repo.root)
    assert (report.stale, report.current) == ((changed,), (same,))
    assert statuses(mem) == {"about a": "stale", "about b": "current"}
    record = mem.get(changed)
    assert record is not None
    assert record.status == "stale"


def test_an_edit_that_is_not_committed_counts(mem: Memory, repo: Repo) -> None:
    """A cited file that differs from the head is stale, at the head's commit too."""
    head = repo.commit(a_md="one", b_md="one")
    mem.remember("about a", cites=[f"a.md@{head[:7]}"])
    mem.remember("about b", cites=[f"b.md@{head[:7]}"])
    (repo.root / "a.md").write_text("two", encoding="utf-8")
    mem.check_sources(repo.root)
    assert statuses(mem) == {"about a": "stale", "about b": "current"}


def test_a_deleted_file_is_stale(mem: Memory, repo: Repo) -> None:
    """A file that the cited commit had and the head has not is stale."""
    then = repo.commit(a_md="one")
    mem.remember("about a", cites=[f"a.md@{then[:7]}"])
    (repo.root / "a.md").unlink()
    repo.commit()
    mem.check_sources(repo.root)
    assert statuses(mem) == {"about a": "stale"}


def test_a_commit_alone_is_stale_when_the_tree_moved_on(mem: Memory, repo: Repo) -> None:
    """A commit cited without a path speaks of the whole tree."""
    then = repo.commit(a_md="one")
    mem.remember("the state", cites=[then])
    mem.check_sources(repo.root)
    assert statuses(mem) == {"the state": "current"}
    repo.commit(a_md="two")
    mem.check_sources(repo.root)
    assert statuses(mem) == {"the state": "stale"}


@pytest.mark.parametrize(
    "cite", ["README.md@0123456", "0123456789abcdef", "nowhere.md", "no such@7777777", "../outside.md@{head}"]
)
def test_what_cannot_be_found_is_unresolved(mem: Memory, repo: Repo, cite: str) -> None:
    """An unknown commit, path or place is unresolved, and a sound citation beside it is current."""
    head = repo.commit(README_md="one")
    lost = mem.remember("lost", cites=[cite.format(head=head)])
    found = mem.remember("found", cites=[f"README.md@{head}"])
    report = mem.check_sources(repo.root)
    assert (report.unresolved, report.current) == ((lost,), (found,))
    assert statuses(mem) == {"lost": "unresolved", "found": "current"}


def test_a_commit_of_another_line_is_unresolved(mem: Memory, repo: Repo) -> None:
    """A commit that the head does not descend from says nothing about it."""
    repo.commit(a_md="one")
    repo.git("checkout", "-q", "-b", "side")
    side = repo.commit(a_md="side")
    repo.git("checkout", "-q", "main")
    memory_id = mem.remember("about a", cites=[f"a.md@{side[:8]}"])
    assert mem.check_sources(repo.root).unresolved == (memory_id,)


def test_a_file_without_a_commit_is_compared_with_the_last_look(mem: Memory, repo: Repo) -> None:
    """The first look takes note of a file; a later change makes the memory stale until it is revised."""
    repo.commit(a_md="one")
    memory_id = mem.remember("about a", cites=["a.md#L1-2", "a.md:3"])
    assert mem.check_sources(repo.root).current == (memory_id,)
    (repo.root / "a.md").write_text("two", encoding="utf-8")
    assert mem.check_sources(repo.root).stale == (memory_id,)
    assert mem.check_sources(repo.root).stale == (memory_id,)


def test_a_revision_starts_the_comparison_anew(mem: Memory, repo: Repo, clock: FakeClock) -> None:
    """A memory revised after its file changed is current again."""
    repo.commit(a_md="one")
    memory_id = mem.remember("about a", cites=["a.md"])
    mem.check_sources(repo.root)
    (repo.root / "a.md").write_text("two", encoding="utf-8")
    clock.advance(60)
    mem.revise(memory_id, "about a, as it is now")
    assert mem.check_sources(repo.root).current == (memory_id,)


def test_with_the_clock_of_the_system_a_change_before_the_first_look_counts(
    opened: Callable[..., Memory], repo: Repo
) -> None:
    """A file committed or written after the memory was stored is stale at the first look."""
    mem = opened(clock=None)
    memory_id = mem.remember("about a", cites=["a.md"])
    other = mem.remember("about nothing")
    repo.git("commit", "-q", "--allow-empty", "-m", "c")
    (repo.root / "a.md").write_text("later", encoding="utf-8")
    assert mem.check_sources(repo.root).stale == (memory_id,)
    assert statuses(mem) == {"about a": "stale", "about nothing": "current"}
    assert mem.get(other) is not None


def test_a_folder_without_git(mem: Memory, tmp_path: Path) -> None:
    """Files can be cited anywhere; a commit is unresolved there, and the report says why."""
    (tmp_path / "notes.txt").write_text("x", encoding="utf-8")
    file = mem.remember("file", cites=["notes.txt"])
    commit = mem.remember("commit", cites=["notes.txt@abcdef1"])
    report = mem.check_sources(tmp_path)
    assert (report.current, report.unresolved) == ((file,), (commit,))
    assert "git" in " ".join(report.reasons)


def test_addresses_are_asked_only_by_a_function_that_is_given(mem: Memory, tmp_path: Path) -> None:
    """Without it an address is unresolved; with it, what the function says, once for each address."""
    asked: list[str] = []

    def check(url: str) -> object:
        asked.append(url)
        if "down" in url:
            raise OSError("no route")
        return "new" not in url

    a = mem.remember("a", cites=["https://example.org/old"])
    b = mem.remember("b", cites=["https://example.org/new", "https://example.org/old"])
    c = mem.remember("c", cites=["https://down.example.org"])
    assert mem.check_sources(tmp_path).unresolved == (a, b, c)
    report = mem.check_sources(tmp_path, check_url=check)
    assert (report.current, report.stale, report.unresolved) == ((a,), (b,), (c,))
    assert sorted(asked) == sorted(set(asked))
    assert "no route" in " ".join(report.reasons)
    with pytest.raises(InvalidInputError, match="check_url"):
        mem.check_sources(tmp_path, check_url=lambda _: "perhaps")


def test_the_pins_of_other_repositories_are_left_alone(mem: Memory, repo: Repo, tmp_path: Path) -> None:
    """A pass in one repository changes nothing that another one found, with and without a project."""
    other = Repo(tmp_path / "other")
    here, there = repo.commit(a_md="one"), other.commit(b_md="two")
    mine = mem.remember("mine", cites=[f"a.md@{here[:7]}"], project=repo.root.as_posix())
    theirs = mem.remember("theirs", cites=[f"b.md@{there[:7]}"], project=other.root.as_posix())
    nobody = mem.remember("nobody's", cites=[f"b.md@{there[:7]}"])
    assert mem.check_sources(other.root).current == (theirs, nobody)
    report = mem.check_sources(repo.root)
    assert (report.current, report.unresolved) == ((mine,), ())
    assert report.elsewhere == (theirs, nobody)
    assert set(statuses(mem).values()) == {"current"}


def test_a_repository_is_known_by_its_remote(mem: Memory, repo: Repo) -> None:
    """A project named host/owner/name, with a branch or without, is the repository with that remote."""
    head = repo.commit(a_md="one")
    repo.git("remote", "add", "origin", "git@example.org:team/app.git")
    a = mem.remember("a", cites=[f"a.md@{head[:7]}"], project="example.org/team/app")
    b = mem.remember("b", cites=[f"a.md@{head[:7]}"], project="example.org/team/app#feature")
    c = mem.remember("c", cites=[f"a.md@{head[:7]}"], project="example.org/team/else")
    report = mem.check_sources(repo.root)
    assert (report.current, report.elsewhere) == ((a, b), (c,))


def test_a_subfolder_is_a_root_of_its_own(mem: Memory, repo: Repo) -> None:
    """Paths start at ``root``, also inside a repository."""
    (repo.root / "docs").mkdir()
    (repo.root / "docs" / "日本語 é.md").write_text("x", encoding="utf-8")
    head = repo.commit()
    memory_id = mem.remember("文書", cites=[f"日本語 é.md@{head[:7]}"])
    assert mem.check_sources(repo.root / "docs").current == (memory_id,)


def test_the_pass_always_ends_and_reads_each_memory_once(mem: Memory, repo: Repo) -> None:
    """A thousand pins of stale commits are looked at in one pass, and a second pass writes nothing."""
    commits = [repo.commit(a_md=f"{n}") for n in range(3)]
    with mem.bulk():
        ids = [mem.remember(f"fact {n}", cites=[f"a.md@{commits[n % 3][:8]}"]) for n in range(1200)]
    report = mem.check_sources(repo.root)
    assert report.checked == len(report.stale) + len(report.current) == 1200
    assert report.current == tuple(ids[2::3])
    events = len(mem.audit())
    with count_statements(mem) as work:
        assert mem.check_sources(repo.root) == report
    assert len(mem.audit()) == events
    assert work.statements < 100


def test_the_past_does_not_show_it(mem: Memory, repo: Repo, clock: FakeClock) -> None:
    """A finding is state: an answer about the past stays as it was."""
    then = repo.commit(a_md="one")
    mem.remember("about a", cites=[f"a.md@{then[:7]}"])
    moment = clock.now()
    clock.advance(60)
    repo.commit(a_md="two")
    mem.check_sources(repo.root)
    assert [hit.status for hit in mem.recall(None, as_of=moment)] == ["current"]
    assert [hit.status for hit in mem.recall("about a")] == ["stale"]


def test_only_memories_that_are_believed_are_looked_at(mem: Memory, repo: Repo) -> None:
    """A forgotten memory is not checked, one in another namespace neither."""
    head = repo.commit(a_md="one")
    gone = mem.remember("gone", cites=[f"a.md@{head[:7]}"])
    kept = mem.remember("kept", cites=[f"a.md@{head[:7]}"])
    mem.forget(gone)
    report = mem.check_sources(repo.root)
    assert (report.checked, report.current) == (1, (kept,))


def test_a_finding_goes_with_a_purge(mem: Memory, repo: Repo) -> None:
    """Nothing about the citations of a purged memory stays."""
    head = repo.commit(a_md="one")
    memory_id = mem.remember("gone", cites=[f"a.md@{head[:7]}"])
    mem.check_sources(repo.root)
    mem.purge(memory_id)
    assert mem.integrity_check() == []
    assert mem.check_sources(repo.root).checked == 0


def test_a_root_that_is_not_there(mem: Memory, tmp_path: Path) -> None:
    """A folder that does not exist is an error that names it."""
    with pytest.raises(InvalidInputError, match="no-such"):
        mem.check_sources(tmp_path / "no-such")


async def test_async_twin(mem: Memory, repo: Repo) -> None:
    """``acheck_sources`` does what ``check_sources`` does."""
    head = repo.commit(a_md="one")
    memory_id = mem.remember("a", cites=[f"a.md@{head[:7]}"])
    assert (await mem.acheck_sources(repo.root)).current == (memory_id,)
