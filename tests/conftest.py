"""Fixtures for every test: a fresh store, a settable clock, a deterministic embedder, no network."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

settings.register_profile("omoide", deadline=None)
settings.load_profile("omoide")

LOCAL = ("127.", "::1", "localhost")


@pytest.fixture(scope="session", autouse=True)
def _isolated(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Tests neither reach beyond this machine nor touch the home folder of the person who runs them."""
    connect = socket.socket.connect

    def local_only(self: socket.socket, address: Any) -> None:
        if isinstance(address, tuple) and not str(address[0]).startswith(LOCAL):
            raise AssertionError(f"a test tried to reach {address}")
        connect(self, address)

    home = str(tmp_path_factory.mktemp("home"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(socket.socket, "connect", local_only)
        patch.setenv("HOME", home)
        patch.setenv("USERPROFILE", home)
        yield


@pytest.fixture
def db(tmp_path: Path) -> Path:
    """Return the path of a store that does not exist yet."""
    return tmp_path / "agents.db"


@pytest.fixture
def clock() -> Any:
    """Return a clock that stands at the start of 2026 until it is moved."""
    from omoide.testing import FakeClock

    return FakeClock()


@pytest.fixture
def embedder() -> Any:
    """Return a deterministic embedder without a model."""
    from omoide.testing import FakeEmbedder

    return FakeEmbedder()


@pytest.fixture
def mem(db: Path, clock: Any, embedder: Any) -> Iterator[Any]:
    """Return an open Memory in namespace ``assistant`` on a fresh store."""
    from omoide import Memory

    with Memory(db, namespace="assistant", clock=clock, embedder=embedder) as memory:
        yield memory
