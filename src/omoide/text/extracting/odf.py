"""OpenDocument texts, sheets and slides as Markdown-like text: headings, paragraphs, lists, rows."""

from __future__ import annotations

from omoide.errors import ExtractError
from omoide.text.extracting.found import MAX_TEXT, Extracted
from omoide.text.extracting.xml_events import Attributes, TooMuchTextError
from omoide.text.extracting.zipped import Package

_SKIPPED = frozenset({"annotation-end", "tracked-changes", "forms", "sequence-decls", "automatic-styles", "scripts"})
_MAX_REPEAT = 64


def is_odf(package: Package) -> bool:
    """Whether a package is an OpenDocument."""
    return "content.xml" in package and "META-INF/manifest.xml" in package


def read_odf(package: Package) -> Extracted:
    """Return the words of a document in their order; raises `ExtractError`: damaged, too_big, empty, encrypted."""
    body = _Body()
    package.read("content.xml", body.start, body.end, body.text)
    text = "\n\n".join(body.blocks)
    if not text.strip():
        raise ExtractError(f"{package.file} holds no text", reason="empty", value=str(package.file))
    return Extracted(text + "\n", "markdown", body.title or None)


class _Body:
    """Collects headings, paragraphs and table rows while elements pass by."""

    def __init__(self) -> None:
        self.blocks: list[str] = []
        self.title = ""
        self._length = 0
        self._skipping = 0
        self._open: list[tuple[str, list[str]]] = []
        self._rows: list[list[str]] = []
        self._cells: list[tuple[list[str], int]] = []
        self._lists = 0

    def start(self, name: str, attributes: Attributes) -> None:
        if self._skipping or name in _SKIPPED:
            self._skipping += 1
        elif name in {"p", "h"}:
            level = attributes.get("outline-level", "1") if name == "h" else ""
            self._open.append((f"{'#' * min(6, int(level))} " if level.isdecimal() else "", []))
        elif name == "list":
            self._lists += 1
        elif name in {"tab", "s", "line-break"} and self._open:
            self._open[-1][1].append({"tab": "\t", "s": " "}.get(name, "\n"))
        elif name == "table-row":
            self._rows.append([])
        elif name == "table-cell" and self._rows:
            repeat = attributes.get("number-columns-repeated", "1")
            self._cells.append(([], min(int(repeat) if repeat.isdecimal() else 1, _MAX_REPEAT)))
        elif name in {"table", "page"} and not self._rows and attributes.get("name"):
            self.blocks.append(f"# {' '.join(attributes['name'].split())}")

    def text(self, data: str) -> None:
        if self._open and not self._skipping:
            self._open[-1][1].append(data)
            self._length += len(data)
            if self._length > MAX_TEXT:
                raise TooMuchTextError(f"more than {MAX_TEXT:,} characters")

    def end(self, name: str) -> None:
        if self._skipping:
            self._skipping -= 1
        elif name in {"p", "h"} and self._open:
            mark, words = self._open.pop()
            self._say(mark, "".join(words).strip())
        elif name == "list":
            self._lists -= 1
        elif name == "table-cell" and self._cells:
            words, repeat = self._cells.pop()
            self._rows[-1] += [" ".join(" ".join(words).split())] * repeat
        elif name == "table-row" and self._rows:
            row = "\t".join(self._rows.pop()).rstrip("\t")
            if row and not self._cells:
                self.blocks.append(row)

    def _say(self, mark: str, words: str) -> None:
        if not words:
            return
        if self._cells:
            self._cells[-1][0].append(words)
        elif self._open:
            self._open[-1][1].append(f" {words} ")  # a note inside a paragraph
        else:
            self.title = self.title or (words if mark else "")
            self.blocks.append(f"{mark or ('- ' if self._lists else '')}{words}")
