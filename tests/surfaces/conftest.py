"""Fixtures for the doors."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.surfaces.command_line import CommandLine

PERSONAL = (
    "OMOIDE_NAMESPACE", "OMOIDE_PROJECT", "OMOIDE_EMBEDDER", "OMOIDE_ACTOR", "OMOIDE_BUSY_TIMEOUT", "LC_ALL", "LANG",
    "NO_COLOR",
)  # fmt: skip


@pytest.fixture
def cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> CommandLine:
    """A command line that knows nothing of the person who runs the tests, in a folder of no project."""
    for name in PERSONAL:
        monkeypatch.delenv(name, raising=False)
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)
    monkeypatch.setenv("OMOIDE_LANG", "en")
    monkeypatch.setenv("OMOIDE_STORE", str(tmp_path / "agents.db"))
    monkeypatch.setenv("OMOIDE_CONFIG", str(tmp_path / "config.toml"))
    return CommandLine(tmp_path, monkeypatch, capsys)
