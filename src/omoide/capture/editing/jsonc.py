"""JSON as people write it, with comments and commas too many, read into nodes that know where they stand."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from omoide.errors import ConfigurationError

Kind = Literal["object", "array", "scalar"]
DEEPEST: Final = 200
_TRIVIA: Final = re.compile(r"(?:[ \t\r\n]+|//[^\r\n]*|/\*.*?\*/)*", re.DOTALL)
_STRING: Final = re.compile(r'"(?:[^"\\\x00-\x1f]|\\.)*"')
_SCALAR: Final = re.compile(r"true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.])")


@dataclass(slots=True)
class Child:
    """One member or item: where it starts (at its key), its value, and the comma behind it."""

    start: int
    node: Node
    key: str | None = None
    comma: int | None = None


@dataclass(slots=True)
class Node:
    """A value between two offsets; ``value`` is what a scalar says."""

    kind: Kind
    start: int
    end: int = 0
    value: Any = None
    children: list[Child] = field(default_factory=list)

    def data(self) -> Any:
        """Return the plain value; of a key that stands twice the last."""
        if self.kind == "object":
            return {child.key: child.node.data() for child in self.children}
        if self.kind == "array":
            return [child.node.data() for child in self.children]
        return self.value

    def member(self, key: str) -> Child | None:
        """Return the member of an object that counts under a key."""
        return next((child for child in reversed(self.children) if child.key == key), None)

    @property
    def trailing(self) -> bool:
        """Whether a comma stands behind the last child."""
        return bool(self.children) and self.children[-1].comma is not None


@dataclass(frozen=True, slots=True)
class Document:
    """A text and its value; ``blemishes`` are what strict JSON does not allow: an offset and a word."""

    text: str
    root: Node
    blemishes: tuple[tuple[int, str], ...]


def place_of(text: str, offset: int) -> tuple[int, int]:
    """Return line and column of an offset, both from 1."""
    before = text[:offset]
    line = before.count("\n") + 1
    return line, offset - (before.rfind("\n") + 1) + 1


def parse(text: str) -> Document:
    """Return the document.

    Raises:
        ConfigurationError: it is not JSON, comments and trailing commas aside; the message has line and column.
    """
    reader = _Reader(text)
    root = reader.value(reader.skip(0), 0)
    end = reader.skip(root.end)
    if end != len(text):
        raise reader.wrong(end, "the file should end here")
    return Document(text, root, tuple(reader.blemishes))


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.blemishes: list[tuple[int, str]] = []

    def wrong(self, offset: int, what: str) -> ConfigurationError:
        line, column = place_of(self.text, offset)
        return ConfigurationError(f"line {line}, column {column}: {what}", value=self.text[offset : offset + 40])

    def skip(self, offset: int) -> int:
        """Return the offset behind white space and comments."""
        match = _TRIVIA.match(self.text, offset)
        assert match is not None
        if "/" in match[0]:
            self.blemishes.append((offset + match[0].index("/"), "comment"))
        if self.text.startswith("/*", match.end()):
            raise self.wrong(match.end(), "the comment does not end")
        return match.end()

    def value(self, offset: int, depth: int) -> Node:
        first = self.text[offset : offset + 1]
        if depth > DEEPEST:
            raise self.wrong(offset, f"nested deeper than {DEEPEST}")
        if first in ("{", "["):
            return self.container(offset, depth)
        if first == '"':
            string, end = self.string(offset)
            return Node("scalar", offset, end, string)
        match = _SCALAR.match(self.text, offset)
        if match is None:
            raise self.wrong(offset, "a value is wanted" if first else "the file ends where a value is wanted")
        return Node("scalar", offset, match.end(), json.loads(match[0]))

    def string(self, offset: int) -> tuple[str, int]:
        match = _STRING.match(self.text, offset)
        if match is None:
            raise self.wrong(offset, "a text in double quotes is wanted that ends on its line")
        try:
            said: str = json.loads(match[0])
        except ValueError as error:
            raise self.wrong(offset, "an escape in this text does not exist") from error
        return said, match.end()

    def container(self, offset: int, depth: int) -> Node:
        opening = self.text[offset]
        node = Node("object" if opening == "{" else "array", offset)
        closing = "}" if opening == "{" else "]"
        position = self.skip(offset + 1)
        while not self.text.startswith(closing, position):
            if node.children and node.children[-1].comma is None:
                raise self.wrong(position, f"a comma or {closing} is wanted")
            position = self.child(node, position, depth)
        if node.trailing:
            self.blemishes.append((node.children[-1].comma or 0, "trailing comma"))
        node.end = position + 1
        return node

    def child(self, node: Node, position: int, depth: int) -> int:
        """Read one child and the comma behind it; return the offset of what follows."""
        start, key = position, None
        if node.kind == "object":
            key, position = self.string(position)
            position = self.skip(position)
            if not self.text.startswith(":", position):
                raise self.wrong(position, "a colon is wanted")
            position = self.skip(position + 1)
        made = Child(start, self.value(position, depth + 1), key)
        node.children.append(made)
        position = self.skip(made.node.end)
        if self.text.startswith(",", position):
            made.comma = position
            position = self.skip(position + 1)
        return position
