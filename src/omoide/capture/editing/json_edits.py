"""Edits of JSON files: applied to a text, and taken out of it again."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from omoide.capture.editing import splice
from omoide.capture.editing.edits import Edit, Prunable, is_ours, without_ours
from omoide.capture.editing.jsonc import Document, Node, parse, place_of
from omoide.errors import ConfigurationError

EMPTY = "{}"


def apply(text: str, edits: Iterable[Edit]) -> str:
    """Return the text with the edits made; the same text when all of them stand there already.

    Raises:
        ConfigurationError: it does not parse, or something of others stands where ours would go.
    """
    if not text.strip():
        text = EMPTY + splice.newline_of(text)
    for edit in edits:
        text = _apply_one(parse(text), edit)
    return text


def _apply_one(document: Document, edit: Edit) -> str:
    text, node = document.text, document.root
    for depth, key in enumerate(edit.path):
        _expect(text, node, "object", edit.path[:depth])
        child = node.member(key)
        if child is None:
            return splice.inserted(text, node, key, _nested(edit, depth + 1))
        if depth == len(edit.path) - 1 and edit.op != "add":
            return text if edit.op == "default" else _set(text, child, edit)
        node = child.node
    _expect(text, node, "array", edit.path)
    if edit.value in node.data():
        return text
    return splice.inserted(text, node, None, edit.value)


def _nested(edit: Edit, depth: int) -> Any:
    value = [edit.value] if edit.op == "add" else edit.value
    for key in reversed(edit.path[depth:]):
        value = {key: value}
    return value


def _set(text: str, child: Any, edit: Edit) -> str:
    there = child.node.data()
    if there == edit.value:
        return text
    if not is_ours(there):
        line, column = place_of(text, child.start)
        name = ".".join(edit.path)
        raise ConfigurationError(f"line {line}, column {column}: {name} is there and is not omoide's", value=name)
    return splice.replaced(text, child, edit.value)


def _expect(text: str, node: Node, kind: str, path: tuple[str, ...]) -> None:
    if node.kind != kind:
        line, column = place_of(text, node.start)
        name = ".".join(path) or "the file"
        raise ConfigurationError(f"line {line}, column {column}: {name} should be an {kind}", value=name)


def strip(text: str, edits: Iterable[Edit], prunable: Prunable = lambda _path: True) -> str:
    """Return the text without what the edits wrote, and without the containers that are empty then.

    ``prunable``: whether a container of that path was made by us. What others wrote into it stays.

    Raises:
        ConfigurationError: it does not parse.
    """
    ordered = list(edits)
    for edit in reversed(ordered):
        if edit.op == "set":
            text = _drop_member(text, edit.path)
        elif edit.op == "add":
            text = _drop_items(text, edit.path, edit.value)
    for edit in ordered:
        if edit.op == "default":
            text = _drop_default(text, edit, prunable)
    for edit in reversed(ordered):
        text = _prune(text, edit.path if edit.op == "add" else edit.path[:-1], prunable)
    return text


def _node_at(root: Node, path: tuple[str, ...]) -> Node | None:
    node = root
    for key in path:
        child = node.member(key) if node.kind == "object" else None
        if child is None:
            return None
        node = child.node
    return node


def _index(node: Node, key: str) -> int:
    return max(index for index, child in enumerate(node.children) if child.key == key)


def _drop_member(text: str, path: tuple[str, ...]) -> str:
    parent = _node_at(parse(text).root, path[:-1])
    child = parent.member(path[-1]) if parent is not None else None
    if parent is None or child is None or not is_ours(child.node.data()):
        return text
    return splice.removed(text, parent, _index(parent, path[-1]))


def _drop_items(text: str, path: tuple[str, ...], value: Any) -> str:
    """Take out equal items, and handlers that start omoide out of items that hold others too."""
    while True:
        node = _node_at(parse(text).root, path)
        if node is None or node.kind != "array":
            return text
        for index, child in enumerate(node.children):
            item = child.node.data()
            kept = None if item == value else without_ours(item)
            if kept is None:
                text = splice.removed(text, node, index)
                break
            if kept != item:
                text = _drop_handlers(text, child.node)
                break
        else:
            return text


def _drop_handlers(text: str, item: Node) -> str:
    handlers = item.member("hooks")
    assert handlers is not None
    index = next(i for i, child in enumerate(handlers.node.children) if is_ours(child.node.data()))
    return splice.removed(text, handlers.node, index)


def _drop_default(text: str, edit: Edit, prunable: Prunable) -> str:
    """A default of ours goes when nothing but empty containers of ours is left beside it."""
    root = parse(text).root
    child = root.member(edit.path[0]) if root.kind == "object" else None
    if child is None or len(edit.path) != 1 or child.node.data() != edit.value or not prunable(edit.path):
        return text
    if any(_filled(other.node.data()) for other in root.children if other.key != edit.path[0]):
        return text
    return splice.removed(text, root, _index(root, edit.path[0]))


def _filled(value: Any) -> bool:
    if isinstance(value, dict):
        return any(_filled(part) for part in value.values())
    return bool(value != [])


def _prune(text: str, path: tuple[str, ...], prunable: Prunable) -> str:
    for length in range(len(path), 0, -1):
        root = parse(text).root
        parent, node = _node_at(root, path[: length - 1]), _node_at(root, path[:length])
        if parent is None or node is None or node.children or node.kind == "scalar" or not prunable(path[:length]):
            return text
        if "//" in text[node.start : node.end] or "/*" in text[node.start : node.end]:
            return text
        text = splice.removed(text, parent, _index(parent, path[length - 1]))
    return text


def data_of(text: str) -> Any:
    """Return what a file says, None for an empty one."""
    return parse(text).root.data() if text.strip() else None
