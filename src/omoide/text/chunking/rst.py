"""reStructuredText: sections under underlined titles, levels in the order in which the signs first appear."""

from __future__ import annotations

import re

from omoide.text.chunking.markdown import Heading, cut_at_headings, lines_of
from omoide.text.chunking.pieces import Section
from omoide.text.chunking.room import Room
from omoide.text.chunking.width import columns

_RULE = re.compile(r"([!-/:-@\[-`{-~])\1*[ \t]*$")


def split_rst(text: str, _room: Room) -> list[Section]:
    """Return a section per title, what comes before the first title as one of its own."""
    lines = list(lines_of(text))
    return cut_at_headings(text, _headings(lines), _blocks(lines))


def _headings(lines: list[tuple[int, str, int]]) -> list[Heading]:
    found: list[Heading] = []
    signs: list[str] = []
    for number in range(1, len(lines)):
        title = lines[number - 1][1].rstrip()
        rule = lines[number][1].rstrip()
        if not _underlines(title, rule):
            continue
        above = lines[number - 2][1].rstrip() if number > 1 else ""
        overlined = above == rule and number > 1
        if not overlined and (above or title[0].isspace()):
            continue
        sign = rule[0] * (2 if overlined else 1)
        if sign not in signs:
            signs.append(sign)
        start = lines[number - 2][0] if overlined else lines[number - 1][0]
        found.append(Heading(start, signs.index(sign) + 1, " ".join(title.split()), lines[number][2]))
    return found


def _underlines(title: str, rule: str) -> bool:
    if not title.strip() or not rule or not _RULE.match(rule) or _RULE.match(title):
        return False
    return len(rule) >= columns(title.strip()) or len(rule) >= max(4, len(title.strip()))


def _blocks(lines: list[tuple[int, str, int]]) -> list[int]:
    """Return where a block begins at the left edge after a blank line: what is indented belongs to it."""
    blank = True
    starts: list[int] = []
    for start, line, _ in lines:
        if line.strip():
            if blank and not line[0].isspace():
                starts.append(start)
            blank = False
        else:
            blank = True
    return starts
