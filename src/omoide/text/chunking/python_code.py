"""Python by its definitions: a scanner of strings, brackets and indentation that no syntax error stops."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from omoide.text.chunking.outline import Unit, flatten
from omoide.text.chunking.pieces import Section
from omoide.text.chunking.room import Room

_TOKEN = re.compile(
    r'(?P<string>"""(?:[^\\]|\\.)*?"""|\'\'\'(?:[^\\]|\\.)*?\'\'\'|"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\')'
    r"|(?P<comment>#[^\n]*)|(?P<open>[(\[{])|(?P<close>[)\]}])|(?P<end>\\\r?\n|\n)",
    re.DOTALL,
)
_DEFINITION = re.compile(r"([ \t]*)((?:async[ \t]+)?def|class)[ \t]+(\w+)")
_DECORATOR = re.compile(r"[ \t]*@[\w(]")
_COMMENT = re.compile(r"[ \t]*#")
_TAB = 8


class _Line(NamedTuple):
    start: int
    indent: int
    label: str


def split_python(text: str, room: Room) -> list[Section]:
    """Return the definitions as sections; a class that is too long is cut at its methods.

    Decorators and comments right above a definition belong to it.
    """
    return flatten(text, outline_python(text), room, apart=1)


def outline_python(text: str) -> Unit:
    """Return the tree of definitions of a Python source."""
    root = Unit(0, len(text), "")
    open_units: list[tuple[int, Unit]] = [(-1, root)]
    lead: int | None = None
    for line in _logical_lines(text):
        while line.indent <= open_units[-1][0]:
            open_units.pop()[1].end = line.start if lead is None else lead
        if line.label == "@":
            lead = line.start if lead is None else lead
        elif line.label and line.label != "#":
            start = line.start if lead is None else lead
            unit = Unit(start, len(text), line.label)
            open_units[-1][1].children.append(unit)
            open_units.append((line.indent, unit))
            lead = None
        else:
            lead = None
    return root


def _logical_lines(text: str) -> Iterator[_Line]:
    """Yield every line that begins a statement; label: its definition, "@" for decorator or comment, else empty."""
    for start in _line_starts(text):
        line = text[start : start + 400].split("\n", 1)[0]
        if not line.strip():
            continue
        definition = _DEFINITION.match(line)
        if definition:
            label = f"{' '.join(definition[2].split())} {definition[3]}"
        else:
            label = "@" if _DECORATOR.match(line) or _is_lead(text, start, line) else ""
        yield _Line(start, _indent(line), label)


def _is_lead(text: str, start: int, line: str) -> bool:
    """Whether a comment line stands right above something."""
    if not _COMMENT.match(line):
        return False
    end = text.find("\n", start)
    return end >= 0 and text[end + 1 : end + 2] not in {"", "\n", "\r"}


def _line_starts(text: str) -> Iterator[int]:
    depth = 0
    yield 0
    for token in _TOKEN.finditer(text):
        if token.lastgroup == "open":
            depth += 1
        elif token.lastgroup == "close":
            depth = max(0, depth - 1)
        elif token.lastgroup == "end" and not token[0].startswith("\\"):
            # A definition cannot stand inside brackets: an unclosed one ends here.
            if depth and _DEFINITION.match(text, token.end(), token.end() + 200):
                depth = 0
            if not depth:
                yield token.end()


def _indent(line: str) -> int:
    blanks = line[: len(line) - len(line.lstrip(" \t"))]
    return len(blanks.expandtabs(_TAB))
