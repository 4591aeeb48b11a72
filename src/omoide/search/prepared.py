"""A text made ready for the index before the write lock is taken."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Prepared:
    """What the index keeps of a text.

    ``terms`` are the keyword terms with repeats; ``key`` stands for what is embedded; ``vectors`` is a
    float16 array of shape (parts, dimension), or None when there is none yet; ``gist`` finds texts with the
    same content words.
    """

    terms: Sequence[str]
    key: bytes
    vectors: NDArray[Any] | None
    gist: bytes | None = None
