"""Embedding services over HTTP: OpenAI and everything that speaks like it, Voyage, Cohere, Ollama.

None is used unless it is passed as ``embedder``; the texts then leave this machine, except with Ollama on
this one. A failed or slow service is an EmbedderError: what was to be embedded stays pending and is found
by keyword.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any, ClassVar, Final
from urllib.parse import urlsplit

from omoide.embed.asking import TIMEOUT, Service
from omoide.embed.windows import windows
from omoide.errors import EmbedderError, EmbedderUnavailableError, InvalidInputError
from omoide.text.budget import estimate_tokens

BATCH_CHARACTERS: Final = 100_000
"""Characters of one request; below the tokens that the services accept, also where a character is a token."""
_OVERLAP: Final = 40  # tokens

Row = list[float]


class RemoteEmbedder:
    """What the services have in common: a model, an address, a key from the environment, batches.

    ``timeout`` is how many seconds one request may take, further tries included. Raises InvalidInputError for an
    address that is not http or https, EmbedderUnavailableError when the service needs a key and there is none.
    """

    service: ClassVar[str]
    address: ClassVar[str]
    key_variable: ClassVar[str | None]
    batch: ClassVar[int]
    reads: ClassVar[int]
    """Tokens that the models of a service read; longer texts are cut into windows."""

    def __init__(
        self, model_name: str, *, api_key: str | None = None, base_url: str | None = None, timeout: float = TIMEOUT
    ) -> None:
        self.model_name = model_name
        url = (base_url or self.address).rstrip("/")
        if urlsplit(url).scheme not in {"http", "https"}:
            raise InvalidInputError("base_url has to begin with http:// or https://", value=base_url)
        key = api_key or (os.environ.get(self.key_variable) if self.key_variable else None)
        # Another address is another service, which may need no key.
        if self.key_variable and not key and base_url is None:
            raise EmbedderUnavailableError(f"{self.service} needs a key: set {self.key_variable} or pass api_key=")
        self._service = Service(self.service, url, key, timeout)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.model_name!r})"

    def embed(self, texts: list[str], /) -> list[Row]:
        """Return the vectors of texts to be found."""
        return self._embed(texts, question=False)

    def embed_queries(self, texts: list[str], /) -> list[Row]:
        """Return the vectors of questions."""
        return self._embed(texts, question=True)

    def split(self, text: str) -> list[str]:
        """Return the windows of a text that is longer than the model reads, else the text alone."""
        if len(text) <= self.reads:
            return [text]
        return windows(text, estimate_tokens, max_tokens=self.reads, overlap=_OVERLAP)

    def _embed(self, texts: list[str], *, question: bool) -> list[Row]:
        return [row for some in _batches(texts, self.batch) for row in self._ask(some, question=question)]

    def _ask(self, texts: list[str], *, question: bool) -> list[Row]:
        raise NotImplementedError

    def _post(self, path: str, body: dict[str, Any]) -> Any:
        return self._service.post(path, body)

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
    reads = 8_000

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
    reads = 16_000

    def __init__(self, model_name: str = "voyage-3", **options: Any) -> None:
        super().__init__(model_name, **options)

    def _ask(self, texts: list[str], *, question: bool) -> list[Row]:
        body = {"model": self.model_name, "input": texts, "input_type": self._kind(question=question)}
        return _in_order(self._rows(self._post("/embeddings", body), "data"))

    def _kind(self, *, question: bool) -> str:
        return "query" if question else "document"


class CohereEmbedder(RemoteEmbedder):
    """Cohere; the key is taken from ``CO_API_KEY``."""

    service = "Cohere"
    address = "https://api.cohere.com/v2"
    key_variable = "CO_API_KEY"
    batch = 96
    reads = 450

    def __init__(self, model_name: str = "embed-multilingual-v3.0", **options: Any) -> None:
        super().__init__(model_name, **options)

    def _ask(self, texts: list[str], *, question: bool) -> list[Row]:
        kind = self._kind(question=question)
        body = {"model": self.model_name, "texts": texts, "input_type": kind, "embedding_types": ["float"]}
        rows: list[Row] = self._rows(self._post("/embed", body), "embeddings", "float")
        return rows

    def _kind(self, *, question: bool) -> str:
        return "search_query" if question else "search_document"


class OllamaEmbedder(RemoteEmbedder):
    """A model of an Ollama server, by default the one on this machine; no key."""

    service = "Ollama"
    address = "http://localhost:11434"
    key_variable = None
    batch = 64
    reads = 1_500

    def __init__(self, model_name: str = "nomic-embed-text", **options: Any) -> None:
        super().__init__(model_name, **options)

    def _ask(self, texts: list[str], *, question: bool) -> list[Row]:
        answer = self._post("/api/embed", {"model": self.model_name, "input": texts})
        rows: list[Row] = self._rows(answer, "embeddings")
        return rows


def _batches(texts: list[str], size: int) -> Iterator[list[str]]:
    """Yield the texts in order, at most ``size`` and about ``BATCH_CHARACTERS`` at once."""
    batch: list[str] = []
    characters = 0
    for text in texts:
        if batch and (len(batch) == size or characters + len(text) > BATCH_CHARACTERS):
            yield batch
            batch, characters = [], 0
        batch.append(text)
        characters += len(text)
    if batch:
        yield batch


def _in_order(data: Any) -> list[Row]:
    """Return the vectors of a list of objects that say which text they belong to."""
    try:
        return [item["embedding"] for item in sorted(data, key=lambda item: item["index"])]
    except (KeyError, TypeError) as error:
        raise EmbedderError(f"an answer without index and embedding of every text: {error}") from error
