"""The HTTP door at work: mounted, busy, overloaded, in a process of its own, over a store that changes below it."""

from __future__ import annotations

import asyncio
import http.client
import json
import signal
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.routing import Mount
from starlette.testclient import TestClient
from tests.surfaces.doors import HOST, free_port, process, wait_for_port, web

from omoide import Memory
from omoide.errors import StoreBusyError
from omoide.serve.http import build_app
from omoide.serve.limits import Limits
from omoide.testing import FakeEmbedder

SERVE = "import sys; from omoide import serve_http; serve_http(sys.argv[1], port=int(sys.argv[2]), embedder='none')"


class SlowEmbedder(FakeEmbedder):
    """Takes its time, until it is told not to."""

    def __init__(self) -> None:
        super().__init__()
        self.asked, self.go_on = threading.Event(), threading.Event()

    def embed(self, texts: list[str]) -> list[list[float]]:
        self.asked.set()
        assert self.go_on.wait(30)
        return super().embed(texts)


@pytest.fixture
def slow() -> Iterator[SlowEmbedder]:
    embedder = SlowEmbedder()
    yield embedder
    embedder.go_on.set()


async def call(app: Any, method: str, path: str, body: Any = None) -> tuple[int, Any]:
    """Call an application in this loop."""
    sent: list[Any] = []
    raw = json.dumps(body).encode() if body is not None else b""

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": raw, "more_body": False}

    async def send(message: Any) -> None:
        sent.append(message)

    scope = {
        "type": "http", "method": method, "path": path, "query_string": b"", "client": ("127.0.0.1", 1),
        "headers": [(b"host", b"localhost"), (b"content-type", b"application/json")], "scheme": "http",
        "server": ("127.0.0.1", 8000), "http_version": "1.1",
    }  # fmt: skip
    await app(scope, receive, send)
    return sent[0]["status"], json.loads(sent[1]["body"] or b"null")


def test_it_works_mounted_in_a_larger_application(db: Path) -> None:
    app = build_app(db, embedder="none", token="a token of mine")  # noqa: S106 - of this test
    with TestClient(Starlette(routes=[Mount("/memory", app)]), base_url=HOST) as client:
        assert client.get("/memory/health").status_code == 200
        assert client.get("/memory/memories").status_code == 401
        headers = {"authorization": "Bearer a token of mine"}
        made = client.post("/memory/memories", json={"text": "x"}, headers=headers).json()["id"]
        assert client.get(f"/memory/memories/{made}", headers=headers).json()["text"] == "x"
    app.state.work.close()


def test_a_slow_request_does_not_stop_the_others(db: Path, slow: SlowEmbedder) -> None:
    app = build_app(db, embedder=slow)

    async def scene() -> None:
        writing = asyncio.create_task(call(app, "POST", "/memories", {"text": "one"}))
        await asyncio.to_thread(slow.asked.wait, 30)
        assert (await call(app, "GET", "/memories/stats"))[0] == 200
        assert not writing.done()
        slow.go_on.set()
        assert (await writing)[0] == 201

    asyncio.run(scene())
    app.state.work.close()


def test_what_takes_too_long_is_answered_all_the_same(db: Path, slow: SlowEmbedder) -> None:
    app = build_app(db, embedder=slow, limits=Limits(seconds=0.1))
    status, body = asyncio.run(call(app, "POST", "/memories", {"text": "one"}))
    assert (status, body["code"]) == (503, "timeout")
    slow.go_on.set()
    app.state.work.close()


def test_more_requests_than_can_wait_are_turned_away(db: Path, slow: SlowEmbedder) -> None:
    app = build_app(db, embedder=slow, limits=Limits(in_flight=1))

    async def scene() -> None:
        writing = asyncio.create_task(call(app, "POST", "/memories", {"text": "one"}))
        await asyncio.to_thread(slow.asked.wait, 30)
        status, body = await call(app, "GET", "/memories/stats")
        assert (status, body["code"]) == (503, "overloaded")
        slow.go_on.set()
        assert (await writing)[0] == 201

    asyncio.run(scene())
    app.state.work.close()


def test_a_caller_that_asks_too_often_is_told_to_wait(db: Path) -> None:
    with web(db, limits=Limits(rate=0.001, burst=2)) as client:
        answers = [client.get("/memories") for _ in range(3)]
    assert [answer.status_code for answer in answers] == [200, 200, 429]
    assert int(answers[-1].headers["retry-after"]) > 0


def test_a_store_that_is_held_is_a_503_and_tells_when_to_come_back(db: Path) -> None:
    with web(db, busy_timeout=0.05) as client:
        client.post("/memories", json={"text": "one"})
        with Memory(db, embedder="none") as other, other._ctx.store.write(other._ctx.voice()):
            answer = client.post("/memories", json={"text": "two"})
        assert (answer.status_code, answer.json()["code"]) == (503, StoreBusyError.code)
        assert answer.headers["retry-after"]
        assert client.post("/memories", json={"text": "two"}).status_code == 201


@pytest.mark.skipif(sys.platform == "win32", reason="an open file cannot be deleted there")
def test_a_store_that_was_deleted_is_made_anew(db: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with web(db) as client:
        client.post("/memories", json={"text": "one"})
        for file in db.parent.glob("agents.db*"):
            file.unlink()
        made = client.post("/memories", json={"text": "two"})
        assert made.status_code == 201
        assert [row["text"] for row in client.get("/memories").json()["results"]] == ["two"]
    with Memory(db, embedder="none") as memory:
        assert [record.text for record in memory.list()] == ["two"]
    assert "was replaced" in capsys.readouterr().err


def test_a_file_that_is_no_store_is_a_typed_error(db: Path) -> None:
    db.write_text("not a database at all, but long enough to look at", encoding="utf-8")
    with web(db) as client:
        answer = client.get("/memories")
        assert answer.status_code == 503
        assert answer.json()["code"].startswith(("store", "foreign_store"))


def test_a_server_in_a_process_of_its_own_finishes_and_leaves(db: Path) -> None:
    port = free_port()
    with process(SERVE, str(db), str(port)) as child:
        wait_for_port(port)
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
        headers = {"content-type": "application/json"}
        connection.request("POST", "/memories", json.dumps({"text": "kept"}), headers)
        answer = connection.getresponse()
        assert (answer.status, json.loads(answer.read())["id"]) == (201, 1)
        assert answer.getheader("server") is None
        connection.close()
        child.send_signal(signal.SIGTERM)
        assert child.wait(timeout=30) in (0, -signal.SIGTERM, 1)
    with Memory(db, embedder="none") as memory:
        assert memory.get(1) is not None


def test_an_address_in_use_is_a_configuration_error(db: Path) -> None:
    import socket

    from omoide.errors import ConfigurationError
    from omoide.serve.http import serve_http

    with socket.create_server(("127.0.0.1", 0)) as taken, pytest.raises(ConfigurationError, match="another port"):
        serve_http(db, port=taken.getsockname()[1])


def test_small_answers_are_sent_at_once() -> None:
    """Only of a socket that names its protocol does the event loop know that it may switch off Nagle's algorithm."""
    import socket

    from omoide.serve.http.server import _bound

    with _bound("127.0.0.1", 0) as listener:
        assert listener.proto == socket.IPPROTO_TCP
