"""Edits of YAML files: lines put in and taken out at the places that a YAML parser names."""

from __future__ import annotations

import json
from collections.abc import Iterable
from types import ModuleType
from typing import Any, Final

from omoide.capture.editing.edits import Edit, Prunable, is_ours, merged
from omoide.capture.editing.splice import newline_of
from omoide.errors import ConfigurationError

STEP: Final = "  "


def _library() -> ModuleType:
    import yaml

    module: ModuleType = yaml
    return module


def data_of(text: str) -> Any:
    """Return what a file says.

    Raises:
        ConfigurationError: it is not YAML; the message has line and column.
    """
    return _parsed(text, _library().safe_load)


def _parsed(text: str, read: Any) -> Any:
    yaml = _library()
    try:
        return read(text)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        place = f"line {mark.line + 1}, column {mark.column + 1}: " if mark else ""
        raise ConfigurationError(f"{place}{getattr(error, 'problem', None) or error}", value=text[:40]) from error


def apply(text: str, edits: Iterable[Edit]) -> str:
    """Return the text with the edits made.

    Raises:
        ConfigurationError: it does not parse, or something of others stands where ours would go.
    """
    wanted = list(edits)
    rest = strip(text, wanted)
    before = data_of(rest)
    result = rest
    for edit in wanted:
        result = _apply_one(result, edit)
    if data_of(result) != merged(before, wanted):
        names = ", ".join(sorted({".".join(edit.path) for edit in wanted}))
        raise ConfigurationError(f"{names}: this part is written in a way that cannot be added to")
    return result


def _root(text: str) -> Any:
    return _parsed(text, lambda said: _library().compose(said, Loader=_library().SafeLoader))


def _pair(node: Any, key: str) -> Any:
    """Return key node and value node of a member, None where there is none."""
    if node is None or node.id != "mapping":
        return None
    return next((pair for pair in node.value if pair[0].value == key), None)


def _apply_one(text: str, edit: Edit) -> str:
    node, newline = _root(text), newline_of(text)
    for depth, key in enumerate(edit.path):
        if node is not None and node.id != "mapping":
            raise _misshapen(node, edit.path[:depth], "a mapping")
        pair = _pair(node, key)
        if pair is None or _is_empty(pair[1]):
            return _put(text, node, pair, _nested(edit, depth), newline)
        if depth == len(edit.path) - 1 and edit.op != "add":
            if edit.op == "default":
                return text
            raise ConfigurationError(f"line {pair[0].start_mark.line + 1}: {'.'.join(edit.path)} is not omoide's")
        node = pair[1]
    if node.id != "sequence":
        raise _misshapen(node, edit.path, "a sequence")
    return _put_item(text, node, edit.value, newline)


def _misshapen(node: Any, path: tuple[str, ...], kind: str) -> ConfigurationError:
    mark, name = node.start_mark, ".".join(path) or "the file"
    return ConfigurationError(f"line {mark.line + 1}, column {mark.column + 1}: {name} should be {kind}", value=name)


def _is_empty(node: Any) -> bool:
    return node.tag == "tag:yaml.org,2002:null" or (node.id in ("mapping", "sequence") and not node.value)


def _nested(edit: Edit, depth: int) -> dict[str, Any]:
    value = [edit.value] if edit.op == "add" else edit.value
    for key in reversed(edit.path[depth:]):
        value = {key: value}
    assert isinstance(value, dict)
    return value


def _put(text: str, node: Any, empty: Any, member: dict[str, Any], newline: str) -> str:
    """Put a member into a mapping; ``empty``: the key is there with nothing, null, {} or [] behind it."""
    if empty is not None:
        key, value = empty
        (inner,) = member.values()
        if node.flow_style:
            said = json.dumps(inner, ensure_ascii=False)
            return f"{text[: key.end_mark.index]}: {said}{text[value.end_mark.index :]}"
        indent = " " * key.start_mark.column + STEP
        start, end = key.end_mark.index, value.end_mark.index
        shown = text[value.start_mark.index : end]
        colon = text.index(":", start) + 1
        lines = newline + _block(inner, indent, newline)
        return text[:colon] + lines + (text[end:] if shown else text[colon:])
    if node is not None and node.flow_style:
        return _into_flow(text, node, json.dumps(member, ensure_ascii=False)[1:-1])
    indent = " " * (node.start_mark.column if node is not None else 0)
    return _after(text, _last_line(text, node), _block(member, indent, newline), newline)


def _put_item(text: str, node: Any, value: Any, newline: str) -> str:
    if node.flow_style:
        return _into_flow(text, node, json.dumps(value, ensure_ascii=False))
    indent = " " * node.start_mark.column
    return _after(text, _last_line(text, node), _block([value], indent, newline), newline)


def _into_flow(text: str, node: Any, shown: str) -> str:
    end = node.end_mark.index - 1
    comma = ", " if node.value and not text[:end].rstrip().endswith(",") else ""
    kept = len(text[:end].rstrip())
    return f"{text[:kept]}{comma}{shown}{text[kept:]}"


