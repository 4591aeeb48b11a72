"""``omoide setup`` and ``omoide uninstall`` on configurations that people have."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from tests.features.host_desk import Desk, desk, read
from tests.features.host_files import CLAUDE_SETTINGS, PROJECT, USER, lay

from omoide.capture.editing import json_edits
from omoide.capture.hosts.known import NAMES, host_named

__all__ = ["desk"]  # the fixture
CASES = [("user", name) for name in USER] + [("project", name) for name in PROJECT]


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("scope,host", CASES)
def test_uninstall_brings_every_byte_back(desk: Desk, scope: str, host: str, newline: str) -> None:
    before = desk.lay(scope, host, newline=newline)
    desk("setup", host, "--scope", scope)
    assert desk.tree() != before
    desk("uninstall", host)
    assert desk.tree() == before


@pytest.mark.parametrize("scope,host", CASES)
def test_a_host_without_any_file_is_left_without_any(desk: Desk, scope: str, host: str) -> None:
    before = desk.tree()
    desk("setup", host, "--scope", scope)
    desk("uninstall", host)
    assert desk.tree() == before


@pytest.mark.parametrize("scope,host", CASES)
def test_a_second_set_up_changes_nothing(desk: Desk, scope: str, host: str) -> None:
    desk.lay(scope, host, newline="\r\n")
    desk("setup", host, "--scope", scope)
    once = desk.tree()
    (told,) = desk("setup", host, "--scope", scope)["hosts"]
    assert desk.tree() == once
    assert {file["state"] for file in told["files"]} == {"unchanged"}


@pytest.mark.parametrize("scope,host", CASES)
def test_line_ends_stay_as_they_were(desk: Desk, scope: str, host: str) -> None:
    known = desk.lay(scope, host, newline="\r\n")
    desk("setup", host, "--scope", scope)
    after = desk.tree()
    changed = [name for name in known if after[name] != known[name] and b"\n" in known[name]]
    assert all(after[name].count(b"\n") == after[name].count(b"\r\n") for name in changed)


@pytest.mark.parametrize("host", ["claude-code", "gemini", "claude-desktop"])
def test_a_byte_order_mark_stays(desk: Desk, host: str) -> None:
    before = desk.lay("user", host, mark="\ufeff")
    desk("setup", host)
    assert all(desk.tree()[name].startswith(b"\xef\xbb\xbf") for name, raw in before.items() if raw[:1] == b"\xef")
    desk("uninstall", host)
    assert desk.tree() == before


def ours(value: Any) -> int:
    return json.dumps(value).count("-m omoide hook") + json.dumps(value).count('"-m", "omoide", "hook"')


@pytest.mark.parametrize("host", USER)
def test_the_server_is_started_for_this_store_by_an_absolute_command(desk: Desk, host: str) -> None:
    desk.lay("user", host)
    desk("setup", host, "--only", "mcp")
    (path,) = [Path(file["path"]) for file in desk("setup", host, "--only", "mcp")["hosts"][0]["files"]]
    shape: Any = read(path)
    servers = shape.get("mcpServers") or shape.get("servers") or shape.get("mcp_servers") or shape["mcp"]
    entry = servers["omoide"]
    words = entry["command"] if isinstance(entry["command"], list) else [entry["command"], *entry["args"]]
    assert Path(words[0]).is_absolute()
    assert words[1:6] == ["-P", "-m", "omoide", "mcp", os.environ["OMOIDE_STORE"]]
    assert len(servers) == (1 if host == "windsurf" else 2)


@pytest.mark.parametrize("host,file", [("claude-code", ".claude/settings.json"), ("codex", ".codex/hooks.json")])
def test_hooks_of_others_stay_in_order_and_ours_come_once(desk: Desk, host: str, file: str) -> None:
    desk.lay("user", host)
    before = read(desk.home / file)["hooks"]
    desk("setup", host)
    desk("setup", host)
    after = read(desk.home / file)["hooks"]
    table = host_named(host)
    assert table is not None
    assert set(after) == {*before, *table.installed}
    for event, groups in after.items():
        assert groups[: len(before.get(event, []))] == before.get(event, [])
        assert ours(groups) == (event in table.installed)


def test_an_edit_made_since_stays_when_ours_is_taken_out(desk: Desk) -> None:
    desk.lay("user", "claude-code")
    desk("setup", "claude-code")
    settings = desk.home / ".claude/settings.json"
    edited = settings.read_text().replace('"model": "opus"', '"model": "haiku"').replace("date", "uptime")
    settings.write_text(edited)
    desk("uninstall", "claude-code")
    assert settings.read_text() == CLAUDE_SETTINGS.replace("opus", "haiku").replace("date", "uptime")


def test_a_server_that_the_host_adds_stays(desk: Desk) -> None:
    before = desk.lay("user", "codex")[".codex/config.toml"].decode()
    desk("setup", "codex")
    config = desk.home / ".codex/config.toml"
    added = '\n[projects."/new"]\ntrust_level = "trusted"\n'
    config.write_text(config.read_text() + added)
    desk("setup", "codex")
    assert read(config)["projects"]["/new"]
    desk("uninstall", "codex")
    assert config.read_text() == before + added


def test_a_group_that_also_holds_a_command_of_others_keeps_that(desk: Desk) -> None:
    desk("setup", "claude-code", "--only", "hooks")
    settings = desk.home / ".claude/settings.json"
    data = read(settings)
    data["hooks"]["Stop"][0]["hooks"].append({"type": "command", "command": "mine"})
    settings.write_text(json.dumps(data))
    desk("uninstall", "claude-code")
    assert read(settings) == {"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "mine"}]}]}}


def test_a_file_written_anew_by_the_host_loses_only_ours(desk: Desk) -> None:
    desk.lay("user", "claude-code")
    before = read(desk.home / ".claude.json")
    desk("setup", "claude-code", "--only", "mcp")
    state = desk.home / ".claude.json"
    state.write_text(json.dumps({**read(state), "numStartups": 413}))
    desk("uninstall", "claude-code")
    assert read(state) == {**before, "numStartups": 413}


BROKEN = {
    "claude-code": (".claude/settings.json", '{\n  "a": 1\n  "b": 2\n}\n', "line 3, column 3"),
    "codex": (".codex/config.toml", "a = 1\nb = = 2\n", "line 2, column 5"),
    "gemini": (".gemini/settings.json", '{ "a": [1, 2 }', "line 1, column 14"),
    "hermes": (".hermes/config.yaml", "a: 1\nb: [1, 2\nc: 3\n", "line 3, column 2"),
    "vscode": (".config/Code/User/mcp.json", "{ /* never ends", "line 1, column 3"),
    "claude-desktop": (".config/Claude/claude_desktop_config.json", "[]", "line 1, column 1"),
}


@pytest.mark.parametrize("host", BROKEN)
def test_a_file_that_does_not_parse_is_refused_with_its_place(desk: Desk, host: str) -> None:
    file, text, place = BROKEN[host]
    desk.lay("user", host)
    (desk.home / file).write_text(text)
    before = desk.tree()
    (told,) = desk("setup", host, status=1)["hosts"]
    assert place in told["error"]
    assert Path(file).name in told["error"]
    assert desk.tree() == before


def test_a_file_in_another_encoding_is_refused(desk: Desk) -> None:
    desk.lay("user", "claude-desktop")
    file = desk.home / ".config/Claude/claude_desktop_config.json"
    file.write_bytes('{\n "é": 1}'.encode("utf-16"))
    (told,) = desk("setup", "claude-desktop", status=1)["hosts"]
    assert "line 1: not UTF-8" in told["error"]


@pytest.mark.parametrize("host,file,text", [
    ("claude-desktop", ".config/Claude/claude_desktop_config.json", '{"mcpServers": {"omoide": {"command": "x"}}}'),
    ("codex", ".codex/config.toml", '[mcp_servers.omoide]\ncommand = "x"\n'),
    ("hermes", ".hermes/config.yaml", "mcp_servers:\n  omoide:\n    command: x\n"),
    ("opencode", ".config/opencode/plugins/omoide.js", "export const Mine = 1\n"),
])  # fmt: skip
def test_something_else_under_our_name_is_refused(desk: Desk, host: str, file: str, text: str) -> None:
    lay(desk.home, {file: text})
    before = desk.tree()
    (told,) = desk("setup", host, status=1)["hosts"]
    assert "not omoide's" in told["error"]
    assert desk.tree() == before


@pytest.mark.parametrize("host", USER)
def test_a_dry_run_shows_the_lines_and_writes_none(desk: Desk, host: str) -> None:
    before = desk.lay("user", host)
    (told,) = desk("setup", host, "--dry-run")["hosts"]
    assert desk.tree() == before
    assert not (desk.home / ".omoide").exists()
    assert all("+++ " in file["diff"] for file in told["files"])
    assert "omoide" in desk.said("setup", host, "--dry-run")


def test_parts_come_and_go_alone(desk: Desk) -> None:
    desk("setup", "claude-code", "--only", "hooks", "--only", "skills")
    assert not (desk.home / ".claude.json").exists()
    desk("setup", "claude-code", "--without", "skills", "--without", "instructions")
    assert (desk.home / ".claude.json").exists()
    desk("uninstall", "claude-code", "--only", "hooks")
    assert min(desk.tree()) == ".claude.json"
    assert not (desk.home / ".claude/settings.json").exists()
    assert (desk.home / ".claude/skills/omoide-recall/SKILL.md").exists()


def test_two_hosts_share_a_file_and_the_last_one_clears_it(desk: Desk) -> None:
    before = desk.lay("project", "cursor")
    desk("setup", "cursor", "codex", "--scope", "project", "--only", "instructions")
    shared = (desk.project / "AGENTS.md").read_text()
    assert shared.count("omoide:instructions:begin") == 1
    desk("uninstall", "cursor")
    assert (desk.project / "AGENTS.md").read_text() == shared
    desk("uninstall", "codex")
    assert desk.tree() == before


def test_all_means_what_is_found_here(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    desk.lay("user", "codex")
    programs = desk.home / "bin"
    programs.mkdir()
    (programs / "gemini").write_text("#!/bin/sh\n")
    (programs / "gemini").chmod(0o755)
    monkeypatch.setenv("PATH", str(programs))
    told = desk("setup", "--all")["hosts"]
    assert [each["host"] for each in told] == ["codex", "gemini"]
    assert [each["host"] for each in desk("uninstall", "--all")["hosts"]] == ["codex", "gemini"]


def test_one_host_that_is_refused_does_not_stop_the_others(desk: Desk) -> None:
    desk.lay("user", "codex")
    desk.lay("user", "gemini")
    (desk.home / ".codex/hooks.json").write_text("{")
    codex, gemini = desk("setup", "--all", status=1)["hosts"]
    assert codex["error"]
    assert gemini["error"] is None
    assert "omoide" not in (desk.home / ".codex/config.toml").read_text()


def test_a_link_stays_a_link_and_rights_stay(desk: Desk) -> None:
    desk.lay("user", "claude-code")
    settings, real = desk.home / ".claude/settings.json", desk.home / "dotfiles.json"
    settings.replace(real)
    settings.symlink_to(real)
    real.chmod(0o640)
    desk("setup", "claude-code")
    assert settings.is_symlink()
    assert ours(read(real))
    assert real.stat().st_mode & 0o777 == 0o640
    desk("uninstall", "claude-code")
    assert settings.is_symlink()
    assert real.read_text() == CLAUDE_SETTINGS


def test_a_new_interpreter_replaces_the_old_command(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    before = desk.lay("user", "cursor")
    desk("setup", "cursor")
    monkeypatch.setenv("OMOIDE_STORE", str(desk.home / "other.db"))
    desk("setup", "cursor")
    hooks = (desk.home / ".cursor/hooks.json").read_text()
    assert "other.db" in hooks
    assert "mémoire" not in hooks
    desk("uninstall", "cursor")
    assert desk.tree() == before


def test_what_an_older_installation_left_is_taken_over(desk: Desk) -> None:
    desk.lay("user", "claude-code")
    desk("setup", "claude-code", "--only", "hooks")
    once = desk.tree()
    for kept in (desk.home / ".omoide/setup").iterdir():
        kept.unlink()
    desk("setup", "claude-code", "--only", "hooks")
    assert desk.tree() == once
    desk("uninstall", "claude-code")
    assert read(desk.home / ".claude/settings.json") == json.loads(CLAUDE_SETTINGS)


@pytest.mark.parametrize("host", [name for name in USER if name != "windsurf"])  # its empty object goes too
def test_without_a_record_what_starts_omoide_is_taken_out_all_the_same(desk: Desk, host: str) -> None:
    before = desk.lay("user", host)
    desk("setup", host)
    for kept in (desk.home / ".omoide/setup").iterdir():
        kept.unlink()
    desk("uninstall", host)
    after = desk.tree()
    assert not [name for name, raw in after.items() if b"omoide" in raw]
    texts = {name: raw.decode() for name, raw in before.items() if name.endswith((".json", ".jsonc"))}
    assert all(json_edits.data_of(text) == read(desk.home / name) for name, text in texts.items())


def test_a_crash_before_the_file_was_written_loses_nothing(desk: Desk) -> None:
    before = desk.lay("user", "claude-code")
    desk("setup", "claude-code")
    lay(desk.home, USER["claude-code"])  # the records are there, the edits are not
    desk("uninstall", "claude-code")
    assert (desk.home / ".claude/settings.json").read_bytes() == before[".claude/settings.json"]


def test_a_skill_that_somebody_worked_on_is_left_alone(desk: Desk) -> None:
    desk("setup", "claude-code", "--only", "skills")
    skill = desk.home / ".claude/skills/omoide-save/SKILL.md"
    skill.write_text(skill.read_text() + "\nAlso tag it.\n")
    edited = skill.read_text()
    (told,) = desk("setup", "claude-code", "--only", "skills")["hosts"]
    assert {file["state"] for file in told["files"]} == {"kept", "unchanged"}
    desk("uninstall", "claude-code")
    assert skill.read_text() == edited
    assert not skill.parent.with_name("omoide-recall").exists()


def test_opencode_second_configuration_keeps_its_servers_one_level_deeper(desk: Desk) -> None:
    desk.lay("project", "opencode")
    desk("setup", "opencode", "--scope", "project")
    servers = read(desk.project / "opencode.json")["mcp"]["servers"]
    assert set(servers) == {"context", "omoide"}
    assert "enabled" not in servers["omoide"]


@pytest.mark.skipif(os.name == "nt", reason="the program is a shell script")
@pytest.mark.parametrize("version,deeper", [("1.18.33", False), ("2.0.1", True)])
def test_opencode_without_a_configuration_gets_that_of_its_version(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, version: str, deeper: bool
) -> None:
    program = desk.home / "opencode"
    program.write_text(f"#!/bin/sh\necho {version}\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(desk.home))
    desk("setup", "opencode", "--only", "mcp")
    assert ("servers" in read(desk.home / ".config/opencode/opencode.json")["mcp"]) is deeper


def test_a_file_that_the_host_may_ignore_is_complained_about(desk: Desk) -> None:
    lay(desk.home, {".claude/settings.json": '{\n  "model": "opus",\n}\n'})
    (told,) = desk("setup", "claude-code", "--only", "hooks")["hosts"]
    (warning,) = told["warnings"]
    assert "settings.json: line" in warning
    assert "trailing comma" in warning


@pytest.mark.parametrize("host", ["windsurf", "cursor", "vscode"])
def test_what_could_not_be_checked_is_called_experimental(desk: Desk, host: str) -> None:
    (told,) = desk("setup", host, "--scope", "project" if host == "vscode" else "user")["hosts"]
    assert told["experimental"]


def test_the_steps_that_only_a_person_can_do_are_told(desk: Desk) -> None:
    assert "/hooks" in desk.said("setup", "codex")
    assert "--accept-hooks" in desk.said("setup", "hermes")
    assert "omoide hook generic EVENT" in desk.said("setup", "generic", "--scope", "project")


@pytest.mark.parametrize("language,word", [("fr", "branché"), ("ja", "設定しました")])
def test_set_up_speaks_the_language_of_the_person(desk: Desk, language: str, word: str) -> None:
    assert word in desk.said("setup", "codex", "--lang", language)


def test_an_unknown_host_part_or_scope_is_refused_by_name(desk: Desk) -> None:
    assert "claude-code" in desk.said("setup", "emacs", status=2)
    assert "instructions" in desk.said("setup", "codex", "--only", "tools", status=2)
    assert "project" in desk.said("setup", "codex", "--scope", "world", status=2)
    assert "codex" in desk.said("setup", status=2)


@pytest.mark.parametrize("name", NAMES)
def test_every_table_of_a_host_holds_together(name: str) -> None:
    host = host_named(name)
    assert host is not None
    assert host.name == name
    assert {*host.installed, *host.on_request} <= set(host.events)
    assert {*host.matchers, *host.limits, *host.context, *host.block, *host.message} <= set(host.events)


def test_prompts_are_asked_for_on_request_only(desk: Desk) -> None:
    settings = desk.home / ".claude/settings.json"
    desk("setup", "claude-code")
    assert "UserPromptSubmit" not in read(settings)["hooks"]
    desk("setup", "claude-code", "--prompts")
    assert "UserPromptSubmit" in read(settings)["hooks"]


def test_a_file_that_the_host_writes_just_then_is_looked_at_again(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    desk.lay("user", "claude-desktop")
    file = desk.home / ".config/Claude/claude_desktop_config.json"
    read_whole, times = Path.read_bytes, iter(range(100))

    def busy(path: Path) -> bytes:
        found = read_whole(path)
        if path == file and next(times) == 0:  # between the look and the write
            file.write_text(file.read_text().replace("Desktop", "Documents"))
        return found

    monkeypatch.setattr(Path, "read_bytes", busy)
    desk("setup", "claude-desktop")
    text = file.read_text()
    assert "Documents" in text
    assert "omoide" in text
