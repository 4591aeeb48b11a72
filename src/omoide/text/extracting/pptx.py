"""PPTX as Markdown-like text: a heading a slide, its paragraphs, the rows of its tables, what its speaker noted."""

from __future__ import annotations

import re

from omoide.errors import ExtractError
from omoide.text.extracting.found import MAX_TEXT, Extracted
from omoide.text.extracting.xml_events import Attributes, TooMuchTextError
from omoide.text.extracting.zipped import Package

_SLIDE = re.compile(r"ppt/slides/slide(\d+)\.xml")
_TITLES = frozenset({"title", "ctrTitle"})
_COUNTED = frozenset({"sldNum", "dt", "ftr", "hdr"})
"""Placeholders that say the same on every slide."""


def is_pptx(package: Package) -> bool:
    """Whether a package holds slides."""
    return "ppt/presentation.xml" in package


def read_pptx(package: Package) -> Extracted:
    """Return what the slides say, in their order; raises `ExtractError`: damaged, too_big, empty."""
    numbers = sorted(int(found[1]) for name in package.names if (found := _SLIDE.fullmatch(name)))
    parts: list[str] = []
    titles: list[str] = []
    left = MAX_TEXT
    for place, number in enumerate(numbers, 1):
        slide = _read(package, f"ppt/slides/slide{number}.xml", left)
        notes = f"ppt/notesSlides/notesSlide{number}.xml"
        said = _read(package, notes, left).lines if notes in package else []
        left -= slide.length
        titles.append(slide.title)
        lines = [*slide.lines, *(["Notes:", *said] if said else [])]
        if slide.title or lines:
            parts.append("\n\n".join([f"# {slide.title or f'Slide {place}'}", *lines]))
    if not parts:
        raise ExtractError(f"{package.file} has no slide with words", reason="empty", value=str(package.file))
    return Extracted("\n\n".join(parts) + "\n", "markdown", next(filter(None, titles), None))


def _read(package: Package, part: str, left: int) -> _Slide:
    slide = _Slide(left)
    package.read(part, slide.start, slide.end, slide.text)
    return slide


class _Slide:
    """Collects the paragraphs of one slide; a row of a table is one line, its cells apart by tabs."""

    def __init__(self, left: int) -> None:
        self.title = ""
        self.lines: list[str] = []
        self.length = 0
        self._left = left
        self._kind = ""
        self._words: list[str] = []
        self._cells: list[str] | None = None
        self._cell: list[str] = []
        self._inside = False

    def start(self, name: str, attributes: Attributes) -> None:
        if name == "sp":
            self._kind = ""
        elif name == "ph":
            self._kind = attributes.get("type", "body")
        elif name == "p":
            self._words = []
        elif name == "t":
            self._inside = True
        elif name == "br":
            self._words.append("\n")
        elif name == "tr":
            self._cells = []
        elif name == "tc":
            self._cell = []

    def text(self, data: str) -> None:
        if self._inside:
            self._words.append(data)
            self.length += len(data)
            if self.length > self._left:
                raise TooMuchTextError(f"more than {MAX_TEXT:,} characters")

    def end(self, name: str) -> None:
        if name == "t":
            self._inside = False
        elif name == "p":
            self._say("".join(self._words).strip())
        elif name == "tc" and self._cells is not None:
            self._cells.append(" ".join(" ".join(self._cell).split()))
        elif name == "tr" and self._cells is not None:
            row, self._cells = "\t".join(self._cells).rstrip("\t"), None
            self._say(row)

    def _say(self, words: str) -> None:
        if not words or self._kind in _COUNTED:
            return
        if self._cells is not None:
            self._cell.append(words)
        elif self._kind in _TITLES and not self.title:
            self.title = " ".join(words.split())
        else:
            self.lines.append(words)
