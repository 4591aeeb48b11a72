"""Embedding services over HTTP: OpenAI and everything that speaks like it, Voyage, Cohere, Ollama.

None is used unless it is passed as ``embedder``; the texts then leave this machine, except with Ollama on
this one. A failed or slow service is an EmbedderError: what was to be embedded stays pending and is found
by keyword.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from http import HTTPStatus
from http.client import HTTPException
from typing import Any, ClassVar, Final
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

from omoide.errors import EmbedderError, EmbedderUnavailableError, InvalidInputError

TIMEOUT: Final = 30.0
"""Seconds for one request."""
_SHOWN: Final = 300  # characters of a service's own error message

Row = list[float]


class RemoteEmbedder:
    """What the services have in common: a model, an address, a key from the environment, batches.

    Raises InvalidInputError for an address that is not http or https, EmbedderUnavailableError when the
    service needs a key and there is none.
    """

    service: ClassVar[str]
    address: ClassVar[str]
    key_variable: ClassVar[str | None]
    batch: ClassVar[int]

    def __init__(
        self, model_name: str, *, api_key: str | None = None, base_url: str | None = None, timeout: float = TIMEOUT
    ) -> None:
        self.model_name = model_name
        self._url = (base_url or self.address).rstrip("/")
        if urlsplit(self._url).scheme not in {"http", "https"}:
            raise InvalidInputError("base_url has to begin with http:// or https://", value=base_url)
        self._key = api_key or (os.environ.get(self.key_variable) if self.key_variable else None)
        # Another address is another service, which may need no key.
        if self.key_variable and not self._key and base_url is None:
            raise EmbedderUnavailableError(f"{self.service} needs a key: set {self.key_variable} or pass api_key=")
        self._timeout = timeout

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.model_name!r})"

    def embed(self, texts: list[str], /) -> list[Row]:
        """Return the vectors of texts to be found."""
        return self._embed(texts, question=False)

    def embed_queries(self, texts: list[str], /) -> list[Row]:
        """Return the vectors of questions."""
        return self._embed(texts, question=True)

    def _embed(self, texts: list[str], *, question: bool) -> list[Row]:
        return [row for some in _batches(texts, self.batch) for row in self._ask(some, question=question)]

    def _ask(self, texts: list[str], *, question: bool) -> list[Row]:
        raise NotImplementedError

    def _post(self, path: str, body: dict[str, Any]) -> Any:
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        if self._key:
            headers["Authorization"] = f"Bearer {self._key}"
        request = Request(self._url + path, json.dumps(body).encode(), headers)  # noqa: S310  # scheme checked
        try:
            with urlopen(request, timeout=self._timeout) as answer:  # noqa: S310  # scheme checked
                return json.load(answer)
        except HTTPError as error:
            raise EmbedderError(f"{self.service} answered {_status(error)}") from error
        except (OSError, HTTPException, ValueError) as error:
            raise EmbedderError(f"{self.service} at {self._url} cannot be asked: {error}") from error

    def _rows(self, answer: Any, *keys: str) -> Any:
        """Follow the keys into an answer."""
        for key in keys:
            if not isinstance(answer, dict) or key not in answer:
                raise EmbedderError(f"{self.service} gave an answer without {'.'.join(keys)}")
            answer = answer[key]
        return answer


class OpenAIEmbedder(RemoteEmbedder):
    """OpenAI, or any server with the same ``/embeddings``, named by ``base_url``.

    The key is taken from ``OPENAI_API_KEY``. ``dimensions`` asks for shorter vectors where the model can.
    """

    service = "OpenAI"
    address = "https://api.openai.com/v1"
    key_variable = "OPENAI_API_KEY"
    batch = 256

    def __init__(
        self, model_name: str = "text-embedding-3-small", *, dimensions: int | None = None, **options: Any
    ) -> None:
        super().__init__(model_name, **options)
        self._dimensions = dimensions
        if dimensions is not None:
            self.model_name = f"{model_name}@{dimensions}"
            self.dimension = dimensions
        self._model = model_name

    def _ask(self, texts: list[str], *, question: bool) -> list[Row]:
        body: dict[str, Any] = {"model": self._model, "input": texts, "encoding_format": "float"}
        if self._dimensions is not None:
            body["dimensions"] = self._dimensions
        return _in_order(self._rows(self._post("/embeddings", body), "data"))


class VoyageEmbedder(RemoteEmbedder):
    """Voyage AI; the key is taken from ``VOYAGE_API_KEY``."""

    service = "Voyage"
    address = "https://api.voyageai.com/v1"
    key_variable = "VOYAGE_API_KEY"
    batch = 128

    def __init__(self, model_name: str = "voyage-3", **options: Any) -> None:
        super().__init__(model_name, **options)

    def _ask(self, texts: list[str], *, question: bool) -> list[Row]:
        kind = "query" if question else "document"
        body = {"model": self.model_name, "input": texts, "input_type": kind}
        return _in_order(self._rows(self._post("/embeddings", body), "data"))


class CohereEmbedder(RemoteEmbedder):
    """Cohere; the key is taken from ``CO_API_KEY``."""

    service = "Cohere"
    address = "https://api.cohere.com/v2"
    key_variable = "CO_API_KEY"
    batch = 96

    def __init__(self, model_name: str = "embed-multilingual-v3.0", **options: Any) -> None:
        super().__init__(model_name, **options)

    def _ask(self, texts: list[str], *, question: bool) -> list[Row]:
        kind = "search_query" if question else "search_document"
        body = {"model": self.model_name, "texts": texts, "input_type": kind, "embedding_types": ["float"]}
        rows: list[Row] = self._rows(self._post("/embed", body), "embeddings", "float")
        return rows


class OllamaEmbedder(RemoteEmbedder):
    """A model of an Ollama server, by default the one on this machine; no key."""

    service = "Ollama"
    address = "http://localhost:11434"
    key_variable = None
    batch = 64

    def __init__(self, model_name: str = "nomic-embed-text", **options: Any) -> None:
        super().__init__(model_name, **options)

    def _ask(self, texts: list[str], *, question: bool) -> list[Row]:
        answer = self._post("/api/embed", {"model": self.model_name, "input": texts})
        rows: list[Row] = self._rows(answer, "embeddings")
        return rows


def _batches(texts: list[str], size: int) -> Iterator[list[str]]:
    return (texts[at : at + size] for at in range(0, len(texts), size))


def _in_order(data: Any) -> list[Row]:
    """Return the vectors of a list of objects that say which text they belong to."""
    try:
        return [item["embedding"] for item in sorted(data, key=lambda item: item["index"])]
    except (KeyError, TypeError) as error:
        raise EmbedderError(f"an answer without index and embedding of every text: {error}") from error


def _status(error: HTTPError) -> str:
    with error:
        told = error.read(_SHOWN).decode(errors="replace").strip()
    name = HTTPStatus(error.code).phrase if error.code in set(HTTPStatus) else error.reason
    return f"{error.code} {name}: {told}" if told else f"{error.code} {name}"
