"""Several processes behind one address: one store, one answer to a retry, nobody left behind."""

from __future__ import annotations

import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from tests.surfaces.doors import free_port, process, wait_for_port

from omoide import Memory, serve_http
from omoide.errors import ConfigurationError
from omoide.serve.limits import Limits

SERVE = """
import json, sys
from omoide import serve_http
from omoide.serve.limits import Limits
options = json.loads(sys.argv[3])
limits = Limits(**options.pop("limits", {}))
serve_http(sys.argv[1], port=int(sys.argv[2]), embedder="none", workers=2, limits=limits, **options)
print("returned")
"""


@contextmanager
def serving(db: Path, **options: Any) -> Iterator[tuple[int, Any]]:
    port = free_port()
    with process(SERVE, str(db), str(port), json.dumps(options)) as child:
        wait_for_port(port)
        yield port, child


@contextmanager
def kept(port: int) -> Iterator[Callable[..., int]]:
    """Keep a connection open, and give what asks for a list of memories over it and returns the status."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)

    def ask(token: str = "") -> int:
        connection.request("GET", "/memories?limit=1", headers={"authorization": f"Bearer {token}"} if token else {})
        answer = connection.getresponse()
        answer.read()
        return answer.status

    try:
        yield ask
    finally:
        connection.close()


def asked(port: int, method: str, path: str, body: Any = None) -> Any:
    """Ask over a connection of its own, which any of the processes may get."""
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


def test_connections_that_are_kept_open_are_shared_out_evenly(db: Path) -> None:
    """Each process lets through two requests, so that four pass only where each has one of the connections."""
    with serving(db, limits={"rate": 0.0001, "burst": 4.0}) as (port, _), kept(port) as first, kept(port) as second:
        assert [first(), second(), first(), second()] == [200] * 4
        assert [first(), second()] == [429] * 2


def test_a_connection_that_ended_makes_room_for_the_next(db: Path) -> None:
    """The third goes to the process whose only one is closed, where two of three requests are left."""
    with serving(db, limits={"rate": 0.0001, "burst": 6.0}) as (port, _), kept(port) as first:
        assert first() == 200
        with kept(port) as second:
            assert second() == 200
        time.sleep(1)  # until its process has seen that it ended
        with kept(port) as third:
            assert [first(), third(), first(), third()] == [200] * 4
            assert [first(), third()] == [429] * 2


def test_many_more_connections_than_processes_are_answered(db: Path) -> None:
    with serving(db) as (port, _), ExitStack() as open_:
        callers = [open_.enter_context(kept(port)) for _ in range(40)]
        assert [ask() for ask in callers for _ in range(2)] == [200] * 80


def test_a_token_changed_in_its_file_counts_in_every_process(db: Path, tmp_path: Path) -> None:
    tokens = tmp_path / "tokens.toml"
    tokens.write_text('[[token]]\ntoken = "the first of them"\n', encoding="utf-8")
    with serving(db, token_file=str(tokens)) as (port, _), kept(port) as first, kept(port) as second:
        assert [ask("the first of them") for ask in (first, second)] == [200, 200]
        tokens.write_text('[[token]]\ntoken = "another one by now"\n', encoding="utf-8")
        assert [ask("the first of them") for ask in (first, second)] == [401, 401]
        assert [ask("another one by now") for ask in (first, second)] == [200, 200]


@pytest.mark.skipif(sys.platform == "win32", reason="there is no such signal to send")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_what_is_asked_before_a_stop_is_answered(db: Path, number: signal.Signals) -> None:
    """The rest of a body that was begun before the signal comes after it."""
    with serving(db) as (port, child), socket.create_connection(("127.0.0.1", port), timeout=60) as client:
        head = b"POST /memories HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\n"
        client.sendall(head + b'content-length: 15\r\n\r\n{"text":')
        assert asked(port, "GET", "/health")["status"] == "ok"
        child.send_signal(number)
        time.sleep(0.5)
        client.sendall(b'"late"}')
        assert client.recv(65536).startswith(b"HTTP/1.1 201")
        assert child.stdout.read().split() == [b"returned"]
        assert child.wait(timeout=60) == 0
    with pytest.raises(OSError):
        socket.create_connection(("127.0.0.1", port), timeout=1)


def test_a_free_port_is_chosen_and_said(db: Path) -> None:
    command = [sys.executable, "-m", "omoide", "http", str(db), "--port", "0", "--workers", "2"]
    environment = {**os.environ, "OMOIDE_EMBEDDER": "none"}
    with subprocess.Popen(command, stderr=subprocess.PIPE, env=environment) as child:
        assert child.stderr is not None
        said = child.stderr.readline().decode()
        port = int(said.rsplit(":", 1)[1])
        try:
            assert "2 processes" in said
            assert asked(port, "POST", "/memories", {"text": "kept"})["id"] == 1
        finally:
            child.terminate()


def test_an_address_in_use_is_refused_before_anything_begins(db: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken, pytest.raises(ConfigurationError, match="another port"):
        serve_http(db, port=taken.getsockname()[1], workers=2)


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
