"""Code by its syntax tree: definitions with the comments above them, cut further at what they contain."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

from omoide.text.chunking.languages import FUNCTIONS, LANGUAGES, LEADS, Language
from omoide.text.chunking.outline import MAX_DEPTH, MAX_LABEL, Unit, flatten
from omoide.text.chunking.pieces import Section
from omoide.text.chunking.prose import split_lines
from omoide.text.chunking.room import Room, Splitter

if TYPE_CHECKING:
    from tree_sitter import Node, Tree

MAX_BYTES = 8_000_000
"""Larger sources are cut at blank lines: nobody wrote them by hand."""

MAX_OPEN = 200
"""Angle brackets that may be open at once: the time of a parse can grow with their square, unseen by its limit."""

SECONDS, BYTES_A_SECOND = 1.0, 500_000
"""Processor time that a parse may take: so much, and a second more for so many bytes."""

_STATEMENT_ENDS = re.compile(r"[;{}]")


@cache
def splitter_for(name: str) -> Splitter:
    """Return the splitter of a language; without its grammar it cuts at blank lines."""

    def split(text: str, room: Room) -> list[Section]:
        root = outline(text, name)
        return flatten(text, root, room, apart=1) if root else split_lines(text, room)

    return split


def has_grammar(name: str) -> bool:
    """Whether the parser and the grammar of a language are installed (``omoide[code]``)."""
    return _parser(name) is not None


def opens_too_much(text: str) -> bool:
    """Whether a statement opens more angle brackets than any that somebody wrote."""
    statements = _STATEMENT_ENDS.split(text)
    return any(one.count("<") - one.count(">") > MAX_OPEN for one in statements if len(one) > MAX_OPEN)


def outline(text: str, name: str) -> Unit | None:
    """Return the tree of definitions of a source, None without a grammar or for a text that takes too long to parse."""
    parser = _parser(name)
    data = text.encode("utf-8", "replace")
    if parser is None or len(data) > MAX_BYTES or opens_too_much(text):
        return None
    tree = _parse(parser, data)
    if tree is None:
        return None
    root = Unit(0, len(data), "")
    root.children = list(_children(tree.root_node, LANGUAGES[name], data, 0))
    _to_characters(text, data, root)
    return root


@cache
def _parser(name: str) -> Any:
    """Return what makes parsers of a language, None where the extra is not installed."""
    language = LANGUAGES[name]
    try:
        tree_sitter = import_module("tree_sitter")
        grammar = import_module(language.module)
    except ImportError:
        return None
    return tree_sitter.Language(getattr(grammar, language.entry)())


def _parse(language: Any, data: bytes) -> Tree | None:
    parser = import_module("tree_sitter").Parser(language)
    until = time.thread_time() + SECONDS + len(data) / BYTES_A_SECOND

    def late(*_: object) -> bool:
        return time.thread_time() > until

    def read(offset: int, _point: object) -> bytes:
        return data[offset : offset + 65_536]

    try:
        tree: Tree | None = parser.parse(read, progress_callback=late)
    except ValueError:  # its word for a parse that was stopped
        return None
    return tree


def _children(node: Node, language: Language, data: bytes, depth: int) -> Iterator[Unit]:
    """Yield the definitions in a node that is a body, those in bodies inside it included."""
    lead: Node | None = None
    last: Node | None = None
    for child in node.children:
        if child.type in LEADS:
            lead = child if lead is None or last is None or _apart(data, last, child) else lead
            last = child
            continue
        if lead is not None and last is not None and _apart(data, last, child):
            lead = None
        yield from _definition(child, lead, language, data, depth)
        lead = None


def _apart(data: bytes, first: Node, second: Node) -> bool:
    """Whether a blank line or a word stands between two nodes."""
    between = data[first.end_byte : second.start_byte]
    return between.count(b"\n") > 1 or bool(between.strip())


def _definition(node: Node, lead: Node | None, language: Language, data: bytes, depth: int) -> Iterator[Unit]:
    if depth >= MAX_DEPTH:
        return
    start = (lead or node).start_byte
    label = _label(node, language, data)
    if label:
        inside = [unit for body in _bodies(node, language) for unit in _children(body, language, data, depth + 1)]
        yield Unit(start, node.end_byte, label, inside)
    elif node.type in language.bodies:
        found = list(_children(node, language, data, depth + 1))
        if found and lead is not None:
            found[0].start = min(start, found[0].start)
        if len(found) == 1 and node.type in {"export_statement", "template_declaration"}:
            found[0].start, found[0].end = start, node.end_byte
        yield from found


def _bodies(node: Node, language: Language) -> Iterator[Node]:
    for child in node.children:
        if child.type in language.bodies:
            yield child
        elif child.type in {"variable_declarator", *FUNCTIONS} or (not child.is_named and child.type == "body"):
            yield from _bodies(child, language)


def _label(node: Node, language: Language, data: bytes) -> str:
    if node.type not in language.definitions:
        return ""
    word = language.definitions[node.type]
    name = _name(node, data)
    if not word and not _holds_function(node):
        return ""
    return f"{word} {name}".strip()[:MAX_LABEL] if name else ""


def _name(node: Node, data: bytes) -> str:
    if node.type == "impl_item":
        trait, of = node.child_by_field_name("trait"), node.child_by_field_name("type")
        return " for ".join(_words(part, data) for part in (trait, of) if part is not None)
    named = node.child_by_field_name("name")
    if named is None and node.type in {"type_declaration", "lexical_declaration", "variable_declaration"}:
        named = next((found for child in node.named_children if (found := child.child_by_field_name("name"))), None)
    if named is None:
        named = node.child_by_field_name("property") or _declared(node)
    receiver = _receiver(node, data)
    return f"{receiver}{_words(named, data)}" if named is not None else ""


def _receiver(node: Node, data: bytes) -> str:
    found = node.child_by_field_name("receiver")
    return f"{_words(found, data)} " if found is not None else ""


def _declared(node: Node) -> Node | None:
    """Return the name inside the declarators of C."""
    inner = node.child_by_field_name("declarator")
    for _ in range(MAX_DEPTH):
        if inner is None or inner.type.endswith("identifier") or inner.type in {"operator_name", "destructor_name"}:
            return inner
        inner = inner.child_by_field_name("declarator") or next(iter(inner.named_children), None)
    return None


def _holds_function(node: Node) -> bool:
    values = [node, *node.named_children]
    return any(
        (value := child.child_by_field_name("value")) is not None and value.type in FUNCTIONS for child in values
    )


def _words(node: Node, data: bytes) -> str:
    # The node's own `text` asks for the source piece by piece again.
    end = min(node.end_byte, node.start_byte + 4 * MAX_LABEL)
    return " ".join(data[node.start_byte : end].decode("utf-8", "replace").split())


def _to_characters(text: str, data: bytes, root: Unit) -> None:
    """Turn the byte offsets of a tree into character offsets, and widen every unit to whole lines."""
    places = sorted({place for unit in _every(root) for place in (unit.start, unit.end)})
    characters: dict[int, int] = {}
    at = count = 0
    for place in places:
        count += len(data[at:place].decode("utf-8", "replace")) if len(text) != len(data) else place - at
        characters[place] = count
        at = place
    for unit in _every(root):
        unit.start, unit.end = characters[unit.start], characters[unit.end]
    _widen(text, root)


def _every(root: Unit) -> Iterator[Unit]:
    stack = [root]
    while stack:
        unit = stack.pop()
        yield unit
        stack.extend(unit.children)


def _widen(text: str, parent: Unit) -> None:
    """Let units begin at the start of their line and end after it where nothing else stands there."""
    floor = parent.start
    for unit in parent.children:
        unit.start = max(floor, unit.start)
        line = text.rfind("\n", floor, unit.start) + 1 or floor
        if not text[line : unit.start].strip():
            unit.start = line
        end = text.find("\n", unit.end, parent.end)
        if end >= 0 and text[unit.end : end].strip() in {"", ";", ","}:
            unit.end = end + 1
        _widen(text, unit)
        floor = unit.end
