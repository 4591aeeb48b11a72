"""The values of YAML front matter: read by the core schema of YAML 1.2, written on one line each."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

MOST: Final = 20_000
"""Values that one front matter may hold."""

_NULL: Final = frozenset(("", "~", "null", "Null", "NULL"))
_BOOL: Final = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}
_INT: Final = re.compile(r"[-+]?[0-9]{1,300}")
_FLOAT: Final = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]{1,3})?")
# What starts with a digit and is a text all the same: times and uids.
_TIME: Final = re.compile(
    r"\d{4}-\d\d-\d\d(?:T\d\d:\d\d:\d\d(?:\.\d{1,6})?Z)?|[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}"
)
# Without signs that mean something in YAML, so that what matches reads the same everywhere.
_PLAIN: Final = re.compile(r"[^\W\d_][\w./@+%()-]*(?: [\w./@+%()][\w./@+%()-]*)*")
# Other readers of YAML take these for truth values.
_WORDS: Final = frozenset(("y", "n", "yes", "no", "on", "off", "true", "false", "null", "nan", "inf"))
_UNPRINTABLE: Final = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")

_KEY: Final = re.compile(r"([a-z_]+):(?: (.*))?")
_ITEM: Final = re.compile(r'"(?:[^"\\\x00-\x1f]|\\["\\bfnrt]|\\u[0-9a-f]{4})*"|[^",\[\]{}]+')


class YamlError(ValueError):
    """Front matter that is not a mapping of plain values; ``line`` counts from 1 within it."""

    def __init__(self, message: str, line: int) -> None:
        super().__init__(message)
        self.line = line


@dataclass(frozen=True, slots=True)
class Span:
    """Where a key of the top level stands, in characters: from its name to the end of its value."""

    key: str
    start: int
    value: int
    end: int


@dataclass(frozen=True, slots=True)
class Mapped:
    """A mapping as read; ``block`` is False for one in braces."""

    values: dict[str, Any]
    spans: tuple[Span, ...]
    block: bool = True


def read_simple(text: str) -> Mapped | None:
    """Read lines of the forms that ``dump`` writes, None where there is anything else.

    Reads what ``read`` reads, without the YAML library.
    """
    values: dict[str, Any] = {}
    spans: list[Span] = []
    at = 0
    for line in text.splitlines(keepends=True):
        bare = line.rstrip("\r\n")
        found = _KEY.fullmatch(bare)
        if found is None or found[1] in values or len(line) - len(bare) > 2:
            return None
        known, value = _simple(found[2] or "")
        if not known:
            return None
        values[found[1]] = value
        start = at + (found.start(2) if found[2] else found.end(1) + 1)
        spans.append(Span(found[1], at, start, at + len(bare)))
        at += len(line)
    return Mapped(values, tuple(spans))


def read(text: str) -> Mapped:
    """Read front matter by the YAML library.

    Raises:
        YamlError: it is not YAML, not a mapping, or repeats a key.
    """
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        return _Builder(yaml, text).build(yaml.parse(text, Loader=loader))
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise YamlError(str(error.problem or error.context or "it is no YAML"), line) from error
    except yaml.YAMLError as error:
        raise YamlError(str(error).partition("\n")[0], 1) from error


def dump(value: Any) -> str:
    """Return a value on one line."""
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, list | tuple) and not any(isinstance(item, list | tuple | Mapping) for item in value):
        return f"[{', '.join(dump(item) for item in value)}]"
    return _UNPRINTABLE.sub(_escaped, json.dumps(value, ensure_ascii=False))


def _text(text: str) -> str:
    if _TIME.fullmatch(text) or (_PLAIN.fullmatch(text) and text.lower() not in _WORDS and len(text) < 500):
        return text
    return _UNPRINTABLE.sub(_escaped, json.dumps(text, ensure_ascii=False))


def _escaped(found: re.Match[str]) -> str:
    return f"\\u{ord(found.group()):04x}"


def _simple(text: str) -> tuple[bool, Any]:
    """Return whether the text of a value is simple, and the value."""
    if text[:1] == "{":
        return _json(text)
    if text[:1] != "[":
        return _simple_scalar(text)
    inner = text[1:-1]
    if text[-1] != "]" or "[" in inner or "]" in inner or "{" in inner:
        return _json(text)
    return _simple_list(inner)


def _simple_list(inner: str) -> tuple[bool, Any]:
    items: list[Any] = []
    at = 0
    while at < len(inner):
        found = _ITEM.match(inner, at)
        if found is None:
            return False, None
        known, value = _simple_scalar(found.group())
        if not known or not found.group():
            return False, None
        items.append(value)
        at = found.end()
        if at < len(inner):
            if inner[at : at + 2] != ", ":
                return False, None
            at += 2
    return True, items


def _simple_scalar(text: str) -> tuple[bool, Any]:
    if text[:1] == '"':
        return _json(text) if _ITEM.fullmatch(text) else (False, None)
    if _TIME.fullmatch(text) or (_PLAIN.fullmatch(text) and text.lower() not in _WORDS):
        return True, text
    if text in ("", "true", "false", "null") or (_FLOAT.fullmatch(text) and text[:1] != "+"):
        return True, plain_value(text)
    return False, None


def _json(text: str) -> tuple[bool, Any]:
    if _UNPRINTABLE.search(text):
        return False, None
    try:
        return True, json.loads(text)
    except (ValueError, RecursionError):
        return False, None


def plain_value(text: str) -> Any:
    """Return what an unquoted text stands for; a time stays a text."""
    if text in _NULL:
        return None
    if text in _BOOL:
        return _BOOL[text]
    if _INT.fullmatch(text):
        return int(text)
    return float(text) if _FLOAT.fullmatch(text) else text


class _Builder:
    """Values from the events of a parser, without recursion, so that no nesting exhausts the stack."""

    def __init__(self, yaml: Any, text: str) -> None:
        self._yaml, self._text = yaml, text
        self._stack: list[_Open] = []
        self._anchors: dict[str, Any] = {}
        self._root: Any = None
        self._block = True
        self._spans: list[Span] = []
        self._count = 0

    def build(self, events: Iterator[Any]) -> Mapped:
        """Return the one mapping that the events describe."""
        yaml = self._yaml
        for event in events:
            if isinstance(event, yaml.ScalarEvent):
                self._add(plain_value(event.value) if event.implicit[0] else event.value, event, event.end_mark.index)
            elif isinstance(event, yaml.MappingStartEvent | yaml.SequenceStartEvent):
                self._open(event)
            elif isinstance(event, yaml.CollectionEndEvent):
                closed = self._stack.pop()
                self._add(closed.value(), closed.event, event.end_mark.index)
            elif isinstance(event, yaml.AliasEvent):
                self._add(self._alias(event), event, event.end_mark.index)
        if self._root is None:
            return Mapped({}, ())
        if not isinstance(self._root, dict):
            raise YamlError("it is no list of names and values", 1)
        return Mapped(self._root, tuple(self._spans), self._block)

    def _open(self, event: Any) -> None:
        if not self._stack and isinstance(event, self._yaml.MappingStartEvent):
            self._block = not event.flow_style
        self._stack.append(_Open(event, isinstance(event, self._yaml.MappingStartEvent)))

    def _alias(self, event: Any) -> Any:
        """Only single values: a list of lists of aliases grows without bound when it is written out."""
        value = self._anchors.get(event.anchor, self)
        if not isinstance(value, str | int | float | bool | None):
            raise YamlError("an alias repeats a list or mapping; write it out", event.start_mark.line + 1)
        return value

    def _add(self, value: Any, event: Any, end: int) -> None:
        self._count += 1
        if self._count > MOST:
            raise YamlError(f"it holds more than {MOST} values", event.start_mark.line + 1)
        if getattr(event, "anchor", None) and not isinstance(event, self._yaml.AliasEvent):
            self._anchors[event.anchor] = value
        if not self._stack:
            self._root = value if value is not None else self._root
            return
        parent = self._stack[-1]
        parent.items.append(value)
        if len(self._stack) == 1 and parent.mapping:
            self._place(parent, event, end)

    def _place(self, parent: _Open, event: Any, end: int) -> None:
        if len(parent.items) % 2:
            key = _key_of(parent.items[-1])
            if any(span.key == key for span in self._spans):
                raise YamlError(f"{key!r} is given twice", event.start_mark.line + 1)
            self._spans.append(Span(key, event.start_mark.index, end, end))
            return
        last, start = self._spans[-1], event.start_mark.index
        if start == end:  # the parser places an absent value anywhere up to the next name
            start = end = self._text.index(":", last.value) + 1
        self._spans[-1] = Span(last.key, last.start, start, end)


class _Open:
    """A list or mapping whose items are still being read."""

    __slots__ = ("event", "items", "mapping")

    def __init__(self, event: Any, mapping: bool) -> None:
        self.event, self.mapping = event, mapping
        self.items: list[Any] = []

    def value(self) -> Any:
        """Return what it is now that it ends."""
        if not self.mapping:
            return self.items
        keys: Sequence[str] = [_key_of(key) for key in self.items[::2]]
        return dict(zip(keys, self.items[1::2], strict=True))


def _key_of(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
