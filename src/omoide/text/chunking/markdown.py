"""Markdown: sections under their headings; fences, tables and paragraphs stay whole where they fit."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from omoide.text.chunking.pieces import Section
from omoide.text.chunking.room import Room

_HEADING = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*$")
_FENCE = re.compile(r"[ \t>]*(?:[-*+][ \t]+|\d{1,9}[.)][ \t]+)?(`{3,}|~{3,})([^\n]*)")
_UNDERLINE = re.compile(r" {0,3}(=+|-+)[ \t]*$")
_NO_TITLE = re.compile(r" {0,3}(?:[-*+>|]|\d+[.)])[ \t]|[ \t]*$|[ \t]*\|| {4}|\t|<|---")
MAX_HEADING = 200


class Heading(NamedTuple):
    """A heading line (or a title and its underline) at ``start``."""

    start: int
    level: int
    title: str
    end: int


def split_markdown(text: str, _room: Room) -> list[Section]:
    """Return a section per heading, its title in the breadcrumb; a heading without a body goes with its first child."""
    headings, inner = _scan(text)
    return cut_at_headings(text, headings, inner)


def headings_in(text: str) -> list[Heading]:
    """Return the headings of a text in order; lines inside fences and front matter are none."""
    return _scan(text)[0]


def cut_at_headings(text: str, headings: list[Heading], inner: list[int]) -> list[Section]:
    """Return the sections between headings; ``inner`` are the positions of blocks, ascending."""
    sections: list[Section] = []
    path: list[tuple[int, str]] = []
    ends = [*(heading.start for heading in headings), len(text)]
    if text[: ends[0]].strip():
        sections.append(Section(0, ends[0]))
    for number, (heading, end) in enumerate(zip(headings, ends[1:], strict=True)):
        path = [*((level, title) for level, title in path if level < heading.level), (heading.level, heading.title)]
        bare = not text[heading.end : end].strip()
        leads = bare and number + 1 < len(headings) and headings[number + 1].level > heading.level
        start = heading.start if sections else 0
        crumbs = tuple(title for _, title in path if title)
        sections.append(Section(start, end, crumbs, join="next" if leads else "none"))
    return list(_with_inner(sections, inner))


def _with_inner(sections: list[Section], inner: list[int]) -> Iterator[Section]:
    at = 0
    for section in sections:
        first = at
        while at < len(inner) and inner[at] < section.end:
            at += 1
        yield replace(section, inner=tuple(place for place in inner[first:at] if place > section.start))


class _Scanner:
    """Reads a Markdown text line by line, knowing whether it is inside a fence or front matter."""

    def __init__(self) -> None:
        self.headings: list[Heading] = []
        self.inner: list[int] = []
        self.fence = ""
        self.front = False
        self.blank = True
        self.title: tuple[int, str] | None = None

    def line(self, start: int, line: str, end: int) -> None:
        if self.front:
            self._in_front_matter(line, end)
        elif self.fence:
            self._in_fence(line, end)
        elif start == 0 and line.rstrip() == "---":
            self.front = True
        elif (opening := _FENCE.match(line)) and ("`" not in opening[2] or opening[1][0] == "~"):
            self.fence, self.title, self.blank = opening[1], None, False
            self.inner.append(start)
        else:
            self._in_text(start, line, end)

    def _in_front_matter(self, line: str, end: int) -> None:
        if line.rstrip() in {"---", "..."}:
            self.front = False
            self.inner.append(end)

    def _in_fence(self, line: str, end: int) -> None:
        bare = line.strip(" \t>")
        if bare and len(bare) >= len(self.fence) and not bare.strip(self.fence[0]):
            self.fence = ""
            self.inner.append(end)

    def _in_text(self, start: int, line: str, end: int) -> None:
        if heading := _HEADING.match(line):
            self.headings.append(Heading(start, len(heading[1]), clean_title(heading[2] or ""), end))
            self.title = None
        elif self.title and (underline := _UNDERLINE.match(line)):
            at, title = self.title
            self.headings.append(Heading(at, 1 if "=" in underline[1] else 2, clean_title(title), end))
            self.title = None
        else:
            if self.blank and line.strip():
                self.inner.append(start)
            self.title = (start, line) if self.blank and not _NO_TITLE.match(line) else None
        self.blank = not line.strip()


def _scan(text: str) -> tuple[list[Heading], list[int]]:
    scanner = _Scanner()
    for start, line, end in lines_of(text):
        scanner.line(start, line, end)
    return scanner.headings, sorted(set(scanner.inner))


def lines_of(text: str) -> Iterator[tuple[int, str, int]]:
    """Yield (start, line without its end, start of the next line) of every line that LF, CRLF or CR ends."""
    start = 0
    for match in re.finditer(r"\r\n?|\n", text):
        yield start, text[start : match.start()], match.end()
        start = match.end()
    if start < len(text):
        yield start, text[start:], len(text)


def clean_title(title: str) -> str:
    """Return a heading's words without emphasis, link targets and anchors, at most 200 characters."""
    short = title[: MAX_HEADING * 4]
    short = re.sub(r"!?\[([^\]\[]*)\]\([^()\s]*\)", r"\1", short)
    short = re.sub(r"\s*\{#[^{}]*\}\s*$", "", short)
    return " ".join(re.sub(r"\*\*|__|`", "", short).split())[:MAX_HEADING]
