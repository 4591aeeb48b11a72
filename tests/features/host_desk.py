"""A home folder, a project in it, and ``omoide`` run there."""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml
from tests.features.host_files import PROJECT, USER, lay, tree
from tests.surfaces.command_line import CommandLine

from omoide.capture.editing import json_edits

VARIABLES = ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "COPILOT_HOME", "HERMES_HOME", "OPENCODE_CONFIG_DIR")


class Desk:
    """A home folder, a project in it, and the command line run there."""

    def __init__(self, folder: Path, cli: CommandLine) -> None:
        self.home = folder / "home"
        self.project = self.home / "my work"
        self._cli = cli

    def root(self, scope: str) -> Path:
        return self.home if scope == "user" else self.project

    def lay(self, scope: str, host: str, **how: Any) -> dict[str, bytes]:
        lay(self.root(scope), (USER if scope == "user" else PROJECT).get(host, {}), **how)
        return self.tree()

    def tree(self) -> dict[str, bytes]:
        return tree(self.home)

    def __call__(self, *words: str, status: int = 0) -> Any:
        return self._cli.json(*words, status=status)

    def said(self, *words: str, status: int = 0) -> str:
        said = self._cli(*words, status=status)
        return said.out + said.err


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Desk:
    made = Desk(tmp_path, CommandLine(tmp_path, monkeypatch, capsys))
    (made.project / ".git").mkdir(parents=True)
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
    for name, value in {
        "HOME": made.home, "USERPROFILE": made.home, "XDG_CONFIG_HOME": made.home / ".config",
        "XDG_DATA_HOME": made.home / ".local/share", "OMOIDE_CONFIG": tmp_path / "config.toml", "PATH": "",
        "OMOIDE_STORE": made.home / "mémoire d'Ada.db", "OMOIDE_LANG": "en",
    }.items():  # fmt: skip
        monkeypatch.setenv(name, str(value))
    monkeypatch.chdir(made.project)
    monkeypatch.setattr(sys, "platform", "linux")
    return made


def read(path: Path) -> Any:
    text = path.read_text(encoding="utf-8-sig")
    if path.suffix == ".toml":
        return tomllib.loads(text)
    return yaml.safe_load(text) if path.suffix == ".yaml" else json_edits.data_of(text)
