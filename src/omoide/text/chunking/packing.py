"""Sections to pieces: as much as fits into one piece, cut at the best place, with the end of the last repeated."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import takewhile

from omoide.text.chunking.breaking import cut_before, overlap_start, straddling
from omoide.text.chunking.measure import Ruler
from omoide.text.chunking.pieces import Section

Reserve = Callable[[tuple[str, ...]], int]
Span = tuple[int, int, Section]
"""Start and end of a piece, and the section it belongs to."""


def pack(
    sections: Iterable[Section], ruler: Ruler, *, size: int, overlap: int, reserve: Reserve | None = None
) -> Iterator[Span]:
    """Yield the pieces of a text in order; without overlap they follow each other without a gap.

    ``reserve`` tells how much of ``size`` a heading takes; at least half of ``size`` is left to the text.
    """
    for section in joined(sections, ruler, size):
        room = max(size - reserve(section.heading), (size + 1) // 2) if reserve else size
        yield from _spans(section, ruler, room, min(overlap, room // 2))


def joined(sections: Iterable[Section], ruler: Ruler, size: int) -> Iterator[Section]:
    """Yield the sections, those that share a piece made one."""
    held: list[Section] = []
    for section in sections:
        if held and not (_may_join(held[-1], section) and ruler.fits(held[0].start, section.end, size)):
            yield _join(held)
            held = []
        held.append(section)
    if held:
        yield _join(held)


def _may_join(first: Section, second: Section) -> bool:
    return first.join == "next" or first.join == second.join == "peers"


def _join(held: list[Section]) -> Section:
    """Return one section: its heading is what those of peers have in common, or that of the one ridden with."""
    if len(held) == 1:
        return held[0]
    heading = held[-1].heading
    for section in reversed(held[:-1]):
        if section.join == "peers":
            heading = _common(section.heading, heading)
    inner = [place for section in held for place in (section.start, *section.inner)]
    return replace(held[-1], start=held[0].start, heading=heading, inner=tuple(inner[1:]))


def _common(first: Sequence[str], second: Sequence[str]) -> tuple[str, ...]:
    return tuple(a for a, _ in takewhile(lambda pair: pair[0] == pair[1], zip(first, second, strict=False)))


def _spans(section: Section, ruler: Ruler, size: int, overlap: int) -> Iterator[Span]:
    spans = _balanced(list(_cuts(section, ruler, size, overlap)), ruler, size)
    return ((start, end, section) for start, end in spans)


def _cuts(section: Section, ruler: Ruler, size: int, overlap: int) -> Iterator[tuple[int, int]]:
    start = begin = section.start
    while start < section.end:
        limit = ruler.reach(begin, section.end, size)
        if limit >= section.end:
            yield begin, section.end
            return
        end = cut_before(ruler.text, section, start, max(limit, start + 1), whole=_whole(section, ruler, limit, size))
        if end > limit and begin < start:  # beside what is repeated there is no room for one whole character
            begin = start
            continue
        yield begin, end
        start, begin = end, overlap_start(ruler.text, section, ruler.back(end, begin + 1, overlap), end)


def _whole(section: Section, ruler: Ruler, limit: int, size: int) -> bool:
    return bool(section.inner) and ruler.fits(*straddling(section, limit), size)


def _balanced(spans: list[tuple[int, int]], ruler: Ruler, size: int) -> list[tuple[int, int]]:
    """Give a last piece of white space alone to the piece before it, or some words of that piece to it."""
    if len(spans) < 2 or ruler.text[spans[-1][0] : spans[-1][1]].strip():
        return spans
    (begin, middle), (_, end) = spans[-2:]
    if ruler.fits(begin, end, size):
        return [*spans[:-2], (begin, end)]
    words = ruler.text[begin:middle].rstrip()
    cut = begin + max(words.rfind(" "), words.rfind("\n")) + 1
    if begin < cut < middle and ruler.fits(cut, end, size) and ruler.text[begin:cut].strip():
        return [*spans[:-2], (begin, cut), (cut, end)]
    return spans
