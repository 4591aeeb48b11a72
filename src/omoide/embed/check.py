"""What an embedder returns is not trusted: counted, measured, brought to unit length."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from omoide.errors import EmbedderError

Vectors = NDArray[np.float32]


def checked_vectors(embedder: Any, texts: list[str], *, query: bool = False) -> Vectors:
    """Embed the texts; return unit vectors (len(texts), dimension), float32.

    ``query`` uses ``embed_queries`` where the embedder has it. A vector of zeros stays as it is: it is
    near nothing.

    Raises:
        EmbedderError: the embedder raised, or its answer is not one finite vector of one dimension per text.
    """
    name = getattr(embedder, "model_name", type(embedder).__name__)
    ask = getattr(embedder, "embed_queries", None) if query else None
    try:
        answer = (ask or embedder.embed)(texts)
    except EmbedderError:
        raise
    except Exception as error:
        raise EmbedderError(f"embedder {name!r} failed: {type(error).__name__}: {error}") from error
    return unit_vectors(answer, len(texts), name=name, dimension=_dimension(embedder))


def unit_vectors(answer: Any, count: int, *, name: str = "", dimension: int | None = None) -> Vectors:
    """Return an embedder's answer as unit vectors, (count, dimension), float32.

    Raises:
        EmbedderError: it is not one finite vector of one dimension per text.
    """
    vectors = _array(answer, name)
    if count == 0 and vectors.size == 0:
        return np.empty((0, dimension or 0), np.float32)
    if vectors.ndim != 2 or len(vectors) != count or vectors.shape[1] == 0:
        raise EmbedderError(f"embedder {name!r} returned shape {vectors.shape} for {count} texts")
    if dimension is not None and vectors.shape[1] != dimension:
        raise EmbedderError(f"embedder {name!r} returned {vectors.shape[1]} dimensions although it says {dimension}")
    largest = np.abs(vectors).max(axis=1, keepdims=True)
    if not np.isfinite(largest).all():
        raise EmbedderError(f"embedder {name!r} returned a number that is not finite")
    # Scaled by the largest component first, so that no square over- or underflows; zeros stay as they are.
    largest[largest == 0] = 1
    vectors = vectors / largest
    lengths = np.sqrt(np.square(vectors).sum(axis=1, keepdims=True))
    lengths[lengths == 0] = 1
    return np.asarray(vectors / lengths, np.float32)


def _array(answer: Any, name: str) -> NDArray[np.float64]:
    rows = answer if isinstance(answer, np.ndarray | Sequence) else _listed(answer, name)
    try:
        return np.asarray(rows, np.float64)
    except (TypeError, ValueError) as error:
        raise EmbedderError(f"embedder {name!r} did not return one vector of numbers per text: {error}") from error


def _listed(answer: Any, name: str) -> list[Any]:
    """Some libraries give vectors one by one."""
    try:
        return list(answer)
    except TypeError as error:
        raise EmbedderError(f"embedder {name!r} returned {type(answer).__name__} instead of vectors") from error


def _dimension(embedder: Any) -> int | None:
    dimension = getattr(embedder, "dimension", None)
    return dimension if isinstance(dimension, int) else None
