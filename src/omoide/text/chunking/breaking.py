"""Where to cut a stretch that is too long: paragraph, line, sentence, clause, word, character."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator

from omoide.text.chunking.graphemes import safe_cut
from omoide.text.chunking.pieces import Section

# The group is what has to lie before the cut; white space after it goes along as far as it fits.
_PARAGRAPH = re.compile(r"(\r?\n[^\S\r\n]*\r?\n)[\r\n]*")
_LINE = re.compile(r"(\r\n?|\n|\u2028|\u2029)")
_SENTENCE = re.compile(r"""((?:[.!?…‽]+["')\]»”’]*(?=\s|\Z)|[。．！？｡]+[」』）】〉》”’"')\]]*|[।॥۔؟።፧]+))\s*""")
_CLAUSE = re.compile(r"((?:[,;:—–](?=\s)|[、，；：､،؛]))\s*")
_WORD = re.compile(r"(\s)\s*|([\u200b\u0f0b])")

# (pattern, the share of the room that the piece must fill at least)
_Levels = tuple[tuple[re.Pattern[str], float], ...]
_LEVELS: dict[str, _Levels] = {
    "prose": ((_PARAGRAPH, 0.3), (_LINE, 0.4), (_SENTENCE, 0.3), (_LINE, 0.05), (_CLAUSE, 0.4), (_WORD, 0.0)),
    "lines": ((_PARAGRAPH, 0.6), (_LINE, 0.0), (_WORD, 0.3), (_CLAUSE, 0.3), (_SENTENCE, 0.3)),
}
_STARTS: dict[str, tuple[re.Pattern[str], ...]] = {
    "prose": (_PARAGRAPH, _SENTENCE, _LINE, _CLAUSE, _WORD),
    "lines": (_LINE, _WORD),
}


def cut_before(text: str, section: Section, start: int, limit: int, *, whole: bool) -> int:
    """Return where the piece that begins at ``start`` ends: the best place in ``(start, limit]``.

    ``whole`` says that what follows the last inner boundary fits into a piece of its own.
    """
    position = bisect_right(section.inner, limit)
    boundary = section.inner[position - 1] if position else 0
    if boundary > start and (whole or boundary - start >= (limit - start) / 2):
        return boundary
    for pattern, share in _LEVELS[section.style]:
        place = _last(pattern, text, start + max(1, int((limit - start) * share)), start, limit)
        if place is not None:
            return safe_cut(text, place, start)
    return boundary if boundary > start else safe_cut(text, limit, start)


def straddling(section: Section, limit: int) -> tuple[int, int]:
    """Return the unit between two inner boundaries (or the ends) in which ``limit`` lies."""
    position = bisect_right(section.inner, limit)
    start = section.inner[position - 1] if position else section.start
    return start, section.inner[position] if position < len(section.inner) else section.end


def overlap_start(text: str, section: Section, earliest: int, end: int) -> int:
    """Return the first good place in ``[earliest, end]`` to begin what is said twice."""
    position = bisect_right(section.inner, earliest - 1)
    if position < len(section.inner) and section.inner[position] < end:
        return section.inner[position]
    for pattern in _STARTS[section.style]:
        for place in _places(pattern, text, max(section.start, earliest - 1), end):
            if earliest <= place < end:
                return safe_cut(text, place, earliest - 1)
    place = safe_cut(text, earliest, section.start - 1) if earliest < end else end
    return place if place >= earliest else end


def _last(pattern: re.Pattern[str], text: str, least: int, start: int, limit: int) -> int | None:
    found = None
    for place in _places(pattern, text, max(start, least - 2), limit):
        if place >= least:
            found = place
    return found


def _places(pattern: re.Pattern[str], text: str, start: int, limit: int) -> Iterator[int]:
    """Yield the ends of what matches between two positions, white space after it included where it fits."""
    for match in pattern.finditer(text, start, min(len(text), limit + 1)):
        core = match.end(match.lastindex or 0)
        if core <= limit:
            yield min(match.end(), limit)
