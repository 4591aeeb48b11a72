"""``omoide doctor HOST``: each layer by its code, with what to do about it."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.features.host_files import USER, lay
from tests.surfaces.command_line import CommandLine

from omoide import Memory, __version__
from omoide.beside.beats import beat
from omoide.beside.failures import failed
from omoide.beside.ledger import accept
from omoide.capture import answering
from omoide.capture.doctor import hook_words, words_of
from omoide.capture.entries import hook_edits
from omoide.capture.hosts.known import NAMES, host_named
from omoide.capture.program import Program

Check = dict[str, str]
ANSWERING = """
import sys
sys.stdin.readline()
print('{{"id": 1, "result": {{"serverInfo": {{"version": "{version}"}}}}}}', flush=True)
"""


class Patient:
    """A home folder and what doctor finds there."""

    def __init__(self, home: Path, cli: CommandLine) -> None:
        self.home = home
        self.store = home / "agents.db"
        self.cli = cli

    def checks(self, *hosts: str, status: int | None = None) -> list[Check]:
        found: list[Check] = self.cli.json("doctor", *hosts, status=status)["checks"]
        return found

    def of(self, host: str, code: str) -> Check:
        return next(check for check in self.checks(host) if check["name"] == host and check["code"] == code)

    def codes(self, host: str) -> dict[str, str]:
        return {check["code"]: check["state"] for check in self.checks(host) if check["name"] == host}

    def set_up(self, *words: str, program: str = ANSWERING.format(version=__version__)) -> None:
        """Set a host up, and have its entries start a program that is quicker than omoide."""
        self.cli("setup", *words)
        quick = self.home / "quick"
        script = self.home / "quick.py"
        script.write_text(program)
        quick.write_text(f"#!/bin/sh\nexec '{sys.executable}' -S '{script}' \"$@\"\n")
        quick.chmod(0o755)
        for file in (file for file in self.home.rglob("*") if file.suffix in (".json", ".toml")):
            text = file.read_text(encoding="utf-8")
            file.write_text(text.replace(json.dumps(sys.executable)[1:-1], str(quick)), encoding="utf-8")


@pytest.fixture
def patient(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Patient:
    home = tmp_path / "home"
    (home / "work").mkdir(parents=True)
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME"):
        monkeypatch.delenv(name, raising=False)
    for name, value in {
        "HOME": home, "USERPROFILE": home, "XDG_CONFIG_HOME": home / ".config", "PATH": "", "OMOIDE_LANG": "en",
        "OMOIDE_CONFIG": home / "config.toml", "OMOIDE_STORE": home / "agents.db", "OMOIDE_EMBEDDER": "none",
    }.items():  # fmt: skip
        monkeypatch.setenv(name, str(value))
    monkeypatch.chdir(home / "work")
    monkeypatch.setattr(sys, "platform", "linux")
    with Memory(home / "agents.db", embedder="none") as memory:
        memory.remember("a rule")
    return Patient(home, CommandLine(tmp_path, monkeypatch, capsys))


def test_a_host_that_is_wired_and_has_run_is_in_order(patient: Patient) -> None:
    lay(patient.home, USER["codex"])
    patient.set_up("codex")
    beat(str(patient.store), "codex", "Stop", "2026-11-30T08:00:00Z", "codex", "default")
    assert patient.codes("codex") == dict.fromkeys(
        ["host_found", "host_config", "hook_pinned", "hook_program", "mcp_pinned", "mcp_program", "hook_fired",
         "mcp_answering"], "ok",
    )  # fmt: skip
    assert patient.checks("codex", status=0)


def test_what_was_never_set_up_is_wrong_only_when_asked_for(patient: Patient) -> None:
    lay(patient.home, USER["codex"])
    check = patient.of("codex", "host_set_up")
    assert (check["state"], check["fix"]) == ("fail", "omoide setup codex")
    unnamed = next(check for check in patient.checks(status=0) if check["code"] == "host_set_up")
    assert unnamed["state"] == "ok"


def test_a_host_that_is_not_here_is_not_found(patient: Patient) -> None:
    assert patient.of("cursor", "host_found")["state"] == "warn"


def test_hooks_that_never_ran_say_that_trust_is_missing(patient: Patient) -> None:
    patient.set_up("codex")
    check = patient.of("codex", "hook_fired")
    assert check["state"] == "warn"
    assert "/hooks" in check["fix"]


def test_a_file_that_no_longer_parses_is_named_with_its_place(patient: Patient) -> None:
    patient.set_up("claude-code")
    (patient.home / ".claude/settings.json").write_text('{"a" 1}')
    check = patient.of("claude-code", "host_config")
    assert check["state"] == "fail"
    assert "settings.json: line 1, column 6" in check["detail"]


def test_an_entry_that_somebody_took_away_is_missed(patient: Patient) -> None:
    patient.set_up("claude-code")
    (patient.home / ".claude/settings.json").write_text("{}")
    check = patient.of("claude-code", "host_entries")
    assert (check["state"], check["fix"]) == ("fail", "omoide setup claude-code")


def test_what_a_strict_host_ignores_is_complained_about(patient: Patient) -> None:
    lay(patient.home, {".claude/settings.json": '{\n  "model": "opus",\n}\n'})
    patient.set_up("claude-code")
    assert "trailing comma" in patient.of("claude-code", "host_strict")["detail"]


def test_hooks_of_another_store_are_told_apart(patient: Patient, monkeypatch: pytest.MonkeyPatch) -> None:
    patient.set_up("gemini")
    monkeypatch.setenv("OMOIDE_STORE", str(patient.home / "other.db"))
    assert patient.of("gemini", "hook_pinned")["state"] == "warn"
    assert "agents.db" in patient.of("gemini", "mcp_pinned")["detail"]


def test_an_interpreter_that_is_gone_is_found(patient: Patient) -> None:
    patient.set_up("cursor", "--only", "mcp")
    (patient.home / "quick").unlink()
    assert patient.of("cursor", "mcp_program")["state"] == "fail"
    assert patient.of("cursor", "mcp_answering")["state"] == "fail"


def test_a_server_that_does_not_answer_fails(patient: Patient) -> None:
    patient.set_up("claude-desktop", program="raise SystemExit('the store is gone')")
    check = patient.of("claude-desktop", "mcp_answering")
    assert check["state"] == "fail"
    assert "the store is gone" in check["detail"]


def test_a_server_of_another_version_is_a_skew(patient: Patient) -> None:
    patient.set_up("claude-desktop", program=ANSWERING.format(version="0.0.1"))
    assert patient.of("claude-desktop", "version_skew")["state"] == "warn"


def test_plugin_and_set_up_together_are_one_too_many(patient: Patient) -> None:
    lay(patient.home, {".claude/settings.json": '{"enabledPlugins": {"omoide@omoide": true}}'})
    patient.set_up("claude-code")
    assert patient.of("claude-code", "hook_twice")["fix"] == "omoide uninstall claude-code"


@pytest.mark.parametrize("host,file,text", [
    ("claude-code", ".claude/settings.json", '{"disableAllHooks": true}'),
    ("codex", ".codex/config.toml", "[features]\nhooks = false\n"),
])  # fmt: skip
def test_hooks_that_are_turned_off_altogether_are_told(patient: Patient, host: str, file: str, text: str) -> None:
    lay(patient.home, {file: text})
    patient.set_up(host)
    assert patient.of(host, "hooks_enabled")["state"] == "fail"


def test_failures_and_captures_that_wait_are_shown(patient: Patient) -> None:
    failed(str(patient.store), "hook codex Stop", "disk full", "2026-11-30T08:00:00Z")
    accept(str(patient.store), {"session": "s", "moment": "stop", "at": "2026-11-30T08:00:00Z"})
    found = {check["code"]: check for check in patient.checks()}
    assert "disk full" in found["hook_failures"]["detail"]
    assert found["capture_inbox"]["state"] == "warn"


def test_layers_of_the_store_have_codes(patient: Patient) -> None:
    codes = {check["code"]: check["state"] for check in patient.checks() if check["code"]}
    assert {
        "store_writable": "ok", "store_sound": "ok", "audit_sound": "ok", "index_fresh": "ok", "spool_empty": "ok",
        "capture_inbox": "ok", "hook_failures": "ok",
    }.items() <= codes.items()  # fmt: skip
    assert "model_present" in codes


def test_everything_that_is_not_in_order_has_a_fix(patient: Patient) -> None:
    lay(patient.home, USER["claude-code"])
    patient.set_up("claude-code")
    wrong = [check for check in patient.checks("claude-code", "cursor") if check["state"] != "ok"]
    assert wrong
    assert all(check["fix"] for check in wrong)


def test_an_unknown_host_is_refused_by_name(patient: Patient) -> None:
    assert "emacs" in patient.cli("doctor", "emacs", status=2).err


@pytest.mark.parametrize("language,word", [("fr", "à faire"), ("ja", "対処")])
def test_doctor_speaks_the_language_of_the_person(patient: Patient, language: str, word: str) -> None:
    patient.set_up("codex")
    assert word in patient.cli("doctor", "codex", "--lang", language, status=None).out


@pytest.mark.parametrize("platform", ["linux", "win32"])
@pytest.mark.parametrize("name", NAMES)
def test_every_hook_says_its_command_whatever_its_shape(name: str, platform: str) -> None:
    host = host_named(name)
    assert host is not None
    if host.hooks is None or (platform == "win32" and host.hooks.style not in ("groups-exec", "opencode", "hermes")):
        return
    program = Program("/tmp/a b/é.db", command=("/opt/my py/python", "-m", "omoide"), platform=platform)  # noqa: S108
    for edit in hook_edits(host, program):
        if edit.op in ("add", "file"):
            words = hook_words(edit.value)
            assert words[:5] == ["/opt/my py/python", "-m", "omoide", "hook", name]
            assert words[-2:] == ["--store", "/tmp/a b/é.db"]  # noqa: S108


def test_an_entry_that_is_no_command_has_no_words() -> None:
    assert words_of("text") == []
    assert words_of({"url": "https://example"}) == []
    assert hook_words({"hooks": [{"command": "a 'b c'"}]}) == ["a", "b c"]


def test_json_has_a_code_and_a_fix_for_every_check(patient: Patient) -> None:
    said: Any = json.loads(patient.cli("--json", "doctor").out)
    assert all({"name", "state", "detail", "code", "fix"} <= check.keys() for check in said["checks"])


class TestAnswering:
    """A server asked for real."""

    def test_a_server_that_starts_says_its_version(self, tmp_path: Path) -> None:
        pytest.importorskip("mcp")
        words = [sys.executable, "-P", "-m", "omoide", "mcp", str(tmp_path / "agents.db")]
        assert answering.version_of(words, seconds=60) == __version__

    @pytest.mark.parametrize("code,words", [
        ("import time; time.sleep(60)", "nothing within"), ("raise SystemExit('no store')", "no store"),
        ("print('banner')", "it ended"),
    ])  # fmt: skip
    def test_one_that_does_not_is_told_apart(self, code: str, words: str) -> None:
        with pytest.raises(OSError, match=words):
            answering.version_of([sys.executable, "-c", code], seconds=3)

    def test_a_program_that_is_not_there(self) -> None:
        with pytest.raises(OSError):
            answering.version_of(["/gone/python"])


def test_what_cannot_be_read_of_the_hosts_ends_no_other_look(patient: Patient) -> None:
    """A record of set-up that is a folder is told; the store and the hooks are looked at all the same."""
    (patient.home / ".omoide" / "setup" / "kept.json").mkdir(parents=True)
    failed(str(patient.store), "hook claude-code Stop", "no room", "2026-01-01T00:00:00Z")
    checks = {check["name"]: check for check in patient.checks(status=1)}
    assert (checks["hosts"]["state"], checks["hosts"]["code"]) == ("fail", "host_config")
    assert "no room" in checks["hooks"]["detail"]
    assert "store" in checks


def test_a_store_that_cannot_be_made_is_told(patient: Patient) -> None:
    (patient.home / "file").write_text("", encoding="utf-8")
    patient.cli.patch.setenv("OMOIDE_STORE", str(patient.home / "file" / "agents.db"))
    states = {check["code"]: check["state"] for check in patient.checks(status=1)}
    assert states["store_writable"] == "fail"
