"""A note as bytes and as values: YAML front matter and a body, written back with only what changed."""

from __future__ import annotations

import codecs
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from omoide.vault.damage import DamagedNoteError, refuse_conflicts
from omoide.vault.yaml_values import Mapped, Span, YamlError, dump, read, read_simple

FENCE: Final = "---"

_UTF16: Final = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


@dataclass(frozen=True, slots=True)
class Note:
    """A note as read.

    ``head`` is the text between the fences with a line feed after each line, None without front matter; ``body``
    is what follows, less the one line end that closes a file. ``newline`` is how the lines of the file end.
    """

    fields: dict[str, Any]
    body: str
    head: str | None = None
    tail: str = "\n"
    newline: str = "\n"
    bom: bool = False
    fences: tuple[str, str] = (FENCE, FENCE)
    spans: tuple[Span, ...] = field(default=(), repr=False)
    block: bool = True
    raw: bytes = field(default=b"", repr=False)


def parse(data: bytes, *, ours: bool = False) -> Note:
    """Return the note that some bytes hold.

    A byte order mark, CRLF and blanks after the fences are accepted. In a note that is ``ours``, what looks like
    a merge conflict is its text.

    Raises:
        DamagedNoteError: not UTF-8, no end of the front matter, front matter that is not YAML, a merge conflict.
    """
    bom = data.startswith(codecs.BOM_UTF8)
    text = _decoded(data[3:] if bom else data)
    first, _, rest = text.partition("\n")
    newline = "\r\n" if first.endswith("\r") else "\n"
    if newline == "\r\n":
        text, rest = text.replace("\r\n", "\n"), rest.replace("\r\n", "\n")
    refuse_conflicts("" if ours else text)
    if first.rstrip() != FENCE:
        body, tail = _closed(text)
        return Note({}, body, None, tail, newline, bom, raw=data)
    opening = first.rstrip("\r")
    head, closing, body = _split(rest)
    mapped = _mapped(head)
    body, tail = _closed(body)
    fences = (opening, closing)
    return Note(mapped.values, body, head, tail, newline, bom, fences, mapped.spans, mapped.block, data)


def render(existing: Note | None, fields: Mapping[str, Any], body: str) -> bytes:
    """Return the bytes of a note with these fields and this body.

    ``fields`` are the names that are ours in their order; one that is None or empty is left out. Of a note that
    exists, everything else stays byte for byte: other names, comments, order, and the body when it is the same.
    """
    note = existing or Note({}, body, "")
    head = _head(note, {name: value for name, value in fields.items() if not _absent(value)}, tuple(fields))
    if existing is not None and head == (note.head or "") and body == note.body:
        return note.raw
    tail = note.tail if body == note.body else "\n"
    text = "".join((note.fences[0], "\n", head, note.fences[1], "\n", body, tail))
    if note.newline != "\n":
        text = text.replace("\n", note.newline)
    return (codecs.BOM_UTF8 if note.bom else b"") + text.encode("utf-8")


def same_body(one: str, other: str) -> bool:
    """Say whether bodies differ in nothing but line ends, blank lines around them and blanks at the ends of lines."""
    return one == other or _plain_lines(one) == _plain_lines(other)


def _plain_lines(text: str) -> list[str]:
    lines = [line.rstrip() for line in text.replace("\r\n", "\n").replace("\r", "\n").split("\n")]
    while lines and not lines[-1]:
        lines.pop()
    start = next((number for number, line in enumerate(lines) if line), 0)
    return lines[start:]


def _decoded(data: bytes) -> str:
    if data.startswith(_UTF16):
        raise DamagedNoteError("encoding", "it is UTF-16; save it as UTF-8")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise DamagedNoteError(
            "encoding", f"byte {error.start} is not UTF-8 (Shift-JIS or Latin-1, perhaps); save it as UTF-8"
        ) from error


def _closed(body: str) -> tuple[str, str]:
    """The last line end belongs to the file, not to the text."""
    return (body[:-1], "\n") if body.endswith("\n") else (body, "")


def _split(text: str) -> tuple[str, str, str]:
    """Return the text between the fences, the closing fence, and what follows it."""
    at = 0
    for line in text.split("\n"):
        if line.rstrip() in (FENCE, "..."):
            return text[:at], line, text[at + len(line) + 1 :]
        at += len(line) + 1
    raise DamagedNoteError("unclosed", "its front matter has no end; close it with a line of ---")


