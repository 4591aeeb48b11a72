"""The model of a handle: which one the store has, what is ready, what a text becomes."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import chain
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from omoide.embed.cache import QueryCache
from omoide.embed.check import checked_vectors
from omoide.embed.resolve import Resolved
from omoide.embed.windows import sections
from omoide.errors import EmbedderError, EmbedderMismatchError
from omoide.model.collecting import collected, uncollected
from omoide.model.forks import ForkLock
from omoide.model.records import Claim, digest
from omoide.search.prepared import Prepared
from omoide.store.sqlite.indexing.rebuild import want_vectors
from omoide.store.sqlite.transaction import Read, Write
from omoide.text.signature import signature
from omoide.text.tokens import analyze
from omoide.verbs.drafts import embedded_text, searched_text

MODEL = "embedder"
NONE = "none"
_RECENT = 64


class Known(Protocol):
    """Where vectors of texts may be known already: a store, or one of its transactions."""

    @property
    def dimension(self) -> int | None:
        """How many numbers a vector has, None before the first."""
        ...

    def vectors_of(self, key: bytes) -> NDArray[Any] | None:
        """Return the vectors of an embedded text, or None."""
        ...


class KnownMany(Known, Protocol):
    """Where the vectors of many texts may be known already."""

    def vectors_of_many(self, keys: Sequence[bytes]) -> dict[bytes, NDArray[Any]]:
        """Return the vectors of those embedded texts that have some."""
        ...


class Embedding:
    """Turns claims and questions into what the index keeps, with or without a model."""

    def __init__(self, resolved: Resolved) -> None:
        self._resolved = resolved
        self._queries = QueryCache()
        self._question_ms = 0.0
        self.owes = False
        """Whether a text was prepared without its vector since this was last set to False."""
        self._lock = ForkLock()
        self._recent: dict[bytes, NDArray[Any]] = {}

    @property
    def model_name(self) -> str | None:
        """The model in use, None for keyword search only."""
        return None if self._resolved.embedder is None else self._resolved.name

    @property
    def missing(self) -> str | None:
        """Why there is no model although one was wanted, else None."""
        return self._resolved.reason

    @property
    def ready(self) -> bool:
        """Whether a text can be embedded at once."""
        embedder = self._resolved.embedder
        return embedder is not None and bool(getattr(embedder, "ready", True))

    def start(self) -> None:
        """Let a model that loads in the background begin."""
        load = getattr(self._resolved.embedder, "load", None)
        if load is not None:
            load()

    def wait_ready(self, seconds: float) -> bool:
        """Wait for the model to load, at most ``seconds``; return whether it is ready."""
        if self._resolved.embedder is None:
            return False
        was_ready = self.ready
        if was_ready:
            return True
        stop = threading.Event()
        until = time.monotonic() + seconds
        while not self.ready and not getattr(self._resolved.embedder, "failed", False):
            self.start()
            if time.monotonic() >= until:
                break
            stop.wait(0.005)
        return self.ready

    def wait(self, stop: threading.Event) -> bool:
        """Wait until the model is ready; False when it never will be or ``stop`` was set."""
        self.start()
        while not self.ready:
            if stop.wait(0.05) or getattr(self._resolved.embedder, "failed", False):
                return False
        return True

    def expected_ms(self) -> float:
        """How long the embedding of a question took lately, in milliseconds."""
        return self._question_ms

    def forget_texts(self) -> None:
        """Drop every text and vector held in memory."""
        self._recent.clear()
        self._queries = QueryCache()

    def check(self, tx: Read) -> None:
        """Refuse a model that the store was not made with.

        Raises:
            EmbedderMismatchError: the store holds vectors of another model.
        """
        recorded = tx.settings.get(MODEL)
        if self.model_name is not None and recorded not in (None, self.model_name):
            raise EmbedderMismatchError(
                f"the store holds vectors of {recorded!r}, this handle has {self.model_name!r};"
                " open it with that model, with embedder='none', or change it with rebuild(embedder=...)",
                value=recorded,
            )

    def record(self, tx: Write) -> bool:
        """Record the model with the first write; return whether the store has one."""
        recorded = tx.settings.get(MODEL)
        if recorded is None and self.model_name is not None:
            tx.settings.set(MODEL, self.model_name)
            want_vectors(tx)
            recorded = self.model_name
        self.check(tx)
        return recorded is not None

    def prepare(self, claims: Sequence[Claim], known: Known) -> list[Prepared]:
        """Return what the index keeps of each claim; a vector that cannot be had now stays pending.

        It may take long and is called before the write lock is taken.
        """
        texts = [embedded_text(claim) for claim in claims]
        keys = [digest("text", text) for text in texts]
        vectors = self._vectors(texts, keys, known)
        return [self._prepared(claim, keys[i], vectors[i]) for i, claim in enumerate(claims)]

    def prepare_many(self, claims: Sequence[Claim], store: KnownMany) -> list[Prepared]:
        """Return what the index keeps of many claims, each text embedded once; as ``prepare`` otherwise."""
        texts = [embedded_text(claim) for claim in claims]
        keys = [digest("text", text) for text in texts]
        found = self._vectors_of_many(texts, keys, store)
        with uncollected():
            return [self._prepared(claim, key, found.get(key)) for claim, key in zip(claims, keys, strict=True)]

    def prepare_parts(self, embedded: Sequence[str], searched: Sequence[str], store: KnownMany) -> list[Prepared]:
        """Return what the index keeps of parts of documents, each text embedded once; as ``prepare`` otherwise.

        ``embedded`` and ``searched`` are of each part what ``embedded_text`` and ``searched_text`` give.
        """
        keys = [digest("text", text) for text in embedded]
        found = self._vectors_of_many(embedded, keys, store)
        with uncollected():
            return [Prepared(analyze(text), key, found.get(key)) for text, key in zip(searched, keys, strict=True)]

    def _vectors_of_many(
        self, texts: Sequence[str], keys: Sequence[bytes], store: KnownMany
    ) -> dict[bytes, NDArray[Any]]:
        """Return the vectors of embedded texts by key, those that the store lacks made now."""
        if self.model_name is None:
            return {}
        found = store.vectors_of_many(keys)
        lacking = {key: text for key, text in zip(keys, texts, strict=True) if key not in found}
        dimension = store.dimension if lacking else None
        for key, vectors in zip(lacking, self._try_to_embed(list(lacking.values())), strict=True):
            # A model that changed its dimension is a failing model.
            if vectors is not None and dimension in (None, vectors.shape[1]):
                found[key] = vectors
            else:
                self.owes = True
        return found

    def again(self, tx: Read, claim: Claim) -> Prepared:
        """Return what the index keeps of a text that is stored already or was prepared a moment ago."""
        key = digest("text", embedded_text(claim))
        vectors = self._known(key, tx)
        self.owes = self.owes or (vectors is None and self.model_name is not None)
        return self._prepared(claim, key, vectors)

    def prepare_words(self, claims: Sequence[Claim]) -> list[Prepared]:
        """Return what the index keeps of each claim beside its vector."""
        return [self._prepared(claim, digest("text", embedded_text(claim)), None) for claim in claims]

    def prepare_all(self, claims: Sequence[Claim]) -> list[Prepared]:
        """Return what the index keeps of each claim, every vector made anew.

        Raises:
            EmbedderError: the model failed.
        """
        vectors = self.embed([embedded_text(claim) for claim in claims]) if claims else []
        words = self.prepare_words(claims)
        return [replace(each, vectors=made) for each, made in zip(words, vectors, strict=True)]

    def embed(self, texts: Sequence[str]) -> list[NDArray[Any]]:
        """Return for each text an array (parts, dimension) of float16 unit vectors.

        Raises:
            EmbedderError: the model failed.
        """
        embedder = self._resolved.embedder
        assert embedder is not None
        split = getattr(embedder, "split", None)
        with uncollected():
            windows = [sections(text) for text in texts]
            if split is not None:
                windows = [[part for one in parts for part in split(one)] for parts in windows]
            parts, counts = list(chain.from_iterable(windows)), list(map(len, windows))
            del windows  # nothing is left of it for the collector to walk over
        with collected():
            flat = checked_vectors(embedder, parts).astype(np.float16)
        ends = np.cumsum(counts).tolist()
        return [flat[start:end] for start, end in zip([0, *ends], ends, strict=False)]

    def question(self, text: str) -> tuple[NDArray[Any] | None, str | None]:
        """Return the vector of a question, or None and the reason why there is none."""
        if self._resolved.embedder is None:
            return None, self._resolved.reason
        if not self.ready and not getattr(self._resolved.embedder, "failed", False):
            return None, "the model is still loading"
        cached = self._queries.get(self.model_name or "", text)
        if cached is not None:
            return cached, None
        started = time.perf_counter()
        try:
            vector: NDArray[Any] = checked_vectors(self._resolved.embedder, [text], query=True)[0]
        except EmbedderError as error:
            return None, f"the embedder failed: {error}"
        took = (time.perf_counter() - started) * 1000
        self._question_ms = took if self._question_ms == 0 else 0.7 * self._question_ms + 0.3 * took
        self._queries.put(self.model_name or "", text, vector)
        return vector, None

    def _vectors(self, texts: list[str], keys: list[bytes], store: Known) -> list[NDArray[Any] | None]:
        known = [self._known(key, store) for key in keys]
        lacking = [i for i, vectors in enumerate(known) if vectors is None]
        if lacking and self.model_name is not None:
            dimension = store.dimension
            for i, vectors in zip(lacking, self._try_to_embed([texts[i] for i in lacking]), strict=True):
                # A model that changed its dimension is a failing model.
                fits = vectors is not None and dimension in (None, vectors.shape[1])
                known[i] = vectors if fits else None
                self.owes = self.owes or not fits
                self._keep(keys[i], known[i])
        return known

    def _known(self, key: bytes, store: Known) -> NDArray[Any] | None:
        recent = self._recent.get(key)
        return store.vectors_of(key) if recent is None else recent

    def _keep(self, key: bytes, vectors: NDArray[Any] | None) -> None:
        """A text embedded before the write lock is found again inside it."""
        if vectors is None:
            return
        with self._lock:
            while len(self._recent) >= _RECENT:
                self._recent.pop(next(iter(self._recent)), None)
            self._recent[key] = vectors

    def _try_to_embed(self, texts: list[str]) -> Sequence[NDArray[Any] | None]:
        """A model that fails must not lose the write: the text is stored and its vector stays pending."""
        with suppress(EmbedderError):
            if self.ready:
                return self.embed(texts)
        return [None] * len(texts)

    def _prepared(self, claim: Claim, key: bytes, vectors: NDArray[Any] | None) -> Prepared:
        searched = searched_text(claim)
        terms = analyze(searched)
        gist = signature(claim.text, terms if searched == claim.text else None)
        return Prepared(terms=terms, key=key, vectors=vectors, gist=gist)
