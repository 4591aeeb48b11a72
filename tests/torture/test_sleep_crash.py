from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
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
NEVER = 1_000_000
DEEP = os.environ.get("OMOIDE_LAWS") == "deep"
POINTS: dict[str, Sequence[int]] = {
    "agents.db": range(1, 64) if DEEP else (1, 3, 11, 29),
    "notes": range(1, 200) if DEEP else (5, 40, 121),
}
"""Points of writing at which a run is killed, see ``sleeper.py``; in depth all that it has."""
STORES = tuple(POINTS)
MANY = 54
"""More than one transaction of a run writes at once."""


def filled(path: Path) -> None:
    """A store in which every pass has something to do, more than one transaction of it."""
    clock = FakeClock("2026-01-01T00:00:00Z")
    with Memory(path, embedder="none", clock=clock) as mem:
        for number in range(MANY):
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
        for number in range(MANY):
            mem.remember("lives in Tokyo", subject=f"person {number}", importance="critical")


def state(path: Path) -> Any:
    """What a run leaves behind, without the ids and times of the run itself."""
    with Memory(path, embedder="none", clock=FakeClock(NOW)) as mem:
        assert (mem.verify(), mem.integrity_check()) == ([], [])
        records = [(each.id, each.text, each.archived) for each in mem.list(include_archived=True)]
        proposals = [(each.id, each.kind, each.ids, each.state, each.score) for each in mem.proposals(None)]
        links = [(number, mem.why(number).related) for number, *_ in records]
        return sorted(records), sorted(proposals), sorted(links)


def killed(path: Path, point: int) -> int:
    done = subprocess.run([sys.executable, str(SLEEPER), str(path), str(point)], capture_output=True, check=False)
    assert done.returncode in (0, 9), done.stderr.decode()
    return done.returncode


def copied(store: Path, to: Path) -> Path:
    (shutil.copytree if store.is_dir() else shutil.copy)(store, to)
    return to


@pytest.fixture(scope="module")
def lived(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Path, Any]]:
    """A file and a vault in which a run has much to do, with what an undisturbed run makes of each."""
    found = {}
    for name in STORES:
        folder = tmp_path_factory.mktemp("lived")
        store = folder / name
        if not store.suffix:
            store.mkdir()
        filled(store)
        whole = copied(store, folder / f"whole-{name}")
        assert killed(whole, NEVER) == 0
        found[name] = store, state(whole)
    return found


@pytest.mark.parametrize("name,point", [(name, point) for name in STORES for point in POINTS[name]])
def test_killed_anywhere_and_run_again_it_ends_the_same(
    lived: dict[str, tuple[Path, Any]], tmp_path: Path, name: str, point: int
) -> None:
    store, whole = lived[name]
    broken = copied(store, tmp_path / name)
    assert killed(broken, point) == 9
    killed(broken, point + 3)
    while killed(broken, NEVER):
        pass
    assert state(broken) == whole
