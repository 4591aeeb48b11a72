"""The plugin for Claude Code says what ``omoide setup claude-code`` says."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from omoide import __version__
from omoide.capture import plugin
from omoide.capture.hosts.claude_code import HOST
from omoide.capture.hosts.known import host_named

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "plugin"


def test_its_files_are_those_that_are_made() -> None:
    """``python -m omoide.capture.plugin plugin`` makes them again."""
    for name, text in plugin.files(FOLDER).items():
        assert (FOLDER / name).read_text(encoding="utf-8") == text, name


def test_its_hooks_name_the_program_and_no_store() -> None:
    hooks = json.loads((FOLDER / "hooks/hooks.json").read_text(encoding="utf-8"))["hooks"]
    assert set(hooks) == set(HOST.installed)
    for event, groups in hooks.items():
        (handler,) = groups[0]["hooks"]
        assert (handler["command"], handler["args"]) == ("omoide", ["hook", "claude-code", event])


def test_its_version_is_that_of_the_package() -> None:
    manifest = json.loads((FOLDER / ".claude-plugin/plugin.json").read_text(encoding="utf-8"))
    assert manifest["version"] == __version__


def test_the_marketplace_of_the_repository_offers_it() -> None:
    offered = json.loads((ROOT / ".claude-plugin/marketplace.json").read_text(encoding="utf-8"))
    assert [entry["source"] for entry in offered["plugins"]] == ["./plugin"]


@pytest.mark.parametrize("folder", sorted((FOLDER / "skills").iterdir()), ids=lambda folder: folder.name)
def test_a_skill_is_named_after_its_folder_and_says_when_to_use_it(folder: Path) -> None:
    head = (folder / "SKILL.md").read_text(encoding="utf-8").split("---")[1]
    assert f"name: {folder.name}\n" in head
    assert "Use when" in head or "Use for" in head
    assert len(head) < 1100  # hosts cut what is longer


def test_written_again_it_is_the_same(tmp_path: Path) -> None:
    manifest = tmp_path / plugin.MANIFEST
    manifest.parent.mkdir()
    manifest.write_bytes((FOLDER / plugin.MANIFEST).read_bytes())
    plugin.write(tmp_path)
    made = {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*") if path.is_file()}
    assert made == set(plugin.files(FOLDER))


def test_an_alias_of_a_host_is_that_host() -> None:
    assert host_named("claude") is HOST
    assert host_named("emacs") is None
