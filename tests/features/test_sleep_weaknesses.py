"""What consolidation gets wrong elsewhere, one test each: what decides forgetting, what is committed, who is bound."""

from __future__ import annotations

import json
import shutil
import subprocess
import time
from pathlib import Path

import pytest
from tests.features.conftest import Opener
from tests.features.vaults import open_vault, throw_index_away

from omoide import Memory
from omoide.serve.cli.app import run
from omoide.testing import FakeClock

DAY = 86_400.0
NEAR = "Deploy billing on Friday evening with the release script from the staging host number {}"
needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="needs git")


def git(folder: Path, *words: str) -> str:
    done = subprocess.run(["git", *words], cwd=folder, capture_output=True, text=True, check=True)  # noqa: S607
    return done.stdout.strip()


@pytest.fixture
def work_tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with one file of somebody else's that is not committed yet."""
    for name in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{name}_NAME", "t")
        monkeypatch.setenv(f"GIT_{name}_EMAIL", "t@example.org")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "no-config"))
    root = tmp_path / "repository"
    root.mkdir()
    git(root, "init", "-q", "-b", "main")
    (root / "draft.txt").write_text("not mine to commit", encoding="utf-8")
    return root


def test_use_that_protects_a_memory_outlives_the_index(tmp_path: Path, clock: FakeClock) -> None:
    root = tmp_path / "notes"
    with open_vault(root, clock) as mem:
        used = mem.remember("Breakfast was toast on the third", kind="event", importance="low")
        idle = mem.remember("Lunch was soup on the third", kind="event", importance="low")
        clock.advance(300 * DAY)
        for _ in range(3):
            mem.get(used)
    throw_index_away(root)
    clock.advance(100 * DAY)
    with open_vault(root, clock) as mem:
        mem.sleep()
        assert [record.id for record in mem.list()] == [used]
        assert [record.id for record in mem.list(include_archived=True) if record.archived] == [idle]


def test_what_was_refused_stays_refused_without_the_index(tmp_path: Path, clock: FakeClock) -> None:
    root = tmp_path / "notes"
    with open_vault(root, clock) as mem:
        mem.remember("lives in Osaka", subject="user")
        clock.advance(DAY)
        mem.remember("lives in Tokyo", subject="user")
        mem.sleep()
        (found,) = mem.proposals()
        mem.refuse(found.id)
    throw_index_away(root)
    clock.advance(DAY)
    with open_vault(root, clock) as mem:
        mem.sleep()
        assert mem.proposals() == []


def test_a_popular_memory_does_not_outrank_the_one_that_answers(opened: Opener, clock: FakeClock) -> None:
    mem = opened()
    popular = mem.remember("Notes about the staging database and what else runs there")
    exact = mem.remember("The staging database runs on host alder")
    for _ in range(50):
        mem.get(popular)
        clock.advance(60)
    mem.sleep()
    assert mem.recall("Which host does the staging database run on?", k=1)[0].id == exact


def test_a_run_changes_no_order_of_answers(opened: Opener, clock: FakeClock) -> None:
    mem = opened()
    for number in range(6):
        clock.advance(DAY)
        mem.remember(f"The staging host number {number} was renewed by team {number % 2}")
    for number in (2, 3, 5):
        mem.get(number)
    before = [hit.id for hit in mem.recall("staging host renewed", k=6)]
    mem.sleep()
    assert [hit.id for hit in mem.recall("staging host renewed", k=6)] == before


@pytest.mark.parametrize("hours,state", [(20, "not_due"), (25, "done"), (-1, "done")])
def test_a_clock_that_ran_ahead_once_does_not_keep_runs_from_being_due(
    opened: Opener, clock: FakeClock, monkeypatch: pytest.MonkeyPatch, hours: int, state: str
) -> None:
    mem = opened()
    clock.set("2036-01-01T00:00:00Z")
    mem.remember("a fact", source="s0")
    assert mem.sleep().state == "done"
    clock.set("2026-06-03T00:00:00Z")
    now = time.time_ns()
    monkeypatch.setattr(time, "time_ns", lambda: now + hours * 3_600_000_000_000)
    assert mem.sleep(only_when_due=True).state == state


def test_what_is_over_the_cap_is_counted_and_comes_when_there_is_room(mem: Memory, clock: FakeClock) -> None:
    mem.sleep_settings(caps={"merge": 1})
    for word in ("alder", "birch"):
        text = f"Deploy {word} on Friday evening with the release script from the staging host"
        mem.remember(text)
        mem.remember(f"{text} only")
    report = mem.sleep()
    assert [each.kind for each in report.proposed] == ["merge"]
    assert sum(each.withheld for each in report.passes) == 1
    mem.refuse(report.proposed[0].id)
    clock.advance(DAY)
    (second,) = mem.sleep().proposed
    assert second.id != report.proposed[0].id


def test_switched_off_in_the_store_it_is_off_at_every_door(
    path: Path, opened: Opener, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    mem = opened()
    for number in range(11):
        mem.remember(NEAR.format(number), subject="topic")
    mem.sleep_settings(enabled=False)
    before = mem.list(), mem.head()
    mem.close()
    monkeypatch.setenv("OMOIDE_EMBEDDER", "none")
    run(["sleep", "--store", str(path), "--json"])
    assert json.loads(capsys.readouterr().out)["state"] == "off"
    run(["sleep", "--store", str(path), "--json", "--only-when-due", "--reasoner", "claude-code"])
    assert json.loads(capsys.readouterr().out)["state"] == "off"
    after = opened()
    assert after.consolidate(lambda _: ["lives in Osaka"]).state == "off"
    assert (after.list(), after.head()) == before
    assert after.proposals(None) == []


@needs_git
def test_a_run_commits_the_truth_of_the_vault_and_nothing_else(work_tree: Path, clock: FakeClock) -> None:
    with open_vault(work_tree / "notes", clock) as mem:
        mem.sleep_settings(git_commit=True)
        mem.remember("lives in Osaka", subject="user")
        mem.sleep()
    committed = git(work_tree, "ls-files").splitlines()
    assert any(name.endswith(".jsonl") for name in committed)
    assert any(name.startswith("notes/.omoide/sleep/") for name in committed)
    assert not [name for name in committed if ".index" in name or "/local/" in name or not name.startswith("notes/")]
    assert git(work_tree, "log", "--format=%s") == "Consolidated default"


@needs_git
def test_nothing_is_committed_unless_asked_for(work_tree: Path, clock: FakeClock) -> None:
    with open_vault(work_tree / "notes", clock) as mem:
        mem.remember("lives in Osaka", subject="user")
        mem.sleep()
    assert git(work_tree, "ls-files") == ""


def test_reports_and_answers_keep_nothing_of_what_is_purged(tmp_path: Path, clock: FakeClock) -> None:
    root, secret = tmp_path / "notes", "xylophonist"
    with open_vault(root, clock) as mem:
        first = mem.remember(f"Deploy billing on Friday evening with the script of the {secret}")
        second = mem.remember(f"Deploy billing on Friday evening with the script of the {secret} only")
        mem.sleep(reasoner=lambda _: json.dumps({"handle": "P1", "verdict": "accept", "why": f"{secret} twice"}))
        (found,) = mem.proposals()
        assert secret in (found.advice or "")
        for number in (first, second):
            assert mem.purge(number).verified
        assert mem.proposals(None) == []
    held = [file for file in root.rglob("*") if file.is_file() and secret.encode() in file.read_bytes()]
    assert held == []
