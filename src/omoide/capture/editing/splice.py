"""Children put into and taken out of JSON text, with nothing else in it changed."""

from __future__ import annotations

import json
from typing import Any, Final

from omoide.capture.editing.jsonc import Child, Node

INDENT: Final = "  "


def newline_of(text: str) -> str:
    """Return the line end that a text uses, the first one that it has."""
    position = text.find("\n")
    return "\r\n" if position > 0 and text[position - 1] == "\r" else "\n"


def rendered(value: Any, indent: str, unit: str, newline: str) -> str:
    """Return a value as JSON over several lines, the first one without its indentation; lists of scalars on one."""
    if not _spread(value):
        return json.dumps(value, ensure_ascii=False)
    inner = indent + unit
    opening, closing = ("{", "}") if isinstance(value, dict) else ("[", "]")
    labels = [f"{json.dumps(key, ensure_ascii=False)}: " for key in value] if isinstance(value, dict) else None
    parts = value.values() if isinstance(value, dict) else value
    lines = [rendered(part, inner, unit, newline) for part in parts]
    if labels is not None:
        lines = [label + line for label, line in zip(labels, lines, strict=True)]
    body = f",{newline}{inner}".join(lines)
    return f"{opening}{newline}{inner}{body}{newline}{indent}{closing}"


def _spread(value: Any) -> bool:
    if isinstance(value, list):
        return any(isinstance(part, list | dict) for part in value)
    return isinstance(value, dict) and bool(value)


def inserted(text: str, node: Node, key: str | None, value: Any) -> str:
    """Return the text with one more child at the end of a container, in the manner of those that are there."""
    label = "" if key is None else f"{json.dumps(key, ensure_ascii=False)}: "
    if node.children and "\n" not in text[node.start : node.end]:
        return _beside(text, node, label + json.dumps(value, ensure_ascii=False))
    newline, base = newline_of(text), indent_at(text, node.start)
    unit = _unit(text, node, base)
    indent = indent_at(text, node.children[0].start) if _leads(text, node) else base + unit
    child = label + rendered(value, indent, unit, newline)
    if not node.children:
        return _only(text, node, f"{newline}{indent}{child}", f"{newline}{base}")
    return _below(text, node, f"{newline}{indent}{child}")


def _beside(text: str, node: Node, child: str) -> str:
    """On one line, like the others."""
    last = node.children[-1]
    if last.comma is None:
        return f"{text[: last.node.end]}, {child}{text[last.node.end :]}"
    return f"{text[: last.comma + 1]} {child},{text[last.comma + 1 :]}"


def _only(text: str, node: Node, child: str, closing: str) -> str:
    """The first child; comments in the container stay above it."""
    inside = text[node.start + 1 : node.end - 1]
    kept = inside.rstrip()
    tail = closing if "\n" not in inside[len(kept) :] else inside[len(kept) :]
    return f"{text[: node.start + 1]}{kept}{child}{tail}{text[node.end - 1 :]}"


def _below(text: str, node: Node, child: str) -> str:
    """On lines of its own, below the last child and what is said behind that."""
    last = node.children[-1]
    anchor = last.node.end if last.comma is None else last.comma + 1
    comma = "," if last.comma is None else ""
    remarks = text[anchor : node.end - 1].rstrip()
    tail = text[anchor + len(remarks) :]
    return f"{text[:anchor]}{comma}{remarks}{child}{'' if comma else ','}{tail}"


def removed(text: str, node: Node, index: int) -> str:
    """Return the text without one child of a container."""
    child = node.children[index]
    end = child.node.end if child.comma is None else child.comma + 1
    start = child.start
    if len(node.children) == 1:
        return _emptied(text, node, start, end)
    if child.comma is None:  # the last one: the comma before it goes too
        comma = node.children[index - 1].comma
        assert comma is not None
        return text[:comma] + _cut(text[comma + 1 : start], "") + text[end:]
    left = _line_start(text, start)
    if left is not None and text[end:].lstrip(" \t")[:1] in ("\n", "\r"):
        return text[: _before_newline(text, left)] + text[end:].lstrip(" \t")
    return text[:start] + text[end:].lstrip(" \t")


def _cut(between: str, rest: str) -> str:
    """Keep the remarks between a comma and a child that goes, without the line that the child was on."""
    return between.rstrip() + rest


def _emptied(text: str, node: Node, start: int, end: int) -> str:
    before, after = text[node.start + 1 : start], text[end : node.end - 1]
    if before.strip() or after.strip():
        return text[: node.start + 1] + before.rstrip() + after + text[node.end - 1 :]
    return text[: node.start + 1] + text[node.end - 1 :]


def replaced(text: str, child: Child, value: Any) -> str:
    """Return the text with another value of a child."""
    base = indent_at(text, child.start)
    shown = (
        rendered(value, base, INDENT if "\t" not in base else "\t", newline_of(text))
        if "\n" in text[child.node.start : child.node.end]
        else json.dumps(value, ensure_ascii=False)
    )
    return text[: child.node.start] + shown + text[child.node.end :]


def indent_at(text: str, offset: int) -> str:
    """Return the white space that the line of an offset begins with."""
    start = text.rfind("\n", 0, offset) + 1
    line = text[start:offset]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _leads(text: str, node: Node) -> bool:
    return bool(node.children) and _line_start(text, node.children[0].start) is not None


def _line_start(text: str, offset: int) -> int | None:
    """Return where the line of an offset starts when nothing stands before it."""
    start = text.rfind("\n", 0, offset) + 1
    return start if not text[start:offset].strip(" \t") else None


def _before_newline(text: str, line_start: int) -> int:
    if text[:line_start].endswith("\r\n"):
        return line_start - 2
    return max(line_start - 1, 0)


def _unit(text: str, node: Node, base: str) -> str:
    """Return one step of indentation: of this container, else of the file's first indented line."""
    if _leads(text, node):
        own = indent_at(text, node.children[0].start)
        if own.startswith(base) and len(own) > len(base):
            return own[len(base) :]
    for line in text.split("\n"):
        stripped = line.lstrip(" \t")
        if stripped.startswith('"') and stripped != line:
            return line[: len(line) - len(stripped)]
    return INDENT
