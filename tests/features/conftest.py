"""A store, a clock that stands still, and a way to open more handles; all closed at the end."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from omoide import Index, Memory
from omoide.testing import FakeClock

Opener = Callable[..., Memory]
IndexOpener = Callable[..., Index]


@pytest.fixture
def clock() -> FakeClock:
    """Noon of 1 June 2026, until a test moves it."""
    return FakeClock(start="2026-06-01T12:00:00Z")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where the store will be."""
    return tmp_path / "agents.db"


@pytest.fixture
def opened(path: Path, clock: FakeClock) -> Iterator[Opener]:
    """Open handles on the store: keyword search only and the fake clock, unless told otherwise."""
    handles: list[Memory] = []

    def open_one(namespace: str = "default", **options: Any) -> Memory:
        where = options.pop("path", path)
        settings: dict[str, Any] = {"clock": clock, "embedder": "none"} | options
        handles.append(Memory(where, namespace, **settings))
        return handles[-1]

    yield open_one
    for handle in handles:
        handle.close()


@pytest.fixture
def mem(opened: Opener) -> Memory:
    """One handle of an observing agent."""
    return opened()


@pytest.fixture
def person(opened: Opener) -> Memory:
    """One handle of a person, on the same store as ``mem``."""
    return opened(door_trust="stated")


@pytest.fixture
def indexed(path: Path, clock: FakeClock) -> Iterator[IndexOpener]:
    """Open indexes on the store: keyword search only and the fake clock, unless told otherwise."""
    handles: list[Index] = []

    def open_one(namespace: str = "default", **options: Any) -> Index:
        where = options.pop("path", path)
        settings: dict[str, Any] = {"clock": clock, "embedder": "none"} | options
        handles.append(Index(where, namespace=namespace, **settings))
        return handles[-1]

    yield open_one
    for handle in handles:
        handle.close()


@pytest.fixture
def idx(indexed: IndexOpener) -> Index:
    """One index, on the same store as ``mem``."""
    return indexed()


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    """An empty folder for files that are to be added."""
    folder = tmp_path / "docs"
    folder.mkdir()
    return folder
