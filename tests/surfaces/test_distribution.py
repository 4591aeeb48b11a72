"""What the doors are shipped with: the entry for the MCP registry and the container file say what is so."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import omoide
from omoide.serve.cli.app import OWN, group
from omoide.serve.cli.names import COMMANDS
from omoide.serve.settings import SETTINGS

ROOT = Path(__file__).resolve().parents[2]
ENTRY: dict[str, Any] = json.loads((ROOT / "server.json").read_text(encoding="utf-8"))
CONTAINER = (ROOT / "Dockerfile").read_text(encoding="utf-8").splitlines()


def lines(instruction: str) -> list[str]:
    return [line.split(" ", 1)[1] for line in CONTAINER if line.startswith(f"{instruction} ")]


def test_the_registry_entry_is_of_this_version() -> None:
    versions = {ENTRY["version"], *(package["version"] for package in ENTRY["packages"])}
    assert versions == {omoide.__version__}
    assert len(ENTRY["description"]) <= 100


def test_the_registry_entry_starts_the_server_that_there_is() -> None:
    (package,) = ENTRY["packages"]
    first, *others = package["packageArguments"]
    assert first["value"] in (*COMMANDS, *OWN)
    help_text = CliRunner().invoke(group(), ["mcp", "--help"]).output
    assert all(argument["name"] in help_text for argument in others)
    known = {setting.variable for setting in SETTINGS}
    assert {variable["name"] for variable in package["environmentVariables"]} <= known


def test_the_readme_names_the_registry_entry() -> None:
    assert f"mcp-name: {ENTRY['name']}" in (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_container_runs_as_nobody_in_particular_with_its_store_on_a_volume() -> None:
    assert int(lines("USER")[-1]) > 0
    assert lines("VOLUME") == ["/data"]
    assert json.loads(lines("ENTRYPOINT")[0]) == ["omoide"]
    assert json.loads(lines("CMD")[0]) == ["mcp"]
    assert any("OMOIDE_STORE=/data/" in line for line in CONTAINER)


@pytest.mark.parametrize("line", [line for line in CONTAINER if line.startswith("#   docker run")])
def test_the_commands_for_the_container_are_commands(line: str) -> None:
    words = shlex.split(line.lstrip("# "))
    command = words[words.index("omoide", words.index("-v") + 2) + 1 :] or ["mcp"]
    assert command[0] in ("mcp", "http")
    help_text = CliRunner().invoke(group(), [command[0], "--help"]).output
    assert all(word in help_text for word in command if word.startswith("--"))
