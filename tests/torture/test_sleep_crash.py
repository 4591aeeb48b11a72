from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from omoide import Memory
from omoide.testing import FakeClock

pytestmark = [
    pytest.mark.torture,
    pytest.mark.timeout(600),
    pytest.mark.skipif(os.name != "posix", reason="elsewhere a dead run is taken up when its lease ends"),
]
SLEEPER = Path(__file__).with_name("sleeper.py")
DAY = 86_400.0
NOW = "2027-09-01T00:00:00Z"


def filled(path: Path) -> None:
    """A store in which every pass has something to do, more than one transaction of it."""
    clock = FakeClock("2026-01-01T00:00:00Z")
    with Memory(path, embedder="none", clock=clock) as mem:
        for number in range(70):
            mem.remember(f"Lunch number {number} was soup", kind="event", importance="low")
            mem.remember("lives in Osaka", subject=f"person {number}", importance="critical")
        for number in range(3):
            mem.remember("Ruby is on call", subject="team", valid_from=f"2026-01-{20 - number}", importance="high")
            mem.remember_turn("user", "Please always answer in French.", session_id=f"s{number}")
            clock.advance(DAY)
        for _ in range(3):
            mem.recall("soup", k=5)
        for _ in range(2):
            mem.forget(mem.remember("The office is closed on Mondays"))
        mem.remember("The office is closed on Mondays", importance="critical")
        mem.remember("\n\n".join(f"## Part {n}\n\nThis part tells of matter number {n} in full." for n in range(3)))
        mem.remember("The release needs two people. " + "Then it waits for the night and the checks pass. " * 20)
        mem.remember("Deploy billing on Friday evening with the release script from staging", importance="high")
        mem.remember("Deploy billing on Friday evening with the release script from staging, twice", importance="high")
        mem.remember("The rate limit is 100 requests a minute", importance="high")
        clock.advance(DAY)
        mem.remember("The rate limit is now 250 requests a minute", importance="high")
        for number in range(70):
            mem.remember("lives in Tokyo", subject=f"person {number}", importance="critical")


def state(path: Path) -> Any:
    """What a run leaves behind, without the ids and times of the run itself."""
    with Memory(path, embedder="none", clock=FakeClock(NOW)) as mem:
        assert (mem.verify(), mem.integrity_check()) == ([], [])
        records = [(each.id, each.text, each.archived) for each in mem.list(include_archived=True)]
        proposals = [(each.id, each.kind, each.ids, each.state, each.score) for each in mem.proposals(None)]
        links = [(number, mem.why(number).related) for number, *_ in records]
        return sorted(records), sorted(proposals), sorted(links)


def killed(path: Path, commits: int) -> int:
    done = subprocess.run([sys.executable, str(SLEEPER), str(path), str(commits)], capture_output=True, check=False)
    assert done.returncode in (0, 9), done.stderr.decode()
    return done.returncode


@pytest.mark.parametrize("commits", range(1, 48) if os.environ.get("OMOIDE_LAWS") == "deep" else [1, 3, 6, 11, 19])
def test_killed_at_any_commit_and_run_again_it_ends_the_same(tmp_path: Path, commits: int) -> None:
    whole, broken = tmp_path / "whole.db", tmp_path / "broken.db"
    filled(whole)
    shutil.copy(whole, broken)
    assert killed(whole, 1_000) == 0
    assert killed(broken, commits) == 9
    assert killed(broken, commits + 3) in (0, 9)
    while killed(broken, 1_000):
        pass
    assert state(broken) == state(whole)
