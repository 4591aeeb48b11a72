"""Long texts cut into overlapping windows of bounded token count."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable
from typing import Final, NamedTuple

MAX_TOKENS: Final = 400  # of the 512 that the model reads, less prefix and what cutting words may add
OVERLAP: Final = 40
LIMIT: Final = 32

SECTION: Final = "\x1e"
"""The record separator: what stands before and after it in a text is embedded each on its own."""

# Scripts without spaces have "words" as long as a paragraph; those may be cut every 32 characters.
_UNIT: Final = re.compile(r"\S{1,32}\s*")


class _Unit(NamedTuple):
    start: int
    end: int
    tokens: int


def sections(text: str) -> list[str]:
    """Return the parts of a text that are embedded each on its own, the text itself when it has one."""
    if SECTION not in text:
        return [text]
    parts = [part.strip() for part in text.split(SECTION) if part.strip()]
    return parts if len(parts) > 1 else [text]


def windows(
    text: str,
    count: Callable[[str], int],
    *,
    max_tokens: int = MAX_TOKENS,
    overlap: int = OVERLAP,
    limit: int = LIMIT,
) -> list[str]:
    """Return up to ``limit`` substrings of at most ``max_tokens`` tokens each, as ``count`` tells them.

    Neighbours share up to ``overlap`` tokens, so that a sentence at a cut is whole in one of them. A short
    text comes back as it is. What lies beyond the last window is left out. ``max_tokens`` has to be larger
    than ``overlap`` by what 32 characters may count.
    """
    found: list[str] = []
    held: deque[_Unit] = deque()
    total = 0
    for match in _UNIT.finditer(text):
        unit = _Unit(match.start(), match.end(), count(match.group()))
        if held and total + unit.tokens > max_tokens:
            found.append(text[held[0].start : held[-1].end])
            if len(found) == limit:
                return found
            while held and total > overlap:
                total -= held.popleft().tokens
        held.append(unit)
        total += unit.tokens
    if not found or not held:
        return found or [text]
    return [*found, text[held[0].start :]]
