"""The seams: protocols without logic, implemented by the layers below and by users."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Protocol, runtime_checkable

Vector = Any  # one row of numbers: list of float, tuple or numpy array


@runtime_checkable
class Embedder(Protocol):
    """Turns texts into vectors of one fixed dimension.

    Optional attributes that omoide uses when present: ``dimension: int``; ``ready: bool`` and
    ``load()`` for a model that loads in the background; ``embed_queries(texts)`` when questions are
    embedded differently from texts; ``split(text) -> list[str]`` to cut a long text into windows.
    """

    model_name: str

    def embed(self, texts: list[str], /) -> Sequence[Vector]:
        """Return one vector per text, in order."""
        ...


class Reranker(Protocol):
    """Scores pairs of a question and a text, higher is better."""

    def score(self, query: str, texts: list[str], /) -> Sequence[float]:
        """Return one number per text, in order."""
        ...


class Clock(Protocol):
    """Tells the time."""

    def now(self) -> datetime:
        """Return an aware datetime."""
        ...
