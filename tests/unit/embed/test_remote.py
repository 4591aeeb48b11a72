from __future__ import annotations

import json
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from omoide.embed.remote import CohereEmbedder, OllamaEmbedder, OpenAIEmbedder, RemoteEmbedder, VoyageEmbedder
from omoide.embed.resolve import resolve
from omoide.errors import EmbedderError, EmbedderUnavailableError, InvalidInputError


def rows(texts: list[str]) -> list[list[float]]:
    return [[float(len(text)), 1.0] for text in texts]


def indexed(texts: list[str]) -> dict[str, Any]:
    """Answer like OpenAI and Voyage, in an order that is not the one asked."""
    return {"data": [{"index": at, "embedding": row} for at, row in reversed(list(enumerate(rows(texts))))]}


class Service(ThreadingHTTPServer):
    """All four services at once; keeps what it was asked."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.asked: list[tuple[str, dict[str, Any], str | None]] = []
        self.status, self.forced = 200, ""

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class Handler(BaseHTTPRequestHandler):
    server: Service

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.asked.append((self.path, body, self.headers["Authorization"]))
        answer = self.server.forced or json.dumps(self._answer(body))
        self.send_response(self.server.status)
        self.end_headers()
        self.wfile.write(answer.encode())

    def log_message(self, *args: Any) -> None:
        """Say nothing."""

    def _answer(self, body: dict[str, Any]) -> dict[str, Any]:
        if self.path == "/embed":
            return {"embeddings": {"float": rows(body["texts"])}}
        if self.path == "/api/embed":
            return {"embeddings": rows(body["input"])}
        return indexed(body["input"])


@pytest.fixture
def service() -> Iterator[Service]:
    with Service() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server
        server.shutdown()
        thread.join()


KINDS = [OpenAIEmbedder, VoyageEmbedder, CohereEmbedder, OllamaEmbedder]


@pytest.mark.parametrize("kind", KINDS)
def test_vectors_come_in_the_order_of_the_texts(service: Service, kind: type[RemoteEmbedder]) -> None:
    embedder = kind("model", base_url=service.url, api_key="key")
    assert embedder.embed(["a", "bb", "ccc"]) == [[1.0, 1.0], [2.0, 1.0], [3.0, 1.0]]


@pytest.mark.parametrize("kind", KINDS)
def test_many_texts_go_in_batches(service: Service, kind: type[RemoteEmbedder]) -> None:
    texts = ["x" * (n + 1) for n in range(300)]
    assert [row[0] for row in kind("model", base_url=service.url).embed(texts)] == list(range(1, 301))
    assert len(service.asked) == -(-300 // kind.batch)


@pytest.mark.parametrize(
    "kind,question,passage",
    [(VoyageEmbedder, "query", "document"), (CohereEmbedder, "search_query", "search_document")],
)
def test_questions_are_told_from_passages(
    service: Service, kind: type[RemoteEmbedder], question: str, passage: str
) -> None:
    embedder = kind("model", base_url=service.url)
    embedder.embed_queries(["a"])
    embedder.embed(["a"])
    assert [body["input_type"] for _, body, _ in service.asked] == [question, passage]


def test_the_key_goes_into_the_header_only(service: Service) -> None:
    OpenAIEmbedder(base_url=service.url + "/", api_key="secret").embed(["a"])
    path, body, authorization = service.asked[0]
    assert (path, authorization) == ("/embeddings", "Bearer secret")
    assert "secret" not in json.dumps(body)


def test_other_dimensions_are_another_model(service: Service) -> None:
    embedder = OpenAIEmbedder("big", dimensions=2, base_url=service.url)
    embedder.embed(["a"])
    assert embedder.model_name == "big@2"
    assert (service.asked[0][1]["model"], service.asked[0][1]["dimensions"]) == ("big", 2)


@pytest.mark.parametrize("kind", KINDS)
def test_an_error_of_the_service_is_told_without_the_key(service: Service, kind: type[RemoteEmbedder]) -> None:
    service.status, service.forced = 429, "slow down"
    with pytest.raises(EmbedderError, match="429 Too Many Requests: slow down") as caught:
        kind("model", base_url=service.url, api_key="secret").embed(["a"])
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("forced", ["not json", "[]", "{}", '{"data": [{}], "embeddings": null}'])
def test_a_nonsense_answer_is_an_embedder_error(service: Service, kind: type[RemoteEmbedder], forced: str) -> None:
    from omoide.embed.check import checked_vectors

    service.forced = forced
    with pytest.raises(EmbedderError):
        checked_vectors(kind("model", base_url=service.url), ["a"])


def test_a_service_that_is_not_there_is_an_embedder_error() -> None:
    with pytest.raises(EmbedderError, match=r"Ollama at http://127\.0\.0\.1:1 cannot be asked"):
        OllamaEmbedder(base_url="http://127.0.0.1:1").embed(["a"])


@pytest.mark.parametrize(
    "name,variable", [("openai", "OPENAI_API_KEY"), ("voyage", "VOYAGE_API_KEY"), ("cohere", "CO_API_KEY")]
)
def test_a_missing_key_is_told_at_once(monkeypatch: pytest.MonkeyPatch, name: str, variable: str) -> None:
    monkeypatch.delenv(variable, raising=False)
    with pytest.raises(EmbedderUnavailableError, match=variable):
        resolve(f"{name}:model")


def test_a_service_and_a_model_can_be_named_in_one_word() -> None:
    assert resolve("ollama:all-minilm").name == "all-minilm"


@pytest.mark.parametrize("url", ["file:///etc/passwd", "ftp://host", "no scheme"])
def test_only_web_addresses_are_asked(url: str) -> None:
    with pytest.raises(InvalidInputError, match="http"):
        OpenAIEmbedder(base_url=url, api_key="key")


def test_fastembed_that_is_not_installed_is_told_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "fastembed", None)
    with pytest.raises(EmbedderUnavailableError, match=r"pip install 'omoide\[fastembed\]'"):
        resolve("fastembed:BAAI/bge-small-en-v1.5")
