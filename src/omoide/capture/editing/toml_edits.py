"""Edits of TOML files: tables of ours at the end, below a mark."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable
from typing import Any, Final

from omoide.capture.editing.edits import Edit, Prunable, is_ours, merged
from omoide.capture.editing.splice import newline_of
from omoide.errors import ConfigurationError

MARK: Final = "# omoide: see `omoide uninstall`"
_PART: Final = re.compile(rf"(?:\r?\n)?^{re.escape(MARK)}\r?\n\[[^\n]*\n(?:[^\[#\r\n][^\n]*(?:\n|\Z))*", re.MULTILINE)
"""From the mark to the last key of the table below it. No mark at its end: hosts add tables of theirs there."""


def data_of(text: str) -> Any:
    """Return what a file says.

    Raises:
        ConfigurationError: it is not TOML; the message has line and column.
    """
    try:
        return tomllib.loads(text.replace("\r\n", "\n"))
    except tomllib.TOMLDecodeError as error:
        raise ConfigurationError(_reason(error), value=text[:40]) from error


def _reason(error: tomllib.TOMLDecodeError) -> str:
    match = re.search(r"\(at line (\d+), column (\d+)\)", str(error))
    if match is None:
        return str(error)
    return f"line {match[1]}, column {match[2]}: {str(error)[: match.start()].strip()}"


def apply(text: str, edits: Iterable[Edit]) -> str:
    """Return the text with the tables of the edits at its end.

    Raises:
        ConfigurationError: it does not parse, or something of others stands where ours would go.
    """
    import tomlkit

    wanted = list(edits)
    rest = strip(text, wanted)
    before = data_of(rest)
    _refuse_others(before, wanted)
    newline = newline_of(text)
    ours = tomlkit.dumps(merged({}, wanted)).strip("\n").replace("\n", newline)
    gap = "" if not rest or rest.endswith("\n") else newline
    gap += newline if rest.strip() else ""
    after = f"{rest}{gap}{MARK}{newline}{ours}{newline}"
    if _said(after) != merged(before, wanted):
        names = ", ".join(sorted({".".join(edit.path) for edit in wanted}))
        raise ConfigurationError(f"{names}: a table of this name is written in a way that cannot be added to")
    return after


def _said(text: str) -> Any:
    try:
        return data_of(text)
    except ConfigurationError:
        return None


def _refuse_others(data: Any, edits: Iterable[Edit]) -> None:
    for edit in edits:
        found = data
        for key in edit.path:
            found = found.get(key) if isinstance(found, dict) else None
        if edit.op == "set" and found is not None:
            name = ".".join(edit.path)
            raise ConfigurationError(f"{name} is there and is not omoide's", value=name)


def strip(text: str, edits: Iterable[Edit], _prunable: Prunable = lambda _path: True) -> str:
    """Return the text without our part, or without the tables that start omoide where its marks are gone.

    Raises:
        ConfigurationError: it does not parse.
    """
    for edit in edits:
        before = data_of(text)
        if edit.op == "set" and is_ours(_at(before, edit.path)):
            rest = _PART.sub("", text)
            text = rest if _said(rest) == _lacking(before, edit.path) else _without_table(text, edit.path)
    return text


def _lacking(data: Any, path: tuple[str, ...]) -> Any:
    """Return data without a member, and without the tables that were made for it alone."""
    kept = {key: value for key, value in data.items() if key != path[0]}
    inner = _lacking(data[path[0]], path[1:]) if len(path) > 1 else None
    return {**data, path[0]: inner} if inner else kept


def _at(data: Any, path: tuple[str, ...]) -> Any:
    for key in path:
        data = data.get(key) if isinstance(data, dict) else None
    return data


def _without_table(text: str, path: tuple[str, ...]) -> str:
    """A table written by the host's own command, or by an omoide whose marks somebody took away."""
    import tomlkit

    document = tomlkit.parse(text)
    parent: Any = document
    for key in path[:-1]:
        parent = parent[key]
    del parent[path[-1]]
    return tomlkit.dumps(document)
