"""Several processes behind one address: one store, one answer to a retry, nobody left behind."""

from __future__ import annotations

import http.client
import json
import os
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from tests.surfaces.doors import free_port, process, wait_for_port

from omoide import Memory, serve_http
from omoide.errors import ConfigurationError
from omoide.serve.limits import Limits

SERVE = """
import sys
from omoide import serve_http
serve_http(sys.argv[1], port=int(sys.argv[2]), embedder="none", workers=2)
print("returned")
"""


@contextmanager
def serving(db: Path) -> Iterator[tuple[int, Any]]:
    port = free_port()
    with process(SERVE, str(db), str(port)) as child:
        wait_for_port(port)
        yield port, child


def asked(port: int, method: str, path: str, body: Any = None) -> Any:
    """Ask over a connection of its own, which any of the processes may take."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    try:
        headers = {} if body is None else {"content-type": "application/json"}
        connection.request(method, path, None if body is None else json.dumps(body), headers)
        answer = connection.getresponse()
        assert answer.status < 300, answer.read()
        return json.loads(answer.read())
    finally:
        connection.close()


def processes_of(pid: int) -> set[int]:
    """Return the processes that serve, by what Linux tells."""
    found = set()
    for place in Path("/proc").iterdir():
        with suppress(OSError, ValueError, IndexError):
            stat = (place / "stat").read_text(encoding="utf-8").rsplit(")", 1)[1].split()
            if int(stat[1]) == pid and stat[0] != "Z" and b"spawn_main" in (place / "cmdline").read_bytes():
                found.add(int(place.name))
    return found


def wait_until(happened: Any) -> None:
    deadline = time.monotonic() + 60
    while not happened():
        assert time.monotonic() < deadline
        time.sleep(0.05)


@pytest.mark.skipif(sys.platform == "win32", reason="there is no such signal to send")
def test_writes_and_retries_are_those_of_one_store(db: Path) -> None:
    with serving(db) as (port, child):
        made: list[int] = []
        again: list[int] = []

        def write(name: str) -> None:
            for number in range(5):
                id = asked(port, "POST", "/memories", {"text": f"{name} {number} 東京"})["id"]
                made.append(id)
                assert asked(port, "GET", f"/memories/{id}")["text"] == f"{name} {number} 東京"
                body = {"text": "said once", "idempotency_key": "one"}
                again.append(asked(port, "POST", "/memories", body)["id"])

        threads = [Thread(target=write, args=(name,)) for name in "abcd"]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(made) == len(set(made)) == 20
        assert len(again) == 20
        assert len(set(again)) == 1
        child.send_signal(signal.SIGTERM)
        assert child.stdout.read().split() == [b"returned"]
        assert child.wait(timeout=60) == 0
    with Memory(db, embedder="none") as memory:
        assert memory.stats()["default"]["count"] == 21
        assert memory.integrity_check() == []


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="processes are read from /proc")
def test_a_process_that_dies_is_replaced_and_none_is_left_behind(db: Path) -> None:
    with serving(db) as (port, child):
        wait_until(lambda: len(processes_of(child.pid)) == 2)
        assert asked(port, "POST", "/memories", {"text": "kept"})["id"] == 1
        first = processes_of(child.pid)
        os.kill(first.copy().pop(), signal.SIGKILL)
        wait_until(lambda: len(processes_of(child.pid) - first) == 1 and len(processes_of(child.pid)) == 2)
        assert all(asked(port, "GET", "/memories/1")["text"] == "kept" for _ in range(4))
        left = processes_of(child.pid)
        child.kill()
        child.wait(timeout=30)
        wait_until(lambda: not any(Path(f"/proc/{pid}").exists() for pid in left))


def test_what_is_counted_over_callers_is_shared_out() -> None:
    share = Limits(rate=10.0, burst=40.0, in_flight=7, failures=10.0).shared_out(4)
    assert (share.rate, share.burst, share.in_flight, share.failures) == (2.5, 10.0, 1, 2.5)
    assert (share.body, share.depth, share.seconds) == (Limits().body, Limits().depth, Limits().seconds)
    assert Limits().shared_out(64).rate is None


@pytest.mark.parametrize("workers", [0, -1, 65, True, 2.0, "2"])
def test_a_number_of_processes_that_cannot_be_is_refused(db: Path, workers: Any) -> None:
    with pytest.raises(ConfigurationError, match="from 1 to 64"):
        serve_http(db, port=0, workers=workers)


def test_a_store_in_memory_is_served_by_one_process() -> None:
    with pytest.raises(ConfigurationError, match="workers=1"):
        serve_http(":memory:", port=0, workers=2)


def test_what_no_other_process_can_be_handed_is_refused(db: Path) -> None:
    with pytest.raises(ConfigurationError, match="workers=1"):
        serve_http(db, port=0, workers=2, embedder=lambda texts: [[0.0] for _ in texts])
