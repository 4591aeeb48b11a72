"""A store, a clock that stands still, and a way to open more handles; all closed at the end."""

from __future__ import annotations

import os
import shutil
import tarfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.features.hook_kit import Hooks
from tests.features.vault_kit import Vault

from omoide import Index, Memory
from omoide.testing import FakeClock

Opener = Callable[..., Memory]
IndexOpener = Callable[..., Index]

TRANSCRIPTS = Path(__file__).resolve().parents[3] / "shared" / "data" / "agent_transcripts" / "files.dev.tar.gz"


@pytest.fixture
def clock() -> FakeClock:
    """Noon of 1 June 2026, until a test moves it."""
    return FakeClock(start="2026-06-01T12:00:00Z")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run each test of a store on a file and on a vault, save those marked as being about the single file.

    OMOIDE_TEST_STORE names one of the two for all.
    """
    if "path" not in metafunc.fixturenames or not _is_ours(metafunc):
        return
    named = os.environ.get("OMOIDE_TEST_STORE")
    alone = metafunc.definition.get_closest_marker("file_only") is not None
    metafunc.parametrize("path", ["file"] if alone else [named] if named else ["file", "vault"], indirect=True)


def _is_ours(metafunc: pytest.Metafunc) -> bool:
    """A module may have a ``path`` of its own."""
    return getattr(metafunc.module, "path", None) is None


@pytest.fixture
def path(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    """Where the store will be: a file, or an empty folder, which becomes a vault."""
    if request.param != "vault":
        return tmp_path / "agents.db"
    (tmp_path / "store").mkdir()
    return tmp_path / "store"


def database(path: Path) -> Path:
    """Return the database of a store, which is the store itself unless that is a vault."""
    return path / ".index" / "omoide.db" if path.is_dir() else path


def copy_store(path: Path, to: Path) -> None:
    """Copy a closed store."""
    if path.is_dir():
        shutil.copytree(path, to)
    else:
        to.parent.mkdir(exist_ok=True)
        shutil.copy(path, to)


@pytest.fixture
def vault(tmp_path: Path, clock: FakeClock) -> Iterator[Vault]:
    """A vault of its own, with the fake clock and keyword search only."""
    made = Vault(tmp_path / "vault", clock)
    yield made
    made.close()


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


@pytest.fixture
def hooks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Hooks:
    """Hooks on a machine of their own: a home, a project of a git remote, no model, no worker but by hand."""
    made = Hooks(tmp_path, monkeypatch, capsys)
    for folder in (made.home / ".omoide", made.project / ".git"):
        folder.mkdir(parents=True)
    config = '[remote "origin"]\n\turl = git@example.com:acme/shop.git\n'
    (made.project / ".git" / "config").write_text(config, encoding="utf-8")
    for name in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(name, str(made.home))
    for name in [name for name in os.environ if name.startswith(("OMOIDE_", "CLAUDE_", "CODEX_", "XDG_"))]:
        monkeypatch.delenv(name)
    chosen = {"CONFIG": str(tmp_path / "config.toml"), "EMBEDDER": "none", "NO_WORKER": "1", "LANG": "en"}
    for name, value in chosen.items():
        monkeypatch.setenv(f"OMOIDE_{name}", value)
    return made


@pytest.fixture(scope="session")
def files(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Transcripts that hosts wrote, where the folder with them is."""
    if not TRANSCRIPTS.is_file():
        pytest.skip("the real transcripts are not here; the made ones say the same")
    folder = tmp_path_factory.mktemp("transcripts")
    with tarfile.open(TRANSCRIPTS) as archive:
        archive.extractall(folder, filter="data")
    return sorted(path for path in folder.rglob("*") if path.is_file() and path.stat().st_size)
