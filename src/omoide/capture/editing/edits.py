"""What omoide writes into files of others, as data that is kept: to apply again, and to take out again."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, Literal, NamedTuple

Operation = Literal["set", "add", "default", "block", "file"]
Prunable = Callable[[tuple[str, ...]], bool]
"""Whether a container of a path was made by omoide, so that it may go when it is empty."""
_INVOCATION: Final = re.compile(r"\bomoide(?:\.exe)?[\"']?\s+(?:hook|mcp)\b")


class Edit(NamedTuple):
    """One change.

    ``set``: the member at ``path`` is ``value``. ``add``: the list at ``path`` has ``value`` at its end.
    ``default``: ``set`` where there is nothing yet. ``block``: a marked part of a text, ``path`` its name.
    ``file``: the whole file.
    """

    op: Operation
    path: tuple[str, ...]
    value: Any


def edit_of(kept: Iterable[Any]) -> Edit:
    """Return an edit as it was kept in JSON."""
    op, path, value = kept
    return Edit(op, tuple(path), value)


def is_ours(value: Any) -> bool:
    """Say whether a value starts omoide: written by an earlier set-up, whatever became of its record."""
    return _INVOCATION.search(" ".join(_texts(value))) is not None


def _texts(value: Any) -> Iterable[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for part in value.values():
            yield from _texts(part)
    elif isinstance(value, list | tuple):
        for part in value:
            yield from _texts(part)


def without_ours(item: Any) -> Any:
    """Return an item of a list of hooks without the handlers that start omoide, None when nothing is left."""
    if not is_ours(item):
        return item
    handlers = item.get("hooks") if isinstance(item, Mapping) else None
    if not isinstance(handlers, list):
        return None
    kept = [handler for handler in handlers if not is_ours(handler)]
    return {**item, "hooks": kept} if kept else None


def merged(data: Any, edits: Iterable[Edit]) -> Any:
    """Return what a value should be after edits: what a file is compared with before it is written."""
    result = data
    for edit in edits:
        result = _merged_one(result, edit.path, edit)
    return result


def _merged_one(data: Any, path: tuple[str, ...], edit: Edit) -> Any:
    if not path:
        if edit.op == "add":
            items = list(data or [])
            return items if edit.value in items else [*items, edit.value]
        return data if edit.op == "default" and data is not None else edit.value
    found = dict(data or {})
    found[path[0]] = _merged_one(found.get(path[0]), path[1:], edit)
    return found
