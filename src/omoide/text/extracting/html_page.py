"""An HTML page as Markdown-like text: headings, lists, tables and code kept, scripts and styles not."""

from __future__ import annotations

import re

from omoide.text.extracting.found import Extracted
from omoide.text.extracting.html_tokens import Token, tokens

_SKIPPED = frozenset({"script", "style", "template", "svg", "math", "head", "iframe", "object", "noembed", "noframes"})
_BLOCKS = frozenset(
    {"p", "div", "section", "article", "main", "header", "footer", "nav", "aside", "ul", "ol", "dl", "dt", "dd"}
    | {"table", "thead", "tbody", "tfoot", "caption", "figure", "figcaption", "blockquote", "form", "fieldset"}
    | {"address", "details", "summary", "hr", "body", "html", "center", "legend", "option", "select", "title"}
)
_HEADING = re.compile(r"h[1-6]$")
_CELLS = frozenset({"td", "th"})
_SPACE = re.compile(r"[ \t\r\n\f]+")
_BREAKS = re.compile(r"\n{3,}")
_MAX_INDENT = 8
_ITEM = re.compile(r" *(?:-|\d+\.) ")


def read_html(source: str) -> Extracted:
    """Return the readable text of an HTML source, to be cut as Markdown."""
    page = _Page()
    for token in tokens(source):
        page.take(token)
    title = " ".join("".join(page.title).split())
    return Extracted(page.text(), "markdown", title or page.first_heading or None)


class _Page:
    """Collects the text of a page while its tokens pass by."""

    def __init__(self) -> None:
        self.parts: list[str] = []
        self.title: list[str] = []
        self.first_heading = ""
        self.in_title = False
        self.skipping: list[str] = []
        self.preformatted = 0
        self.lists: list[int | None] = []
        self.cell = 0
        self.heading: list[str] | None = None

    def text(self) -> str:
        """Return the text so far, no line longer apart than one blank line."""
        self._end_heading()
        return _BREAKS.sub("\n\n", "".join(self.parts)).strip("\n") + "\n"

    def take(self, token: Token) -> None:
        if token.kind == "text":
            self._text(token.data)
        elif token.data == "title":
            self.in_title = token.kind == "open" and not self.title
        elif token.kind == "open":
            self._open(token)
        else:
            self._close(token.data)

    def _text(self, text: str) -> None:
        if self.in_title:
            self.title.append(text)
        elif self.skipping:
            return
        elif self.heading is not None:
            self.heading.append(text)
        elif self.preformatted:
            self.parts.append(text)
        else:
            self._flow(_SPACE.sub(" ", text))

    def _flow(self, text: str) -> None:
        if text[:1] == " " and (not self.parts or self.parts[-1][-1:] in {"\n", " ", ""}):
            text = text[1:]
        if text:
            self.parts.append(text)

    def _break(self, lines: int) -> None:
        if self.heading is not None:
            self.heading.append(" ")
        elif self.parts and not _ITEM.fullmatch(self.parts[-1]):
            self.parts[-1] = self.parts[-1].rstrip(" ")
            # In a cell of a table the row stays on one line.
            self.parts.append(" " if self.cell else "\n" * lines)

    def _open(self, token: Token) -> None:
        name = token.data
        if self.skipping:
            if name == self.skipping[-1]:
                self.skipping.append(name)
            elif name == "body":
                self.skipping.clear()
        elif name in _SKIPPED:
            if not token.source.rstrip(">").endswith("/"):
                self.skipping.append(name)
        elif _HEADING.match(name):
            self._begin_heading(int(name[1]))
        else:
            self._open_block(name, token)

    def _open_block(self, name: str, token: Token) -> None:
        if name in {"pre", "listing", "xmp"}:
            self._break(2)
            self.parts.append("```\n")
            self.preformatted += 1
        elif name == "li":
            self._item()
        elif name in {"br", "tr"}:
            self._break(1)
        elif name in _CELLS:
            if self.parts and self.parts[-1][-1:] != "\n":
                self.parts.append(" | ")
            self.cell += 1
        elif name == "img":
            self._flow(token.attribute("alt"))
        elif name in _BLOCKS:
            self._break(2)
            if name in {"ul", "ol"}:
                self.lists.append(0 if name == "ol" else None)

    def _item(self) -> None:
        self._break(1)
        depth = min(_MAX_INDENT, max(0, len(self.lists) - 1))
        mark = "- "
        if self.lists and (count := self.lists[-1]) is not None:
            self.lists[-1] = count + 1
            mark = f"{count + 1}. "
        if not self.cell:
            self.parts.append("  " * depth + mark)

    def _begin_heading(self, level: int) -> None:
        self._end_heading()
        if self.cell:
            return
        self._break(2)
        self.heading = ["#" * level + " "]

    def _end_heading(self) -> None:
        if self.heading is None:
            return
        mark, words = self.heading[0], " ".join("".join(self.heading[1:]).split())
        self.heading = None
        if words:
            self.first_heading = self.first_heading or words
            self.parts += [mark + words, "\n\n"]

    def _close(self, name: str) -> None:
        if self.skipping:
            if name == self.skipping[-1]:
                self.skipping.pop()
        elif _HEADING.match(name):
            self._end_heading()
        elif name in {"pre", "listing", "xmp"} and self.preformatted:
            self.preformatted -= 1
            self.parts.append("\n```\n\n")
        elif name in _CELLS:
            self.cell = max(0, self.cell - 1)
            if self.parts:
                self.parts[-1] = self.parts[-1].rstrip(" ")
        elif name in {"ul", "ol"} and self.lists:
            self.lists.pop()
            self._break(1 if self.lists else 2)
        elif name == "table":
            self.cell = 0
            self._break(2)
        elif name in _BLOCKS:
            self._break(2)
