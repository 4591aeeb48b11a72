"""Sentences made in English, said in another language: found by their pattern, what stands in it kept."""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import islice
from typing import Final

HOLE: Final = re.compile(r"\{(\d)\}")
"""A place of a pattern, such as the ``{0}`` of ``there is no memory {0} here``."""
DEEPEST: Final = 4
"""So many places before a colon, such as a file and a line, may stand before a sentence."""


class Sentences:
    """Translations of English patterns; of several that fit, the one with the most words of its own counts."""

    def __init__(self, translations: Mapping[str, str]) -> None:
        parts = [(HOLE.split(pattern)[::2], said) for pattern, said in translations.items()]
        self._patterns = sorted(parts, key=lambda each: sum(map(len, each[0])), reverse=True)

    def __call__(self, text: str) -> str:
        """Return a sentence in the other language, as it is where no pattern fits.

        What stands before a colon, as a path does, stays; what stands in a place is said in the other language too
        if it is a sentence of ours.
        """
        starts = (0, *(colon.end() for colon in islice(re.finditer(": ", text), DEEPEST)))
        for start in starts:
            said = self._said(text[start:])
            if said is not None:
                return text[:start] + said
        return text

    def _said(self, text: str) -> str | None:
        for parts, said in self._patterns:
            held = between(text, parts)
            if held is not None:
                return HOLE.sub(lambda hole, held=held: self(held[int(hole.group(1))]), said)  # type: ignore[misc]
        return None


def between(text: str, parts: list[str]) -> list[str] | None:
    """Return what stands between the parts of a pattern, each at its first place; None where the text has another form.

    The time is linear in the text, whatever it holds.
    """
    first, last = parts[0], parts[-1]
    if len(parts) == 1:
        return [] if text == first else None
    if not text.startswith(first) or not text.endswith(last):
        return None
    held, place, end = [], len(first), len(text) - len(last)
    for part in parts[1:-1]:
        found = text.find(part, place, end)
        if found < 0:
            return None
        held.append(text[place:found])
        place = found + len(part)
    return [*held, text[place:end]] if place <= end else None
