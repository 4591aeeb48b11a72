"""Long lists of ids in portions that fit into one statement."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

PORTION: Final = 500


def portions(ids: Sequence[int]) -> Iterator[tuple[str, tuple[int, ...]]]:
    """Yield (question marks, ids) of consecutive portions."""
    for first in range(0, len(ids), PORTION):
        part = tuple(ids[first : first + PORTION])
        yield ",".join("?" * len(part)), part
