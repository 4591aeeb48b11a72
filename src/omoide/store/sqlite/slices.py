"""Long lists of ids in portions that fit into one statement."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, TypeVar

PORTION: Final = 500
Id = TypeVar("Id", int, bytes, str)


def portions(ids: Sequence[Id]) -> Iterator[tuple[str, tuple[Id, ...]]]:
    """Yield (question marks, ids) of consecutive portions."""
    for first in range(0, len(ids), PORTION):
        part = tuple(ids[first : first + PORTION])
        yield ",".join("?" * len(part)), part
