"""A service that embeds: asked again where that helps; while it is down nothing is lost and it is made up for later."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from omoide import Memory
from omoide.embed import asking
from omoide.embed.remote import (
    BATCH_CHARACTERS,
    CohereEmbedder,
    OllamaEmbedder,
    OpenAIEmbedder,
    RemoteEmbedder,
    VoyageEmbedder,
)
from omoide.errors import EmbedderError, EmbedderUnavailableError
from omoide.testing import FakeEmbedder

Opener = Callable[..., Memory]

KINDS: list[type[RemoteEmbedder]] = [OpenAIEmbedder, VoyageEmbedder, CohereEmbedder, OllamaEmbedder]
FAKE = FakeEmbedder(16)


class Service(ThreadingHTTPServer):
    """Speaks like all four services; ``troubles`` are (status, headers, body) for the next requests, in order."""

    daemon_threads = True

    def __init__(self, port: int = 0) -> None:
        super().__init__(("127.0.0.1", port), Handler)
        self.asked: list[list[str]] = []
        self.troubles: list[tuple[int, dict[str, str], str]] = []
        self.hold = threading.Event()
        self.hold.set()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class Handler(BaseHTTPRequestHandler):
    server: Service

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        texts = body.get("texts") or body["input"]
        self.server.asked.append(texts)
        self.server.hold.wait(10)
        status, headers, forced = self.server.troubles.pop(0) if self.server.troubles else (200, {}, "")
        if status == 0:
            self.connection.close()
            return
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write((forced or json.dumps(self.answer(texts))).encode())

    def answer(self, texts: list[str]) -> dict[str, Any]:
        rows = [list(map(float, row)) for row in FAKE.embed(texts)]
        if self.path == "/embed":
            return {"embeddings": {"float": rows}}
        if self.path == "/api/embed":
            return {"embeddings": rows}
        return {"data": [{"index": place, "embedding": row} for place, row in enumerate(rows)]}

    def log_message(self, *args: Any) -> None:
        """Say nothing."""


@pytest.fixture
def start() -> Iterator[Callable[[int], Service]]:
    """Start services, each on a port, and stop them at the end."""
    running: list[tuple[Service, threading.Thread]] = []

    def start_one(port: int = 0) -> Service:
        server = Service(port)
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        running.append((server, thread))
        return server

    yield start_one
    for server, thread in running:
        server.hold.set()
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.fixture
def service(start: Callable[[int], Service], monkeypatch: pytest.MonkeyPatch) -> Service:
    monkeypatch.setattr(asking, "FIRST_PAUSE", 0.001)
    return start(0)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("status", [429, 500, 502, 503, 529])
def test_a_passing_trouble_is_asked_again(service: Service, kind: type[RemoteEmbedder], status: int) -> None:
    service.troubles = [(status, {}, "wait"), (status, {}, "wait")]
    assert len(kind("model", base_url=service.url).embed(["a"])) == 1
    assert len(service.asked) == 3


def test_a_lost_connection_is_asked_again(service: Service) -> None:
    service.troubles = [(0, {}, "")]
    assert len(OllamaEmbedder(base_url=service.url).embed(["a"])) == 1


def test_the_tries_are_few(service: Service) -> None:
    service.troubles = [(503, {}, "down")] * 50
    with pytest.raises(EmbedderError, match="503"):
        OllamaEmbedder(base_url=service.url).embed(["a"])
    assert len(service.asked) == asking.TRIES


@pytest.mark.parametrize("said", ["0.01", "0", "soon", "Wed, 21 Oct 2015 07:28:00 GMT", "-1", "nan"])
def test_the_service_may_say_when_to_come_back(service: Service, said: str) -> None:
    service.troubles = [(429, {"Retry-After": said}, "")]
    assert len(OllamaEmbedder(base_url=service.url).embed(["a"])) == 1


def test_nobody_waits_longer_than_the_timeout(service: Service) -> None:
    service.troubles = [(429, {"Retry-After": "3600"}, "tomorrow")]
    with pytest.raises(EmbedderError, match="tomorrow"):
        OllamaEmbedder(base_url=service.url, timeout=5).embed(["a"])
    assert len(service.asked) == 1


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("status", [401, 403])
def test_a_refused_key_is_not_asked_again(service: Service, kind: type[RemoteEmbedder], status: int) -> None:
    service.troubles = [(status, {}, "no such key")]
    with pytest.raises(EmbedderUnavailableError, match="check the key") as caught:
        kind("model", base_url=service.url, api_key="secret").embed(["a"])
    assert len(service.asked) == 1
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("status", [400, 404, 413, 422])
def test_a_refused_request_is_not_asked_again(service: Service, status: int) -> None:
    service.troubles = [(status, {}, "no such model")]
    with pytest.raises(EmbedderError, match="no such model"):
        OllamaEmbedder(base_url=service.url).embed(["a"])
    assert len(service.asked) == 1


def test_a_service_that_hangs_is_left_alone_for_a_while(service: Service) -> None:
    service.hold.clear()
    embedder = OllamaEmbedder(base_url=service.url, timeout=0.2)
    with pytest.raises(EmbedderError, match="did not answer within"):
        embedder.embed(["a"])
    with pytest.raises(EmbedderError, match="left alone"):
        embedder.embed(["b"])
    assert len(service.asked) == 1


@pytest.mark.parametrize("kind", KINDS)
def test_long_texts_go_in_smaller_batches(service: Service, kind: type[RemoteEmbedder]) -> None:
    texts = [str(n) * (BATCH_CHARACTERS // 3) for n in range(7)]
    assert len(kind("model", base_url=service.url).embed(texts)) == 7
    assert [text for batch in service.asked for text in batch] == texts
    assert max(sum(map(len, batch)) for batch in service.asked) <= BATCH_CHARACTERS


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("text", ["All work and no play makes Jack dull. " * 3_000, "吾輩は猫である。" * 4_000])
def test_a_text_longer_than_the_model_reads_is_cut(kind: type[RemoteEmbedder], text: str) -> None:
    from omoide.text.budget import estimate_tokens

    windows = kind("model", base_url="http://127.0.0.1:1").split(text)
    assert len(windows) > 1
    assert max(map(estimate_tokens, windows)) <= 1.1 * kind.reads


MALFORMED = [
    "not json", "[]", "{}", "null", '{"data": 7, "embeddings": 7}', '{"data": [{}], "embeddings": {"float": "x"}}',
    '{"data": [], "embeddings": []}', '{"data": [{"index": 0, "embedding": [NaN, 1]}], "embeddings": [[NaN, 1]]}',
    '{"data": [{"index": 0, "embedding": ["a"]}], "embeddings": [["a"]]}',
]  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("forced", MALFORMED)
def test_a_nonsense_answer_loses_no_write(
    opened: Opener, service: Service, kind: type[RemoteEmbedder], forced: str
) -> None:
    service.troubles = [(200, {}, forced)] * 50
    mem = opened(embedder=kind("model", base_url=service.url))
    id = mem.remember("the cat sleeps on the piano")
    hits = mem.recall("piano")
    assert [hit.id for hit in hits] == [id]
    assert hits.degraded
    assert mem.stats()["default"]["pending_vectors"] == 1


@pytest.mark.parametrize("trouble", [(401, {}, "key"), (429, {}, "slow"), (500, {}, "oops"), (0, {}, "")])
def test_a_failing_service_loses_no_write(opened: Opener, service: Service, trouble: Any) -> None:
    service.troubles = [trouble] * 200
    mem = opened(embedder=OpenAIEmbedder(base_url=service.url))
    ids = [mem.remember(f"the cat sleeps on piano {n}") for n in range(3)]
    assert {hit.id for hit in mem.recall("piano")} == set(ids)
    assert mem.recall("piano").degraded


def test_what_was_written_while_it_was_down_is_embedded_when_it_is_back(
    opened: Opener, start: Callable[[int], Service]
) -> None:
    first = start(0)
    port = first.server_port
    first.shutdown()
    first.server_close()
    embedder = OllamaEmbedder(base_url=f"http://127.0.0.1:{port}")
    mem = opened(embedder=embedder)
    id = mem.remember("the cat sleeps on the piano")
    down = mem.recall("piano")
    assert ([hit.id for hit in down], down.degraded) == ([id], True)
    assert mem.stats()["default"]["pending_vectors"] == 1
    start(port)
    back = mem.recall("the cat sleeps on the piano")
    assert not back.degraded
    assert back[0].vector_score == pytest.approx(1.0, abs=1e-3)
    assert mem.stats()["default"]["pending_vectors"] == 0


def test_a_bulk_of_writes_while_it_is_down_is_kept(opened: Opener) -> None:
    mem = opened(embedder=OllamaEmbedder(base_url="http://127.0.0.1:1"))
    with mem.bulk():
        for n in range(40):
            mem.remember(f"note {n} about the piano")
    assert mem.stats()["default"]["count"] == 40
    assert len(mem.recall("piano", k=40)) == 40


def test_a_text_is_embedded_once(opened: Opener, service: Service) -> None:
    mem = opened(embedder=OllamaEmbedder(base_url=service.url))
    for subject in ("ann", "bob", "cat"):
        mem.remember("likes green tea", subject=None, metadata={"who": subject})
    assert [text for batch in service.asked for text in batch] == ["likes green tea"]
