"""A text by levels: a line that stands for it, its headings, one section, all of it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

from omoide.text.budget import estimate_tokens
from omoide.text.chunking.markdown import headings_in
from omoide.text.normalize import fold

ABSTRACT: Final = 240
"""Characters of the line that stands for a text without an abstract."""
LEVELS: Final = ("abstract", "outline", "section", "full")

_SENTENCE: Final = re.compile(r".+?(?:[.!?…](?=\s|$)|[。！？]|\n|$)", re.DOTALL)
_NOT_IN_ANCHORS: Final = re.compile(r"[^\w\- ]")


class Part(NamedTuple):
    """A heading and its section, which ends where the next of its level or above begins."""

    level: int
    title: str
    anchor: str
    line: int
    start: int
    end: int


def outline(text: str) -> list[Part]:
    """Return the headings of a Markdown text in order; those inside code are none."""
    headings = headings_in(text)
    parts: list[Part] = []
    taken: dict[str, int] = {}
    line, at = 1, 0
    for number, heading in enumerate(headings):
        line += text.count("\n", at, heading.start)
        at = heading.start
        after = (each.start for each in headings[number + 1 :] if each.level <= heading.level)
        end = next(after, len(text))
        parts.append(Part(heading.level, heading.title, _anchor(heading.title, taken), line, heading.start, end))
    return parts


def section(parts: Sequence[Part], name: str) -> Part | None:
    """Return the section that an anchor names, or a title in any spelling of case, width and accents."""
    wanted = name.strip().removeprefix("#")
    exact = (part for part in parts if part.anchor == wanted)
    loose = (part for part in parts if fold(part.title) == fold(wanted))
    return next(exact, None) or next(loose, None)


def best_section(parts: Sequence[Part], text: str, words: Sequence[str]) -> Part | None:
    """Return the smallest section that holds most of the folded ``words``, None when no section holds any."""
    found: tuple[int, int, Part] | None = None
    for part in parts:
        body = fold(text[part.start : part.end])
        held = sum(word in body for word in words)
        if held and (found is None or (held, -(part.end - part.start)) > found[:2]):
            found = held, -(part.end - part.start), part
    return None if found is None else found[2]


def abstract_of(text: str, given: str | None) -> str:
    """Return the abstract as given, else the first sentence that is no heading, on one line."""
    if given:
        return given
    body = "\n".join(line for line in text.splitlines() if not line.lstrip().startswith("#")).strip() or text.strip()
    match = _SENTENCE.match(body)
    line = " ".join((match.group() if match else body).split())
    return line if len(line) <= ABSTRACT else line[: ABSTRACT - 1].rstrip() + "…"


def fitting(text: str, max_tokens: int | None) -> tuple[str, bool]:
    """Return as much of ``text``, in whole lines where they fit, as ``max_tokens`` allow, and whether it was cut."""
    if max_tokens is None or estimate_tokens(text) <= max_tokens:
        return text, False
    kept: list[str] = []
    left = max_tokens
    for line in text.split("\n"):
        cost = estimate_tokens(line) + 1
        if cost > left:
            break
        kept.append(line)
        left -= cost
    if kept:
        return "\n".join(kept), True
    short = text
    while short and (tokens := estimate_tokens(short)) > max_tokens:
        short = short[: int(len(short) * min(0.95, max_tokens / tokens))]
    return short, True


def _anchor(title: str, taken: dict[str, int]) -> str:
    """Return the name of a heading as Markdown pages have it: lower case, dashes, numbered when it comes again."""
    plain = _NOT_IN_ANCHORS.sub("", title.lower()).strip().replace(" ", "-") or "section"
    seen = taken.get(plain, 0)
    taken[plain] = seen + 1
    return f"{plain}-{seen}" if seen else plain
