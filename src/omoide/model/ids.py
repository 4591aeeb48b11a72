"""Ids that a caller names, also those that no store can hold."""

from __future__ import annotations

from typing import Final, Self

LIMIT: Final = 2**63
"""SQLite's integers end below this."""
_NOBODY: Final = -1
_SHOWN: Final = 40


class BeyondId(int):
    """An id too large for any store: it counts as one that no memory has, and is shown as it was given."""

    def __new__(cls, _given: int) -> Self:
        """Return the number that no memory has."""
        return super().__new__(cls, _NOBODY)

    def __init__(self, given: int) -> None:
        self._shown = str(given) if abs(given) < 10**_SHOWN else f"{given:#x}"[:_SHOWN] + "…"

    def __str__(self) -> str:
        return self._shown

    __repr__ = __str__

    def __format__(self, spec: str) -> str:
        return format(self._shown, spec)


def known_id(given: int) -> int:
    """Return an id as a store can look it up."""
    return int(given) if abs(given) < LIMIT else BeyondId(given)
