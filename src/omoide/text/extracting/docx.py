"""DOCX (transitional and strict) as Markdown-like text, straight from its XML: no part but the body has to be there."""

from __future__ import annotations

import re
from collections.abc import Iterable

from omoide.errors import ExtractError
from omoide.text.extracting.found import MAX_TEXT, Extracted
from omoide.text.extracting.xml_events import Attributes, TooMuchTextError
from omoide.text.extracting.zipped import Package

# What surrounds the body, in the order in which it is told after it.
_PARTS = re.compile(r"word/(?:(?P<side>header|footer)\d*|(?P<notes>footnotes|endnotes|comments))\.xml$")
_TITLES = {"side": "Headers and footers", "footnotes": "Footnotes", "endnotes": "Endnotes", "comments": "Comments"}
_HEADING = re.compile(r"(?:heading|berschrift|titre|ttulo|見出し|标题)\s*([1-9])$", re.IGNORECASE)
# Kept for readers that cannot show the other choice: the same words a second time.
_SKIPPED = frozenset({"Fallback", "delText", "delInstrText", "instrText", "moveFrom", "rPrChange", "pPrChange"})


def read_docx(package: Package) -> Extracted:
    """Return body, notes, comments, headers and footers of a DOCX.

    Raises `ExtractError`: damaged, too_big, empty.
    """
    styles = _styles(package)
    name = _main_part(package)
    text = _words(package, name, styles)
    for title, parts in _around(package).items():
        words = "\n\n".join(filter(None, dict.fromkeys(_words(package, part, {}) for part in parts)))
        if words:
            text += f"\n\n# {title}\n\n{words}"
    if not text.strip():
        raise ExtractError(f"{package.file} holds no text", reason="empty", value=str(package.file))
    return Extracted(text.strip("\n") + "\n", "markdown", _title(package))


def _main_part(package: Package) -> str:
    if "word/document.xml" in package:
        return "word/document.xml"
    found = next((name for name in package.names if re.fullmatch(r"word/document\d*\.xml", name)), None)
    if found is None:
        raise package.damaged("there is no word/document.xml")
    return found


def _around(package: Package) -> dict[str, list[str]]:
    parts: dict[str, list[str]] = {}
    for name in sorted(package.names):
        if found := _PARTS.match(name):
            parts.setdefault(_TITLES[found["notes"] or "side"], []).append(name)
    return parts


def _words(package: Package, part: str, styles: dict[str, int]) -> str:
    body = _Body(styles)
    package.read(part, body.start, body.end, body.text)
    return body.done()


def _styles(package: Package) -> dict[str, int]:
    """Return the heading level of every paragraph style that has one."""
    levels: dict[str, int] = {}
    style = ""

    def start(name: str, attributes: Attributes) -> None:
        nonlocal style
        if name == "style":
            style = attributes.get("styleId", "")
        elif name == "name" and (found := _HEADING.search(attributes.get("val", ""))):
            levels[style] = int(found[1])
        elif name == "name" and attributes.get("val", "").lower() == "title":
            levels[style] = 1
        elif name == "outlineLvl" and attributes.get("val", "").isdigit() and int(attributes["val"]) < 9:
            levels.setdefault(style, int(attributes["val"]) + 1)

    if "word/styles.xml" in package:
        package.read("word/styles.xml", start, _ignore, _ignore)
    return levels


def _ignore(_: str) -> None:
    pass


def _title(package: Package) -> str | None:
    words: list[str] = []
    inside = False

    def start(name: str, _: Attributes) -> None:
        nonlocal inside
        inside = name == "title"

    def end(_: str) -> None:
        nonlocal inside
        inside = False

    def text(data: str) -> None:
        if inside:
            words.append(data)

    if "docProps/core.xml" in package:
        package.read("docProps/core.xml", start, end, text)
    return " ".join("".join(words).split()) or None


