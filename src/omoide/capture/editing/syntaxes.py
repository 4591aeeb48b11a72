"""One way of editing for each syntax: text and edits in, text out."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from types import ModuleType
from typing import Any, Final

from omoide.capture.editing.edits import Edit, Prunable, merged
from omoide.errors import ConfigurationError
from omoide.text import marked

STRUCTURED: Final = ("json", "jsonc", "toml", "yaml")
SIGNED: Final = "omoide"
"""A whole file of ours says who wrote it."""


def editor_of(syntax: str) -> ModuleType:
    """Return what edits a structured syntax."""
    from omoide.capture.editing import json_edits, toml_edits

    if syntax == "yaml":
        from omoide.capture.editing import yaml_edits

        return yaml_edits
    return toml_edits if syntax == "toml" else json_edits


def apply(syntax: str, text: str, edits: Iterable[Edit]) -> str:
    """Return the text with the edits made.

    Raises:
        ConfigurationError: it does not parse, or something of others stands where ours would go.
    """
    if syntax in STRUCTURED:
        made: str = editor_of(syntax).apply(text, edits)
        return made
    for edit in edits:
        if edit.op == "block":
            text = marked.with_part(text, edit.path[0], edit.value)
        else:
            if text.strip() and SIGNED not in text:
                raise ConfigurationError("a file of this name is there and is not omoide's")
            text = edit.value
    return text


def strip(syntax: str, text: str, edits: Iterable[Edit], base: str | None) -> str:
    """Return the text without what the edits wrote; ``base``: the text before them, None when it is not known."""
    if SIGNED not in text:
        return text
    if syntax in STRUCTURED:
        editor = editor_of(syntax)
        prunable: Prunable = partial(_absent, editor.data_of(base)) if base is not None else _always
        rest: str = editor.strip(text, edits, prunable)
        return rest
    for edit in edits:
        text = marked.without_part(text, edit.path[0]) if edit.op == "block" else _unless_edited(text, edit)
    return text


def holds(syntax: str, text: str, edits: Iterable[Edit]) -> bool:
    """Say whether everything that the edits write stands in a text.

    Raises:
        ConfigurationError: it does not parse.
    """
    if syntax in STRUCTURED:
        data = editor_of(syntax).data_of(text)
        return bool(merged(data, edits) == data)
    return all(
        marked.inside(text, edit.path[0]) == edit.value.strip("\n")
        if edit.op == "block"
        else text.replace("\r\n", "\n") == edit.value
        for edit in edits
    )


def value_at(syntax: str, text: str, path: Iterable[str]) -> Any:
    """Return what a structured text says at a path, None where it says nothing.

    Raises:
        ConfigurationError: it does not parse.
    """
    value = editor_of(syntax).data_of(text) if text.strip() else None
    for key in path:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def _unless_edited(text: str, edit: Edit) -> str:
    """A whole file of ours goes, one that somebody worked on stays."""
    return "" if text.replace("\r\n", "\n") == edit.value else text


def _always(_path: tuple[str, ...]) -> bool:
    return True


def _absent(data: Any, path: tuple[str, ...]) -> bool:
    for key in path:
        if not isinstance(data, dict) or key not in data:
            return True
        data = data[key]
    return False


def is_blank(syntax: str, text: str) -> bool:
    """Say whether a text says nothing, so that a file made for us may go."""
    if not text.strip():
        return True
    if syntax not in STRUCTURED:
        return False
    read: Callable[[str], Any] = editor_of(syntax).data_of
    return "//" not in text and "#" not in text and not read(text)
