"""HTML to tags and text, in linear time whatever the input; a page that is not well formed gives what it can."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from typing import NamedTuple

_NAME = re.compile(r"<(/?)([A-Za-z][^\s/>]{0,100})")
_QUOTE_OR_END = re.compile(r"""[>"']""")
_RAW = ("script", "style", "textarea", "title", "xmp", "iframe", "noembed", "noframes")
_ATTRIBUTE = re.compile(r"""([^\s"'<>/=]{1,100})\s*=\s*("[^"]*"|'[^']*'|[^\s"'>]+)""")
MAX_ATTRIBUTES = 8_000


class Token(NamedTuple):
    """kind: open, close, text; ``data`` is the tag's name in lower case or the text, entities resolved."""

    kind: str
    data: str
    source: str = ""

    def attribute(self, name: str) -> str:
        """Return the value of an attribute, empty where there is none."""
        for found in _ATTRIBUTE.finditer(self.source[:MAX_ATTRIBUTES]):
            if found[1].lower() == name:
                return unescape(found[2].strip("\"'"))
        return ""


def tokens(text: str) -> Iterator[Token]:
    """Yield the tags and texts of an HTML source; comments, declarations and processing instructions are left out."""
    scanner = _Scanner(text)
    at = 0
    while at < len(text):
        mark = text.find("<", at)
        if mark < 0:
            mark = len(text)
        if mark > at:
            yield Token("text", unescape(text[at:mark]))
        if mark == len(text):
            return
        name = _NAME.match(text, mark)
        if name:
            at = scanner.tag_end(name.end())
            tag = name[2].lower()
            yield Token("close" if name[1] else "open", tag, text[name.end() : at])
            if tag in _RAW and not name[1]:
                end = scanner.raw_end(tag, at)
                yield Token("text", unescape(text[at:end]))
                at = end
        elif text.startswith("<!--", mark):
            at = scanner.after("-->", mark + 4)
        elif text.startswith(("<!", "<?", "</"), mark):
            at = scanner.after(">", mark + 2)
        else:
            yield Token("text", "<")
            at = mark + 1


class _Scanner:
    """Finds ends; what was once sought in vain is not sought again, so that the whole stays linear."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.missing: set[str] = set()

    def after(self, mark: str, start: int) -> int:
        """Return the position after the next ``mark``, the end of the text where there is none."""
        found = -1 if mark in self.missing else self.text.find(mark, start)
        if found < 0:
            self.missing.add(mark)
            return len(self.text)
        return found + len(mark)

    def tag_end(self, start: int) -> int:
        """Return the position after the ``>`` of a tag, those in quoted values passed over."""
        at = start
        while found := _QUOTE_OR_END.search(self.text, at):
            if found[0] == ">":
                return found.end()
            close = -1 if found[0] in self.missing else self.text.find(found[0], found.end())
            if close < 0:
                self.missing.add(found[0])
                at = found.end()
            else:
                at = close + 1
        return self.after(">", start)

    def raw_end(self, tag: str, start: int) -> int:
        """Return where the text of an element ends in which tags are none."""
        if tag in self.missing:
            return start
        found = re.compile(rf"</{tag}(?=[\s/>])", re.IGNORECASE).search(self.text, start)
        if found is None:
            self.missing.add(tag)
            return len(self.text) if tag in {"script", "style"} else start
        return found.start()
