"""A text as a tree of named units (definitions, entries), flattened to sections that fit."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from omoide.text.chunking.pieces import Section
from omoide.text.chunking.room import Room

MAX_DEPTH = 24
MAX_LABEL = 120


@dataclass(slots=True)
class Unit:
    """A named stretch of a text; its children lie inside it, in order, without overlap."""

    start: int
    end: int
    label: str
    children: list[Unit] = field(default_factory=list)


def flatten(text: str, root: Unit, room: Room, *, pack: bool = False, apart: int = 0) -> list[Section]:
    """Return the sections of ``root``: a unit that fits stays whole, a longer one is cut at its children.

    What lies between children rides with the next one. With ``pack``, short neighbours share a piece. Units above
    level ``apart`` are cut even where they fit.
    """
    return _tidy(text, list(_walk(root, (), room, 0, pack, apart)))


def _walk(unit: Unit, path: tuple[str, ...], room: Room, level: int, pack: bool, apart: int) -> Iterator[Section]:
    here = (*path, unit.label[:MAX_LABEL]) if unit.label else path
    whole = level >= MAX_DEPTH or (level >= apart and room.fits(unit.start, unit.end))
    if whole or not unit.children:
        peers = pack and room.small(unit.start, unit.end)
        yield Section(unit.start, unit.end, here, style="lines", join="peers" if peers else "none")
        return
    at = unit.start
    for child in unit.children:
        if child.start > at:
            yield Section(at, child.start, here, style="lines", join="next")
        yield from _walk(child, here, room, level + 1, pack, apart)
        at = child.end
    if at < unit.end:
        yield Section(at, unit.end, here, style="lines")


def _tidy(text: str, sections: list[Section]) -> list[Section]:
    """Give white space and closing signs between sections to the section before them, at the top to the one after."""
    tidy: list[Section] = []
    for section in sections:
        if tidy and not _says_something(text[section.start : section.end]):
            last = tidy[-1]
            tidy[-1] = Section(last.start, section.end, last.heading, last.inner, last.style, last.join)
        else:
            tidy.append(section)
    return tidy


def _says_something(text: str) -> bool:
    return any(character.isalnum() for character in text) if len(text) <= 40 else bool(text.strip())
