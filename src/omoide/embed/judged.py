"""What a reranker returns is not trusted: counted, and made numbers."""

from __future__ import annotations

import math
from typing import Any

from omoide.errors import OmoideError, RerankerError


def checked_scores(reranker: Any, query: str, texts: list[str]) -> list[float]:
    """Return a finite number per text.

    Raises:
        RerankerError: the reranker raised, or its answer is something else.
    """
    name = repr(reranker)
    try:
        scores = [float(score) for score in reranker.score(query, texts)]
    except OmoideError as error:
        raise RerankerError(str(error)) from error
    except Exception as error:
        raise RerankerError(f"{name} failed: {type(error).__name__}: {error}") from error
    if len(scores) != len(texts):
        raise RerankerError(f"{name} returned {len(scores)} scores for {len(texts)} texts")
    if not all(map(math.isfinite, scores)):
        raise RerankerError(f"{name} returned a number that is not finite")
    return scores
