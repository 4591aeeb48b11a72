"""One thing that is not as it should be, and the part of a store that it concerns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final, Literal

Part = Literal["file", "schema", "rows", "index", "chain"]

SHOWN: Final = 20
"""So many findings of one kind are told one by one."""


@dataclass(frozen=True, slots=True)
class Finding:
    """``space`` is the namespace number and collection whose index is concerned."""

    part: Part
    text: str
    space: tuple[int, str] | None = None

    def __str__(self) -> str:
        return self.text


def some(template: str, values: Iterable[Any]) -> Iterator[str]:
    """Yield ``template`` filled with the first values, and a line for the rest."""
    left = iter(values)
    for value in islice(left, SHOWN):
        yield template.format(*value) if isinstance(value, tuple) else template.format(value)
    more = sum(1 for _ in left)
    if more:
        yield f"and {more} more of these"
