"""What a splitter knows about the size of the pieces that are wanted."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from omoide.text.chunking.measure import Ruler
from omoide.text.chunking.pieces import Section


class Room(NamedTuple):
    """The size of one piece of the ruler's text."""

    ruler: Ruler
    size: int

    def fits(self, start: int, end: int) -> bool:
        """Whether the stretch fits into one piece."""
        return self.ruler.fits(start, end, self.size)

    def small(self, start: int, end: int) -> bool:
        """Whether the stretch is so short that it should share a piece with its neighbours."""
        return self.ruler.fits(start, end, self.size // 4)


Splitter = Callable[[str, Room], list[Section]]
"""A text to its sections; they cover it without a gap."""
