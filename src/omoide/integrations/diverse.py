"""Maximal marginal relevance: the best answers that do not repeat each other (Carbonell and Goldstein, 1998)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float32]


def diverse(question: Vector, vectors: Sequence[Vector | None], k: int, relevance: float) -> list[int]:
    """Return the positions of ``k`` of the vectors, the most relevant first.

    Each next one has the largest ``relevance * cos(question, it) - (1 - relevance) * max cos(chosen, it)``.
    ``relevance`` lies between 0 (only different) and 1 (only relevant). One without a vector is like nothing.
    """
    if not vectors or k <= 0:
        return []
    matrix = np.stack([_unit(np.zeros_like(question) if vector is None else vector) for vector in vectors])
    likeness = matrix @ _unit(question)
    nearest = np.full(len(vectors), 0.0, np.float32)
    chosen: list[int] = []
    while len(chosen) < min(k, len(vectors)):
        worth = relevance * likeness - (1 - relevance) * nearest
        worth[chosen] = -np.inf
        best = int(np.argmax(worth))
        chosen.append(best)
        to_best = matrix @ matrix[best]
        nearest = to_best if len(chosen) == 1 else np.maximum(nearest, to_best)
    return chosen


def _unit(vector: Vector) -> Vector:
    plain = np.asarray(vector, np.float32)
    length = float(np.linalg.norm(plain))
    return plain / length if length else plain
