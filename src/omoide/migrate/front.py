"""Notes in Markdown with a front matter, as other systems write it: a part of YAML, read without running anything."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

from omoide.errors import InvalidInputError

_FIELD: Final = re.compile(r"([A-Za-z_][\w .-]*?)\s*:(?:\s+(.*))?$")
_ESCAPES: Final = {"n": "\n", "t": "\t", "r": "\r"}
_LARGEST: Final = 16_000_000


class Note(NamedTuple):
    """A note: its fields, its body, and the line on which the body begins, from 1."""

    fields: dict[str, Any]
    body: str
    line: int = 1


def read_note(path: Path) -> Note:
    """Return the note of a file.

    Raises:
        InvalidInputError: it is too large, no UTF-8, or cannot be read.
    """
    try:
        if path.stat().st_size > _LARGEST:
            raise InvalidInputError(f"it holds more than {_LARGEST} bytes", value=str(path))
        return note_of(path.read_bytes().decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise InvalidInputError(f"it is no UTF-8: {error}", value=str(path)) from error
    except OSError as error:
        raise InvalidInputError(f"it cannot be read: {error}", value=str(path)) from error


def note_of(text: str) -> Note:
    """Return the note that a text is; one without a front matter has no fields."""
    lines = text.replace("\r\n", "\n").split("\n")
    if lines[0].rstrip() != "---":
        return Note({}, text.replace("\r\n", "\n"))
    end = next((at for at, line in enumerate(lines[1:], 1) if line.rstrip() == "---"), None)
    if end is None:
        return Note({}, "\n".join(lines))
    return Note(_fields(lines[1:end]), "\n".join(lines[end + 1 :]), end + 2)


def _fields(lines: list[str]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    at = 0
    while at < len(lines):
        match = _FIELD.match(lines[at])
        at += 1
        if match is None:
            continue
        name, value = match[1].strip(), (match[2] or "").strip()
        inner: list[str] = []
        while at < len(lines) and (not lines[at].strip() or lines[at][0] in " \t-"):
            inner.append(lines[at])
            at += 1
        found[name] = _block(value, inner) if inner else _scalar(value)
    return found


def _block(value: str, inner: list[str]) -> Any:
    """Return a value that goes on below its name: a list, a text of several lines, or a scalar after all."""
    items = [line.strip() for line in inner if line.strip()]
    if value[:1] in ("|", ">"):
        return ("\n" if value[0] == "|" else " ").join(items)
    if not value and items and all(item.startswith("- ") or item == "-" for item in items):
        return [_scalar(item[1:].strip()) for item in items]
    if not value and items:
        return _fields([line.strip() for line in inner if line.strip()]) or " ".join(items)
    return _scalar(" ".join([value, *items]) if items else value)


def _scalar(value: str) -> Any:
    if value[:1] == "[" and value.endswith("]"):
        return [_scalar(part) for part in _split(value[1:-1]) if part]
    if len(value) > 1 and value[0] == value[-1] == '"':
        return re.sub(r"\\(.)", lambda match: _ESCAPES.get(match[1], match[1]), value[1:-1])
    if len(value) > 1 and value[0] == value[-1] == "'":
        return value[1:-1].replace("''", "'")
    value = re.sub(r"\s+#.*$", "", value)
    if value in ("", "null", "~"):
        return None
    return {"true": True, "false": False}.get(value, value)


def _split(text: str) -> Iterator[str]:
    """Yield the items of an inline list; commas inside of quotes separate nothing."""
    item, quote = "", ""
    for char in text:
        if quote:
            quote = "" if char == quote else quote
        elif char in "\"'" and not item.strip():
            quote = char
        elif char == ",":
            yield item.strip()
            item = ""
            continue
        item += char
    yield item.strip()
