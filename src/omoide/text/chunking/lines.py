"""Line and page numbers of positions that are asked for in almost ascending order."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence


class LineCounter:
    """Counts lines up to a position from the last one asked for; CR counts where the text has no LF."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.sign = "\n" if "\n" in text else "\r"
        self.at = 0
        self.line = 1

    def line_of(self, position: int) -> int:
        """Return the line, from 1, of a position."""
        if position >= self.at:
            self.line += self.text.count(self.sign, self.at, position)
        else:
            self.line -= self.text.count(self.sign, position, self.at)
        self.at = position
        return self.line

    @staticmethod
    def page_of(position: int, pages: Sequence[int] | None) -> int | None:
        """Return the page, from 1, of a position, None without pages."""
        return max(1, bisect_right(pages, position)) if pages else None
