"""Opening a store that is a file."""

from __future__ import annotations

import os
from pathlib import Path

from omoide.errors import ConfigurationError, StoreError
from omoide.ports import Clock
from omoide.store.sqlite.connection import BUSY_TIMEOUT, MEMORY_PATH
from omoide.store.sqlite.store import SqliteStore


def open_store(
    path: str | os.PathLike[str], *, clock: Clock | None = None, busy_timeout: float = BUSY_TIMEOUT,
    read_only: bool | None = None, durability: str = "FULL",
) -> SqliteStore:  # fmt: skip
    """Open the store at ``path``, making it and its parent folders when they are not there.

    Raises:
        ConfigurationError: a kind of store that this version does not have.
        StoreError: the file cannot be opened; see its subclasses.
    """
    check_durability(durability)
    if not isinstance(path, str | os.PathLike):
        raise ConfigurationError(f"path must be a text or a path, not {path!r}", value=path)
    name = os.fspath(path)
    if "://" in name:
        scheme = name.split("://", 1)[0]
        raise ConfigurationError(f"stores at {scheme}:// are not supported; use a file such as agents.db", value=name)
    if name != MEMORY_PATH:
        _check_file(name)
    return SqliteStore(name, clock=clock, busy_timeout=busy_timeout, read_only=read_only, durability=durability)


def check_durability(durability: str) -> None:
    """Refuse a word that SQLite does not know.

    Raises:
        ConfigurationError: it is none of FULL, EXTRA and NORMAL.
    """
    if durability not in ("FULL", "NORMAL", "EXTRA"):
        raise ConfigurationError(f"durability must be FULL, EXTRA or NORMAL, not {durability!r}", value=durability)


def _check_file(name: str) -> None:
    if not name.strip():
        raise ConfigurationError("the path of the store is blank; give a file such as agents.db", value=name)
    if "\0" in name:
        raise ConfigurationError(f"the path of the store holds a NUL, which no file name may: {name!r}", value=name)
    try:
        Path(name).parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(f"the folder of {name} cannot be made: {error}", value=name) from error
