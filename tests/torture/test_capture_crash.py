"""A hook or its worker killed at any point loses nothing: what was said is found after the next start, once."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.features.conftest import hooks
from tests.features.hook_kit import Hooks

from omoide.beside.failures import failures

__all__ = ["hooks"]

pytestmark = [
    pytest.mark.torture,
    pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL"),
]
# Dies at the n-th change that it is about to make beside the store.
KILLED = """
import os, signal, sys
left = int(sys.argv.pop(1))
def step(name, args):
    global left
    writes = name == "open" and (args[1] or args[2] & os.O_WRONLY) not in ("r", "rb", 0)
    wanted = writes or name in ("os.rename", "os.remove")
    if wanted and "agents.db-capture" in str(args[0]):
        left -= 1
        if left < 0:
            os.kill(os.getpid(), signal.SIGKILL)
sys.addaudithook(step)
"""
HOOK = KILLED + "from omoide.__main__ import main; sys.exit(main())"
WORKER = KILLED + "from omoide.capture.worker import main; sys.exit(main(sys.argv[1:]))"


def run(code: str, point: int, words: list[str], payload: object = None) -> int:
    command = [sys.executable, "-P", "-c", code, str(point), *words]
    return subprocess.run(
        command, input=json.dumps(payload).encode(), capture_output=True, check=False, timeout=60
    ).returncode


def age(hooks: Hooks) -> None:
    """Let twenty minutes pass."""
    then = time.time() - 1_200
    for path in [*hooks.folder.glob("traces/*"), *hooks.home.rglob("*.jsonl")]:
        os.utime(path, (then, then))
    (hooks.folder / "scan.json").unlink(missing_ok=True)


def recovered(hooks: Hooks) -> list[str]:
    """Start another session, let the worker run, and return what is found."""
    age(hooks)
    hooks("claude-code", "SessionStart", hooks.common("SessionStart", "next") | {"source": "startup"})
    hooks.work()
    return hooks.found("crash")


@pytest.mark.parametrize("point", range(9))
def test_a_hook_killed_at_its_nth_step(hooks: Hooks, point: int) -> None:
    hooks.claude("SessionStart", source="startup")
    hooks.say("Said before the crash.")
    words = ["hook", "claude-code", "SessionEnd", "--store", hooks.store]
    status = run(HOOK, point, words, hooks.common("SessionEnd"))
    assert status in (0, -signal.SIGKILL)
    assert status == -signal.SIGKILL or point >= 4
    assert recovered(hooks) == ["Said before the crash."]


def test_the_very_first_hook_killed_before_it_wrote_anything(hooks: Hooks) -> None:
    hooks.say("Said before the crash.")
    words = ["hook", "claude-code", "SessionEnd", "--store", hooks.store]
    assert run(HOOK, 0, words, hooks.common("SessionEnd")) == -signal.SIGKILL
    assert recovered(hooks) == ["Said before the crash."]


@pytest.mark.parametrize("point", range(8))
def test_a_worker_killed_at_its_nth_step(hooks: Hooks, point: int) -> None:
    hooks.say("Said before the crash.")
    hooks.claude("SessionEnd")
    status = run(WORKER, point, [hooks.store])
    assert status in (0, -signal.SIGKILL)
    assert status == -signal.SIGKILL or point >= 4
    hooks.work()
    assert hooks.found("crash") == ["Said before the crash."]
    assert "pending" not in {row["state"] for row in hooks.captures()}


@pytest.mark.parametrize("delay", [0.05, 0.4, 0.8])
def test_a_worker_killed_while_it_reads_a_long_transcript(hooks: Hooks, delay: float) -> None:
    hooks.say(*(f"Line {number} before the crash." for number in range(3_000)))
    hooks.claude("SessionEnd")
    command = [sys.executable, "-P", "-m", "omoide.capture.worker", hooks.store]
    with subprocess.Popen(command) as running:
        time.sleep(delay)
        running.kill()
    hooks.work()
    (row,) = hooks.captures()
    assert row["state"] == "stored"
    from omoide import History

    with History(hooks.store, embedder="none") as history:
        assert history.status()["default"]["turns"] == 3_000


def test_two_workers_at_once_store_everything_once(hooks: Hooks) -> None:
    for number in range(6):
        session = f"session-{number}"
        hooks.say(f"Said before the crash in {number}.", session=session)
        hooks("claude-code", "SessionEnd", hooks.common("SessionEnd", session))
    command = [sys.executable, "-P", "-m", "omoide.capture.worker", hooks.store]
    running = [subprocess.Popen(command) for _ in range(3)]
    assert [each.wait(timeout=60) for each in running] == [0, 0, 0]
    assert len(hooks.found("crash", k=50)) == 6
    assert {(row["state"], row["tries"]) for row in hooks.captures()} == {("stored", 1)}


@pytest.mark.parametrize(
    "limit",
    [
        "w.TIME = 0.001",
        pytest.param("w.MEMORY = 1 << 26", marks=pytest.mark.skipif(sys.platform != "linux", reason="no such limit")),
    ],
)
def test_a_worker_over_its_limits_ends_and_the_next_one_goes_on(hooks: Hooks, limit: str) -> None:
    hooks.say("Said before the crash.")
    hooks.claude("SessionEnd")
    code = f"import sys, omoide.capture.worker as w; {limit}; sys.exit(w.main(sys.argv[1:]))"
    done = subprocess.run([sys.executable, "-P", "-c", code, hooks.store], check=False, capture_output=True, timeout=60)
    assert done.returncode != 0
    assert failures(hooks.store)
    hooks.work()
    assert hooks.found("crash") == ["Said before the crash."]


def test_the_lock_of_a_killed_worker_is_free(hooks: Hooks) -> None:
    from omoide.beside.places import LOCK, ready
    from omoide.capture.locking import FileLock

    path = str(Path(ready(str(hooks.folder))) / LOCK)
    code = (
        f"from omoide.capture.locking import FileLock; FileLock({path!r}).acquire(); print('held', flush=True); input()"
    )
    with subprocess.Popen([sys.executable, "-P", "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as held:
        assert held.stdout is not None
        assert held.stdout.readline().strip() == b"held"
        assert not FileLock(path).acquire()
        held.kill()
        held.wait()
        assert FileLock(path).acquire(5.0)


def test_a_hook_starts_a_worker_that_outlives_it_and_ends(hooks: Hooks, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OMOIDE_NO_WORKER")
    hooks.say("Said before the crash.")
    command = [sys.executable, "-P", "-m", "omoide", "hook", "claude-code", "SessionEnd", "--store", hooks.store]
    subprocess.run(command, input=json.dumps(hooks.common("SessionEnd")).encode(), check=True, timeout=60)
    until = time.monotonic() + 60
    while {row["state"] for row in hooks.captures()} != {"stored"}:
        assert time.monotonic() < until
        time.sleep(0.2)
    assert hooks.found("crash") == ["Said before the crash."]
    from omoide.capture.locking import FileLock

    assert FileLock(str(hooks.folder / "worker.lock")).acquire(30.0)
