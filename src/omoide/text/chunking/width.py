"""How wide a text is in a fixed-width font."""

from __future__ import annotations

import unicodedata


def columns(text: str) -> int:
    """Return the columns a text takes: two for wide East Asian characters, none for combining marks."""
    if text.isascii():
        return len(text)
    return sum(_width(character) for character in text)


def _width(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
