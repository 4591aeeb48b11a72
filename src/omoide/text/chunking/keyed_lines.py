"""YAML and TOML by their keys: what stands at the left edge begins an entry, what is indented belongs to it."""

from __future__ import annotations

import re

from omoide.text.chunking.markdown import lines_of
from omoide.text.chunking.outline import MAX_DEPTH, Unit, flatten
from omoide.text.chunking.pieces import Section
from omoide.text.chunking.room import Room

_YAML_KEY = re.compile(r"""( *)(?:"([^"\n]{1,200})"|'([^'\n]{1,200})'|([^\s#"'\[\]{},:][^:#\n]{0,200}?))\s*:(?:\s|$)""")
_YAML_ITEM = re.compile(r"( *)-(?: |$)")
_BLOCK_TEXT = re.compile(r"[:-] *[|>][-+0-9]*\s*(?:#.*)?$")
_TABLE = re.compile(r"[ \t]*(\[\[?)([^\[\]\n]{1,200})\]\]?[ \t]*(?:#[^\n]*)?$")


def split_yaml(text: str, room: Room) -> list[Section]:
    """Return the entries as sections, short neighbours together; the heading is the path of keys."""
    return flatten(text, _outline_yaml(text), room, pack=True)


def split_toml(text: str, room: Room) -> list[Section]:
    """Return the tables as sections, short neighbours together; the heading is the name in brackets."""
    root = Unit(0, len(text), "")
    quote = ""
    for start, line, _ in lines_of(text):
        table = None if quote else _TABLE.match(line)
        if table:
            _begin(root, start, table[2].strip(), len(text))
        quote = _open_quote(line, quote)
    return flatten(text, root, room, pack=True)


def _begin(root: Unit, start: int, label: str, end: int) -> None:
    if root.children:
        root.children[-1].end = start
    root.children.append(Unit(start, end, label))


def _open_quote(line: str, quote: str) -> str:
    """Return the multi-line quote that is open after a line of TOML."""
    for sign in ('"""', "'''"):
        if quote in {"", sign} and line.count(sign) % 2:
            return "" if quote else sign
    return quote


def _outline_yaml(text: str) -> Unit:
    root = Unit(0, len(text), "")
    stack: list[tuple[int, Unit]] = [(-1, root)]
    verbatim: int | None = None
    for start, line, _ in lines_of(text):
        if not line.strip():
            continue
        indent = len(line) - len(line.lstrip(" "))
        if verbatim is not None and indent > verbatim:
            continue
        verbatim = indent if _BLOCK_TEXT.search(line[-80:]) else None
        label = _yaml_label(line)
        if label is not None and len(stack) <= MAX_DEPTH:
            _enter(stack, indent, start, label, len(text))
    return root


def _enter(stack: list[tuple[int, Unit]], indent: int, start: int, label: str, end: int) -> None:
    while indent <= stack[-1][0]:
        stack.pop()[1].end = start
    unit = Unit(start, end, label)
    stack[-1][1].children.append(unit)
    stack.append((indent, unit))


def _yaml_label(line: str) -> str | None:
    """Return the key that a line begins with, empty for an item of a list, None for anything else."""
    if line.lstrip(" ")[:1] == "#":
        return None
    if _YAML_ITEM.match(line):
        return ""
    key = _YAML_KEY.match(line)
    return (key[2] or key[3] or key[4] or "").strip() if key else None