class _Body:
    """Collects paragraphs and table rows while elements pass by."""

    def __init__(self, styles: dict[str, int]) -> None:
        self.styles = styles
        self.blocks: list[str] = []
        self.length = 0
        self.paragraphs: list[list[str]] = []
        self.levels: list[int] = []
        self.tables: list[list[str]] = []
        self.cells: list[list[str]] = []
        self.skipping = 0
        self.in_text = 0
        self.listed = False

    def start(self, name: str, attributes: Attributes) -> None:
        if self.skipping or name in _SKIPPED:
            self.skipping += 1
        elif name == "p":
            self.paragraphs.append([])
            self.levels.append(0)
            self.listed = False
        elif name == "t":
            self.in_text += 1
        elif name in {"tab", "br", "cr", "noBreakHyphen"} and self.paragraphs:
            self.paragraphs[-1].append({"tab": "\t", "noBreakHyphen": "-"}.get(name, "\n"))
        elif name == "sym" and self.paragraphs:
            self.paragraphs[-1].append(_symbol(attributes.get("char", "")))
        else:
            self._structure(name, attributes)

    def _structure(self, name: str, attributes: Attributes) -> None:
        if name == "tr":
            self.tables.append([])
        elif name == "tc" and self.tables:
            self.cells.append([])
        elif name == "pStyle" and self.levels:
            style = attributes.get("val", "")
            found = _HEADING.search(style)
            self.levels[-1] = self.styles.get(style, int(found[1]) if found else 0)
        elif name == "outlineLvl" and self.levels and attributes.get("val", "").isdigit():
            self.levels[-1] = int(attributes["val"]) + 1 if int(attributes["val"]) < 9 else 0
        elif name == "numPr":
            self.listed = True
        elif name in {"docPr", "imagedata"} and self.paragraphs:
            # What a picture shows, in its author's words.
            self.paragraphs[-1].append(attributes.get("descr", "") or "")

    def text(self, data: str) -> None:
        if self.in_text and not self.skipping and self.paragraphs:
            self.paragraphs[-1].append(data)
            self.length += len(data)
            if self.length > MAX_TEXT:
                raise TooMuchTextError(f"more than {MAX_TEXT:,} characters")

    def end(self, name: str) -> None:
        if self.skipping:
            self.skipping -= 1
        elif name == "t":
            self.in_text -= 1
        elif name == "p" and self.paragraphs:
            self._end_paragraph()
        elif name == "tc" and self.cells:
            words = " ".join(" ".join(self.cells.pop()).split())
            if self.tables:
                self.tables[-1].append(words)
        elif name == "tr" and self.tables:
            self._say("\t".join(self.tables.pop()))
        elif name == "tbl" and not self.tables:
            self.blocks.append("")

    def _end_paragraph(self) -> None:
        words = "".join(self.paragraphs.pop()).strip("\n")
        level = min(6, self.levels.pop())
        if not words.strip():
            return
        if self.paragraphs:
            # A text box inside a paragraph.
            self.paragraphs[-1].append(f" {words} ")
        elif self.cells:
            self.cells[-1].append(words)
        elif level:
            self._say(f"\n{'#' * level} {' '.join(words.split())}\n")
        else:
            self._say(f"- {words}" if self.listed else f"\n{words}\n")

    def _say(self, block: str) -> None:
        if self.cells:
            self.cells[-1].append(block)
        elif block.strip():
            self.blocks.append(block)

    def done(self) -> str:
        """Return the text, blank lines between paragraphs, none between list items and rows."""
        return re.sub(r"\n{3,}", "\n\n", "\n".join(self.blocks)).strip("\n")


def _symbol(code: str) -> str:
    try:
        number = int(code, 16)
    except ValueError:
        return ""
    # Symbol fonts sit in the private area; their low byte is what they resemble.
    return chr(number) if not 0xE000 <= number <= 0xF8FF else ""


def parts_of(names: Iterable[str]) -> bool:
    """Whether the names inside a package are those of a DOCX."""
    return any(re.fullmatch(r"word/document\d*\.xml", name) for name in names)
