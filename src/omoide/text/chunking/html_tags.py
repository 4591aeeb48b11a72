"""HTML source by its h1 to h6 elements, the tags kept; to read a page, its text is extracted instead."""

from __future__ import annotations

import re
from html import unescape

from omoide.text.chunking.markdown import Heading, clean_title, cut_at_headings
from omoide.text.chunking.pieces import Section
from omoide.text.chunking.room import Room

_MARK = re.compile(
    r"<!--|<(script|style|template|textarea)\b|<h([1-6])\b[^<>]{0,1000}>|<(?:p|div|table|ul|ol|pre|section|article|li|tr)\b",
    re.IGNORECASE,
)
_HEADING_TAG = re.compile(r"</?h[1-6]\b[^<>]{0,1000}>?", re.IGNORECASE)
_TAG = re.compile(r"<[^<>]{0,1000}>")
_LONGEST_TITLE = 2_000


def split_html(text: str, _room: Room) -> list[Section]:
    """Return a section per heading element; headings in comments, scripts and styles are none."""
    headings: list[Heading] = []
    inner: list[int] = []
    at = 0
    while match := _MARK.search(text, at):
        at = match.end()
        if match[0] == "<!--":
            at = _after(text, "-->", at)
        elif match[1]:
            at = _after(text, f"</{match[1].lower()}", at)
        elif match[2]:
            headings.append(_heading(text, match))
        else:
            inner.append(match.start())
    return cut_at_headings(text, headings, inner)


def _heading(text: str, match: re.Match[str]) -> Heading:
    """Return a heading; without an end tag before the next heading its title ends with the line."""
    close = _HEADING_TAG.search(text, match.end(), match.end() + _LONGEST_TITLE)
    closed = close is not None and close[0][1] == "/"
    end = close.end() if close and closed else match.end()
    title = text[match.end() : close.start()] if close else text[match.end() : match.end() + 200]
    words = unescape(_TAG.sub("", title if closed else title.split("\n", 1)[0]))
    return Heading(match.start(), int(match[2]), clean_title(words), end)


def _after(text: str, mark: str, start: int) -> int:
    found = re.compile(re.escape(mark), re.IGNORECASE).search(text, start)
    return found.end() if found else len(text)
