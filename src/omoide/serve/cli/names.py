"""What commands are called: their own names, those of the library and of other doors, and what people try instead."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Final

from omoide.model.catalog.operation import Operation
from omoide.model.catalog.table import TABLE

COMMANDS: Final[dict[str, str]] = {
    operation.doors.cli: operation.name for operation in TABLE.values() if operation.doors.cli is not None
}
"""Operations by the name of their command."""
HELP: Final = "help"
OLDER: Final = {"record": "remember", "correct": "update"}
"""Names that are taken and not told."""
VAGUE: Final = frozenset({"status"})
"""Names of methods that say too little without their face."""
MEANT: Final[Mapping[str, tuple[str, ...]]] = {
    "add-text": ("add", "remember"), "ask": ("recall", "search"), "delete": ("forget", "purge", "delete-document"),
    "edit": ("revise", "update"), "erase": ("purge",), "find": ("recall", "search"), "fsck": ("check", "verify"),
    "grep-history": ("history-grep",), "log": ("audit", "timeline"), "new": ("remember", "init"),
    "query": ("recall", "search"), "remove": ("forget", "purge", "delete-document"), "serve": ("mcp", "http"),
    "set": ("config",), "settings": ("config", "sleep-settings"), "show": ("get", "read"),
    "status": ("stats", "doctor", "history-status"), "store": ("remember", "save"), "verify-chain": ("verify",),
}  # fmt: skip
"""Words for which there is no command, and the commands that do it."""


def _plain(name: str) -> str:
    """Return a name as commands are written: ``import_`` and ``history_search`` are typed like that too."""
    return name.strip("_").replace("_", "-")


def _of_library() -> dict[str, str]:
    """Return the names that the table and the library have for a command, where they name one only."""
    named = [(_plain(name), each.doors.cli) for each in TABLE.values() if each.doors.cli for name in _names(each)]
    often = Counter(name for name, _ in named)
    return {name: command for name, command in named if often[name] == 1 and name not in COMMANDS and name not in VAGUE}


def _names(operation: Operation) -> set[str]:
    return {operation.name, operation.method or operation.name}


ALIASES: Final[Mapping[str, str]] = {**_of_library(), **OLDER}
"""Other names of commands, which are not listed but told in the help of theirs."""


def command_called(name: str) -> str:
    """Return the name of the command that another of its names means; an unknown one as it is."""
    plain = _plain(name)
    return ALIASES.get(plain, plain)


def also_called(command: str) -> list[str]:
    """Return the other names of a command, for its help."""
    return [name for name, meant in ALIASES.items() if meant == command and name not in OLDER]


def meant_by(name: str, own: Iterable[str]) -> list[str]:
    """Return the commands that may be meant by a name that is none."""
    from difflib import get_close_matches

    plain = _plain(name)
    if plain in MEANT:
        return list(MEANT[plain])
    near = get_close_matches(plain, [*COMMANDS, *own, *ALIASES], n=3, cutoff=0.7)
    return list(dict.fromkeys(ALIASES.get(each, each) for each in near))
