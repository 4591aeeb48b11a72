"""A store, a clock that stands still, ways to open more handles and to start another process."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from omoide import Memory
from omoide.testing import FakeClock

Opener = Callable[..., Memory]


@pytest.fixture
def clock() -> FakeClock:
    """Noon of 1 June 2026, until a test moves it."""
    return FakeClock(start="2026-06-01T12:00:00Z")


ON_BOTH = frozenset({"01", "02", "03", "05", "09", "10", "11", "12"})
"""Promises whose tests run on a file and on a vault; the others say in their tests what store they are about."""


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run the tests of some promises once for each kind of store."""
    number = metafunc.module.__name__.rpartition("promise_")[2][:2]
    if "path" in metafunc.fixturenames:
        metafunc.parametrize("path", ["file", "vault"] if number in ON_BOTH else ["file"], indirect=True)


@pytest.fixture
def path(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    """Where the store will be: a file, or an empty folder, which becomes a vault."""
    if request.param != "vault":
        return tmp_path / "agents.db"
    (tmp_path / "notes").mkdir()
    return tmp_path / "notes"


def database(path: Path) -> Path:
    """Return the database of a store, which is the store itself unless that is a vault."""
    return path / ".index" / "omoide.db" if path.is_dir() else path


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
def python(path: Path) -> Callable[[str], str]:
    """Run a program in another process with the store's path as its argument; return what it printed."""

    def run(program: str) -> str:
        done = subprocess.run(
            [sys.executable, "-c", program, str(path)],
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=100,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run
