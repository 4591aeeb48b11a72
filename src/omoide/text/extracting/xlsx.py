"""XLSX as text: a heading per sheet, a line per row, cells apart by tabs."""

from __future__ import annotations

import re
from typing import TypeVar

from omoide.errors import ExtractError
from omoide.text.extracting.found import MAX_TEXT, Extracted
from omoide.text.extracting.xml_events import Attributes, TooMuchTextError
from omoide.text.extracting.zipped import Package

_SHEET = re.compile(r"xl/worksheets/sheet(\d+)\.xml")
_COLUMN = re.compile(r"[A-Z]{1,3}")
_MAX_GAP = 64
_NOTE = "dates are shown as the numbers that the file holds"


def is_xlsx(package: Package) -> bool:
    """Whether a package holds a workbook."""
    return "xl/workbook.xml" in package


def read_xlsx(package: Package) -> Extracted:
    """Return the values of every sheet; raises `ExtractError`: damaged, too_big, empty."""
    shared = _read(package, "xl/sharedStrings.xml", _Strings()).texts if "xl/sharedStrings.xml" in package else []
    names = _read(package, "xl/workbook.xml", _Names()).names
    parts: list[str] = []
    for number, part in enumerate(sorted(filter(_SHEET.fullmatch, package.names), key=_number)):
        if rows := _read(package, part, _Rows(shared)).rows:
            title = names[number] if number < len(names) else f"Sheet {number + 1}"
            parts.append(f"# {title}\n\n" + "\n".join(rows))
    if not parts:
        raise ExtractError(f"{package.file} has no cells with a value", reason="empty", value=str(package.file))
    return Extracted("\n\n".join(parts) + "\n", "markdown", notes=(_NOTE,))


def _number(name: str) -> int:
    found = _SHEET.fullmatch(name)
    return int(found[1]) if found else 0


class _Reader:
    """Sees every element and text of one part."""

    def start(self, name: str, attributes: Attributes) -> None:
        """See an element begin."""

    def end(self, name: str) -> None:
        """See an element end."""

    def text(self, data: str) -> None:
        """See characters."""


class _Names(_Reader):
    """The names of the sheets in the order of the tabs."""

    def __init__(self) -> None:
        self.names: list[str] = []

    def start(self, name: str, attributes: Attributes) -> None:
        if name == "sheet":
            self.names.append(" ".join(attributes.get("name", "").split()))


class _Strings(_Reader):
    """The texts that cells refer to by number."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self._parts: list[str] = []
        self._inside = False

    def start(self, name: str, attributes: Attributes) -> None:
        self._inside = name == "t"
        if name == "si":
            self._parts = []

    def end(self, name: str) -> None:
        self._inside = False
        if name == "si":
            self.texts.append(" ".join("".join(self._parts).split()))

    def text(self, data: str) -> None:
        if self._inside:
            self._parts.append(data)


class _Rows(_Reader):
    """The rows of one sheet; empty cells between values stay empty columns."""

    def __init__(self, shared: list[str]) -> None:
        self.rows: list[str] = []
        self._shared = shared
        self._cells: list[str] = []
        self._kind = ""
        self._value: list[str] = []
        self._inside = False
        self._left = MAX_TEXT

    def start(self, name: str, attributes: Attributes) -> None:
        self._inside = name in {"v", "t"}
        if name == "row":
            self._cells = []
        elif name == "c":
            self._kind, self._value = attributes.get("t", ""), []
            gap = _column(attributes.get("r", "")) - len(self._cells)
            self._cells += [""] * min(gap, _MAX_GAP)

    def end(self, name: str) -> None:
        self._inside = False
        if name == "c":
            self._cells.append(self._cell())
        elif name == "row" and (row := "\t".join(self._cells).rstrip("\t")):
            self.rows.append(row)

    def text(self, data: str) -> None:
        if self._inside:
            self._value.append(data)

    def _cell(self) -> str:
        value = " ".join("".join(self._value).split())
        if self._kind == "s":
            value = self._shared[int(value)] if value.isdecimal() and int(value) < len(self._shared) else ""
        self._left -= len(value) + 1
        if self._left < 0:
            raise TooMuchTextError(f"more than {MAX_TEXT:,} characters")
        return value


R = TypeVar("R", bound=_Reader)


def _column(reference: str) -> int:
    letters = _COLUMN.match(reference)
    number = 0
    for letter in letters[0] if letters else "":
        number = number * 26 + ord(letter) - 64
    return number - 1


def _read(package: Package, part: str, reader: R) -> R:
    package.read(part, reader.start, reader.end, reader.text)
    return reader
