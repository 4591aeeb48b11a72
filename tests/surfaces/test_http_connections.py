"""Connections that are up to no good: the head of a request is bounded, and no header says two things."""

from __future__ import annotations

import json
import signal
import socket
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from starlette.testclient import TestClient
from tests.surfaces.doors import free_port, process, wait_for_port, web

SERVE = """
import sys
from omoide import serve_http
from omoide.serve.limits import Limits
serve_http(sys.argv[1], port=int(sys.argv[2]), embedder="none", limits=Limits(body_seconds=1.0, body=1000, head=2000))
print("returned")
"""
HOST = b"Host: 127.0.0.1\r\n"
JSON = b"Content-Type: application/json\r\n"
HEALTH = b"GET /health HTTP/1.1\r\n" + HOST


@pytest.fixture(scope="module")
def port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    chosen = free_port()
    with process(SERVE, str(tmp_path_factory.mktemp("store") / "agents.db"), str(chosen)) as child:
        wait_for_port(chosen)
        yield chosen
        child.send_signal(signal.SIGTERM)
        child.wait(timeout=30)


def exchanged(port: int, *parts: bytes, gap: float = 0.1) -> bytes:
    """Send parts one after the other; return all that comes until the server closes."""
    came: list[bytes] = []
    with socket.create_connection(("127.0.0.1", port), timeout=20) as connection:
        reading = Thread(target=_read, args=(connection, came))
        reading.start()
        with suppress(ConnectionError):  # closed while more was sent, which is the point
            for part in parts:
                connection.sendall(part)
                time.sleep(gap)
        reading.join()
    return b"".join(came)


def _read(connection: socket.socket, came: list[bytes]) -> None:
    with suppress(ConnectionError):
        while more := connection.recv(65536):
            came.append(more)


def refusal(answer: bytes) -> tuple[int, str]:
    head, _, body = answer.rpartition(b"\r\n\r\n")
    return int(head.rsplit(b"HTTP/1.1 ", 1)[1][:3]), json.loads(body)["code"]


def test_a_client_that_says_nothing_is_let_go(port: int) -> None:
    assert exchanged(port) == b""


def test_a_head_that_never_ends_in_time_is_given_up(port: int) -> None:
    assert refusal(exchanged(port, b"GET /heal")) == (408, "too_slow")
    drops = [b"X-%d: a\r\n" % number for number in range(12)]
    assert b"408" in exchanged(port, HEALTH, *drops, gap=0.2)[:20]


def test_a_head_without_end_is_refused_by_its_size(port: int) -> None:
    assert refusal(exchanged(port, HEALTH, *[b"X: " + b"a" * 900 + b"\r\n"] * 4)) == (431, "too_large")


def test_a_connection_that_was_answered_has_the_time_of_a_head_for_the_next(port: int) -> None:
    came = exchanged(port, HEALTH + b"\r\n", HEALTH + b"\r\n", b"GET /hea")
    assert came.count(b"HTTP/1.1 200") == 2
    assert refusal(came) == (408, "too_slow")


def test_what_is_no_http_is_refused_in_json(port: int) -> None:
    for nonsense in (b"NONSENSE\r\n\r\n", b"\x16\x03\x01\x02\x00", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"):
        assert refusal(exchanged(port, nonsense)) == (400, "invalid_request")


def test_the_rest_of_a_refused_body_is_not_listened_to_for_ever(port: int) -> None:
    head = b"POST /memories HTTP/1.1\r\n" + HOST + JSON + b"Content-Length: 1000000\r\n\r\n"
    begin = time.monotonic()
    came = exchanged(port, head, *[b"x" * 100] * 30)
    assert refusal(came) == (413, "too_large")
    assert came.count(b"HTTP/1.1") == 1
    assert time.monotonic() - begin < 20


def test_requests_in_a_row_are_answered_in_a_row(port: int) -> None:
    last = HEALTH + b"Connection: close\r\n\r\n"
    assert exchanged(port, (HEALTH + b"\r\n") * 9 + last).count(b"HTTP/1.1 200") == 10


def test_two_hosts_are_none(port: int) -> None:
    for order in ((HOST, b"Host: evil.example\r\n"), (b"Host: evil.example\r\n", HOST)):
        asked = b"GET /memories HTTP/1.1\r\n" + b"".join(order) + b"Connection: close\r\n\r\n"
        assert refusal(exchanged(port, asked)) == (400, "repeated_header")


@pytest.mark.parametrize(
    "name, first, second",
    [
        ("content-type", "text/plain", "application/json"),
        ("origin", "https://evil.example", "http://127.0.0.1:8000"),
        ("authorization", "Bearer a", "Bearer b"),
        ("sec-fetch-site", "cross-site", "none"),
    ],
)
def test_a_header_that_decides_is_given_once(db: Path, name: str, first: str, second: str) -> None:
    headers = [("content-type", "application/json")] if name != "content-type" else []
    with web(db) as client:
        answer = _posted(client, [*headers, (name, first), (name, second)])
        assert (answer.status_code, answer.json()["code"]) == (400, "repeated_header")
        assert _posted(client, [("x-more", "1"), ("x-more", "2"), ("content-type", "application/json")]).is_success


def _posted(client: TestClient, headers: list[tuple[str, str]]) -> Any:
    return client.post("/memories", content=b'{"text":"x"}', headers=headers)


@pytest.mark.skipif(sys.platform == "win32", reason="there is no such signal to send")
def test_a_program_goes_on_after_an_interrupt_ended_its_server(tmp_path: Path) -> None:
    port = free_port()
    with process(SERVE, str(tmp_path / "agents.db"), str(port)) as child:
        wait_for_port(port)
        assert b"200 OK" in exchanged(port, HEALTH + b"Connection: close\r\n\r\n")
        child.send_signal(signal.SIGINT)
        assert child.stdout is not None
        assert child.stdout.read().split() == [b"returned"]
        assert child.wait(timeout=30) == 0
