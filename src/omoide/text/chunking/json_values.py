"""JSON by its entries: a scanner without recursion that also accepts what is not quite JSON."""

from __future__ import annotations

import re

from omoide.text.chunking.outline import MAX_DEPTH, Unit, flatten
from omoide.text.chunking.pieces import Section
from omoide.text.chunking.prose import split_lines
from omoide.text.chunking.room import Room

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]|//[^\n]*|/\*.*?\*/', re.DOTALL)
_MAX_RUN = 100


def split_json(text: str, room: Room) -> list[Section]:
    """Return the entries as sections, small neighbours together; the heading is the path of keys to them."""
    root = outline_json(text, runs=True)
    return flatten(text, root, room, pack=True) if root else split_lines(text, room)


def split_entries(text: str, room: Room) -> list[Section]:
    """Return each entry of the outermost object or array as a section of its own."""
    root = outline_json(text)
    return flatten(text, root, room, apart=1) if root else split_lines(text, room)


class _Open:
    """An object or array whose end has not come yet."""

    __slots__ = ("count", "entry", "runs", "unit")

    def __init__(self, unit: Unit, start: int, *, runs: bool) -> None:
        self.unit = unit
        self.count = 0
        self.runs = runs
        self.entry = Unit(start, start, "")

    def key(self, name: str) -> None:
        if not self.entry.label:
            self.entry.label = name.strip('"')

    def finish(self, end: int, following: int) -> None:
        """Close the entry at ``end``, begin the next at ``following``."""
        self.entry.end = end
        if not self._extends_run(end) and end > self.entry.start:
            self.entry.label = self.entry.label or f"[{self.count}]"
            self.unit.children.append(self.entry)
        self.count += 1
        self.entry = Unit(following, following, "")

    def _extends_run(self, end: int) -> bool:
        """Take short values of an array into the unit before, so that a long list is no unit per number."""
        if not self.runs or self.entry.label or self.entry.children or not self.unit.children:
            return False
        before = self.unit.children[-1]
        if before.children or end - before.start > _MAX_RUN:
            return False
        before.end = end
        before.label = ""
        return True


def outline_json(text: str, *, runs: bool = False) -> Unit | None:
    """Return the tree of entries, None where the text is not one object or array from end to end.

    With ``runs``, short values that follow each other in an array are one unit without a name.
    """
    if text.lstrip("\ufeff \t\r\n")[:1] not in {"{", "["}:
        return None
    root = Unit(0, len(text), "")
    stack: list[_Open] = []
    too_deep = 0
    before = ""
    for match in _TOKEN.finditer(text):
        sign = match[0]
        if sign in "{[":
            too_deep += len(stack) >= MAX_DEPTH
            if not too_deep:
                stack.append(_Open(stack[-1].entry if stack else root, match.end(), runs=runs))
        elif sign in "}]":
            if too_deep:
                too_deep -= 1
            elif _closed(text, stack, match):
                return root if stack == [] and not text[match.end() :].strip() else None
        elif not too_deep and stack:
            _inside(stack[-1], sign, before, match.end())
        before = sign
    return None


def _closed(text: str, stack: list[_Open], match: re.Match[str]) -> bool:
    """Close the innermost container; return whether it was the outermost one, or one too many."""
    if not stack:
        return True
    last = stack.pop()
    if text[last.entry.start : match.start()].strip():
        last.finish(match.start(), match.end())
    return not stack


def _inside(container: _Open, sign: str, before: str, end: int) -> None:
    if sign == ":" and before[:1] == '"':
        container.key(before)
    elif sign == ",":
        container.finish(end, end)
