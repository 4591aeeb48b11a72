"""Elements of one array inside a JSON document, with their places in bytes, one in memory at a time."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, NamedTuple

from omoide.transcripts.archive import exported, is_zip
from omoide.transcripts.jsonl import JsonDict, decoded
from omoide.transcripts.lines import still_there
from omoide.transcripts.values import START, Position

CHUNK = 1 << 16
_SPACE = b" \t\r\n"
_STRUCTURE = re.compile(rb'["{}\[\]]')
_STRING_END = re.compile(rb'["\\]')
_KEY = rb'"%s"\s*:\s*\['


class Element(NamedTuple):
    """One element: its exact bytes and ``[start, end)``."""

    raw: bytes
    start: int
    end: int


class _Window:
    """A view of a file from ``base`` on that grows at its end and can be cut at its front."""

    def __init__(self, file: BinaryIO, base: int) -> None:
        file.seek(base)
        self.file, self.base, self.data, self.ended = file, base, bytearray(), False

    def more(self) -> bool:
        chunk = self.file.read(CHUNK)
        self.data += chunk
        self.ended = not chunk
        return bool(chunk)

    def cut(self, count: int) -> None:
        del self.data[:count]
        self.base += count

    def at(self, place: int) -> int | None:
        """Return the byte at ``place`` of the window, or None at the end of the file."""
        while place >= len(self.data):
            if not self.more():
                return None
        return self.data[place]

    def find(self, pattern: re.Pattern[bytes], place: int) -> re.Match[bytes] | None:
        """Return the first match of a one-byte pattern at or after ``place``."""
        while True:
            match = pattern.search(self.data, place)
            if match is not None:
                return match
            place = len(self.data)
            if not self.more():
                return None


def opened(path: Path) -> BinaryIO:
    """Return a file, or the conversations inside an exported ZIP, as one stream of bytes."""
    return exported(path) if is_zip(path) else path.open("rb")


def array_start(path: Path, name: str | None) -> int | None:
    """Return the byte after the ``[`` of the array called ``name`` (None: the document itself); None without one.

    The first key of that name is meant, at whatever depth, outside texts.
    """
    with opened(path) as file:
        window = _Window(file, 0)
        if name is None:
            place = _skip(window, 3 if window.at(0) == 0xEF else 0)
            return place + 1 if window.at(place) == ord("[") else None
        return _named(window, re.compile(_KEY % re.escape(name.encode())))


def _named(window: _Window, key: re.Pattern[bytes]) -> int | None:
    place = 0
    while (found := window.find(_STRUCTURE, place)) is not None:
        if found[0] != b'"':
            place = found.end()
            continue
        start, place = found.start(), _string_end(window, found.end())
        window.at(place + 64)
        match = key.match(window.data, start)
        if match is not None:
            return window.base + match.end()
        if place > CHUNK:
            window.cut(place)
            place = 0
    return None


def elements_of(path: Path, start: int) -> Iterator[Element]:
    """Yield the elements from byte ``start`` on, up to the end of the array or to one that is cut."""
    with opened(path) as file:
        window = _Window(file, start)
        while (element := _next(window)) is not None:
            yield element


def _next(window: _Window) -> Element | None:
    place = _skip(window, 0)
    if window.at(place) == ord(","):
        place = _skip(window, place + 1)
    while window.at(place) == ord("]"):
        place = _skip(window, place + 1)
        if window.at(place) != ord("["):
            return None
        place = _skip(window, place + 1)  # the next file of an export in parts
    if window.at(place) is None:
        return None
    end = _value_end(window, place)
    if end is None:
        return None
    element = Element(bytes(window.data[place:end]), window.base + place, window.base + end)
    window.cut(end)
    return element


def _skip(window: _Window, place: int) -> int:
    while (byte := window.at(place)) is not None and byte in _SPACE:
        place += 1
    return place


def _value_end(window: _Window, place: int) -> int | None:
    """Return the place after the value that begins at ``place``; None when the file ends before it does."""
    if window.data[place] not in b'"{[':
        match = window.find(re.compile(rb"[,\]\s]"), place)
        return match.start() if match else None
    depth = 0
    while (match := window.find(_STRUCTURE, place)) is not None:
        place = match.end()
        if match[0] == b'"':
            place = _string_end(window, place)
        else:
            depth += 1 if match[0] in b"{[" else -1
        if depth == 0:
            return place if window.at(place - 1) is not None else None
    return None


def _string_end(window: _Window, place: int) -> int:
    """Return the place after the quote that ends a string whose text begins at ``place``."""
    while (match := window.find(_STRING_END, place)) is not None:
        if match[0] == b'"':
            return match.end()
        place = match.end() + 1
    return len(window.data) + 1


def resume_elements(path: Path, since: Position | None) -> Position:
    """Return where to go on in a document or an export: ``since``, or the start when it changed before that place."""
    if since is None or not since.offset:
        return START
    with opened(path) as file:
        return since if still_there(file, since) else START


def outside_of(path: Path, array: str) -> JsonDict:
    """Return the fields of a document without the elements of the named array; {} when they cannot be had."""
    start = array_start(path, array)
    if start is None:
        return {}
    end = start
    for element in elements_of(path, start):
        end = element.end
    with path.open("rb") as file:
        head = file.read(start)
        file.seek(end)
        value = decoded(head + file.read().lstrip().removeprefix(b","))
    return value if isinstance(value, dict) else {}


def compact(value: object) -> bytes:
    """Return a value as JSON in UTF-8, keys in their order."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")