def _mapped(head: str) -> Mapped:
    found = read_simple(head)
    if found is not None:
        return found
    try:
        return read(head)
    except YamlError as error:
        raise DamagedNoteError(
            "front_matter", f"line {error.line + 1}: its front matter cannot be read: {error}"
        ) from error


def _absent(value: Any) -> bool:
    return value is None or (isinstance(value, str | list | tuple | dict) and not value)


def _head(note: Note, wanted: Mapping[str, Any], ours: tuple[str, ...]) -> str:
    """Return the text of the front matter with only the names changed whose value differs."""
    head = note.head or ""
    if head and not head.endswith("\n"):
        head += "\n"
    merged = {name: value for name, value in note.fields.items() if name not in ours or name in wanted} | dict(wanted)
    if not note.block:
        return head if all(_same(merged.get(name), note.fields.get(name)) for name in ours) else _written_anew(merged)
    edits: list[tuple[int, int, str]] = []
    indent = _indent(note, head)
    for span in note.spans:
        if span.key not in ours or _same(note.fields[span.key], wanted.get(span.key)):
            continue
        start, end = _line_start(head, span.start), _value_end(head, span)
        if span.key in wanted:
            edits.append((span.start, end, f"{_name_of(head, span)}: {dump(wanted[span.key])}"))
        else:
            edits.append((start, _line_end(head, end), ""))
    present = {span.key for span in note.spans}
    missing = [name for name in ours if name in wanted and name not in present]
    edits += _insertions(note, head, indent, wanted, missing, ours)
    for start, end, text in sorted(edits, key=lambda edit: edit[:2], reverse=True):
        head = head[:start] + text + head[end:]
    return head if not edits or _reads_as(head, merged) else _written_anew(merged)


def _reads_as(head: str, values: Mapping[str, Any]) -> bool:
    """Make sure of an edit: an anchor that went with its value, say, would leave the rest unreadable."""
    try:
        found = (read_simple(head) or read(head)).values
    except YamlError:
        return False
    return all(_same(found.get(name), values.get(name)) for name in {*found, *values})


def _insertions(
    note: Note, head: str, indent: str, wanted: Mapping[str, Any], missing: list[str], ours: tuple[str, ...]
) -> list[tuple[int, int, str]]:
    """New names go behind the one of ours that precedes them, else to the top."""
    places = {span.key: _line_end(head, _value_end(head, span)) for span in note.spans if span.key in ours}
    found: dict[int, list[str]] = {}
    for name in missing:
        before = [each for each in ours[: ours.index(name)] if each in places]
        at = places[before[-1]] if before else 0
        found.setdefault(at, []).append(f"{indent}{name}: {dump(wanted[name])}\n")
    return [(at, at, "".join(lines)) for at, lines in found.items()]


def _written_anew(values: Mapping[str, Any]) -> str:
    """One name a line, without comments: for front matter in braces and what cannot be edited in place."""
    return "".join(f"{dump(name)}: {dump(value)}\n" for name, value in values.items())


def _same(one: Any, other: Any) -> bool:
    """Two values that mean the same to us: an absent one and an empty one, a number and its text are not told apart."""
    if _absent(one) and _absent(other):
        return True
    if isinstance(one, bool) is not isinstance(other, bool):
        return False
    return bool(one == other)


def _indent(note: Note, head: str) -> str:
    if not note.spans:
        return ""
    first = note.spans[0]
    before = head[_line_start(head, first.start) : first.start]
    return before if not before.strip() else ""


def _name_of(head: str, span: Span) -> str:
    """The name as it is written, quotes and blanks before the colon included."""
    written = head[span.start : span.value]
    return written[: written.rindex(":")] if ":" in written else written


def _line_start(head: str, at: int) -> int:
    return head.rfind("\n", 0, at) + 1


def _line_end(head: str, at: int) -> int:
    found = head.find("\n", at)
    return len(head) if found < 0 else found + 1


def _value_end(head: str, span: Span) -> int:
    """Where a value ends, without the comments and blank lines that the parser counts to it."""
    end = span.end
    while end > span.value and head[end - 1] == "\n":
        start = _line_start(head, end - 1)
        line = head[start:end].strip(" \t\n")
        if line and not head.startswith("#", start):
            break
        end = start
    if end > span.value and head[end - 1] == "\n":
        end -= 1
    return max(end, span.value)