def _block(value: Any, indent: str, newline: str) -> str:
    """Return lines of a value; texts in double quotes, which need no rules about what they look like."""
    yaml = _library()

    class Quoted(str):
        __slots__ = ()

    class Dumper(yaml.SafeDumper):  # type: ignore[name-defined, misc]
        def increase_indent(self, flow: bool = False, indentless: bool = False) -> Any:
            return super().increase_indent(flow, False)

    Dumper.add_representer(Quoted, lambda dumper, said: dumper.represent_scalar("tag:yaml.org,2002:str", said, '"'))
    shown = yaml.dump(
        _quoted(value, Quoted), Dumper=Dumper, sort_keys=False, allow_unicode=True, width=100_000,
        default_flow_style=False,
    )  # fmt: skip
    return newline.join(f"{indent}{line}" for line in shown.rstrip("\n").split("\n"))


def _quoted(value: Any, kind: Any) -> Any:
    if isinstance(value, dict):
        return {key: _quoted(part, kind) for key, part in value.items()}
    if isinstance(value, list):
        return [_quoted(part, kind) for part in value]
    return kind(value) if isinstance(value, str) else value


def _last_line(text: str, node: Any) -> int:
    """Return the offset behind the last line of a block collection."""
    if node is None:
        return len(text.rstrip())
    last = node
    while last.id in ("mapping", "sequence") and last.value and not last.flow_style:
        last = last.value[-1][1] if last.id == "mapping" else last.value[-1]
    end = last.end_mark.index
    if getattr(last, "style", None) in ("|", ">"):
        return len(text[:end].rstrip("\r\n"))
    stop = text.find("\n", end)
    return len(text) if stop < 0 else stop - (1 if text[stop - 1] == "\r" else 0)


def _after(text: str, offset: int, lines: str, newline: str) -> str:
    before, rest = text[:offset], text[offset:]
    gap = newline if before.strip() else ""
    return f"{before}{gap}{lines}{rest or newline}"


def strip(text: str, edits: Iterable[Edit], prunable: Prunable = lambda _path: True) -> str:
    """Return the text without what the edits wrote, and without the containers that are empty then.

    ``prunable``: whether a container of that path was made by us.

    Raises:
        ConfigurationError: it does not parse, or ours cannot be taken out without touching the rest.
    """
    before, result = data_of(text), text
    for edit in reversed(list(edits)):
        result = _drop(result, edit, prunable)
    if result != text and _lean(data_of(result) or {}) != _lean(before or {}):
        raise ConfigurationError("our part cannot be taken out of this file by itself; take it out by hand")
    return result


def _lean(value: Any) -> Any:
    """Return a value without entries that start omoide, and without what is empty then."""
    if isinstance(value, dict):
        kept = {key: _lean(part) for key, part in value.items() if not _entry(part)}
        return {key: part for key, part in kept.items() if part not in (None, {}, [])}
    return [_lean(part) for part in value if not _entry(part)] if isinstance(value, list) else value


def _entry(value: Any) -> bool:
    return isinstance(value, dict) and "command" in value and is_ours(value)


def _drop(text: str, edit: Edit, prunable: Prunable) -> str:
    chain = _chain(text, edit.path)
    if chain is None:
        return text
    value = chain[-1][1]
    if edit.op == "set":
        return _without(text, chain, edit.path, prunable) if is_ours(_said(text, value)) else text
    if edit.op == "add" and value.id == "sequence":
        for item in value.value:
            if is_ours(_said(text, item)):
                alone = len(value.value) == 1
                rest = _without(text, chain, edit.path, prunable) if alone else _without_item(text, value, item)
                return _drop(rest, edit, prunable)
    return text


def _chain(text: str, path: tuple[str, ...]) -> list[Any] | None:
    node, found = _root(text), []
    for key in path:
        pair = _pair(node, key)
        if pair is None:
            return None
        found.append(pair)
        node = pair[1]
    return found


def _said(text: str, node: Any) -> Any:
    yaml = _library()
    return yaml.SafeLoader(text).construct_document(node)


def _without(text: str, chain: list[Any], path: tuple[str, ...], prunable: Prunable) -> str:
    """Take a member out, and its parents that hold nothing else; a parent that was there before stays, empty."""
    depth = len(chain) - 1
    if not prunable(path):
        return _emptied(text, chain[depth])
    while depth > 0 and len(chain[depth - 1][1].value) == 1:
        if not prunable(path[:depth]):
            return _emptied(text, chain[depth - 1])
        depth -= 1
    key, value = chain[depth]
    parent = chain[depth - 1][1] if depth else _root(text)
    if parent.flow_style:
        return _out_of_flow(text, key.start_mark.index, value.end_mark.index)
    return _cut(text, key.start_mark.index, _last_line(text, value))


def _emptied(text: str, pair: Any) -> str:
    key, value = pair
    colon = text.index(":", key.end_mark.index) + 1
    end = value.end_mark.index if value.flow_style else _last_line(text, value)
    return text[:colon] + (" []" if value.id == "sequence" else " {}") + text[end:]


def _without_item(text: str, sequence: Any, item: Any) -> str:
    if sequence.flow_style:
        return _out_of_flow(text, item.start_mark.index, item.end_mark.index)
    return _cut(text, text.rindex("-", 0, item.start_mark.index), _last_line(text, item))


def _out_of_flow(text: str, start: int, end: int) -> str:
    before, after = text[:start].rstrip(), text[end:]
    if before.endswith(","):
        return before[:-1].rstrip() + after
    return text[:start] + after.lstrip().removeprefix(",").lstrip()


def _cut(text: str, start: int, end: int) -> str:
    """Cut whole lines."""
    first = text.rfind("\n", 0, start) + 1
    after = text[end:]
    after = after.removeprefix("\r\n") if after.startswith("\r\n") else after.removeprefix("\n")
    return text[:first] + after
