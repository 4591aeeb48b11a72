"""The commands that set-up writes, run the way the hosts run them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from omoide.beside.beats import beats
from omoide.capture.doctor import hook_words
from omoide.capture.entries import hook_edits, server_edits
from omoide.capture.hosts.known import NAMES, host_named
from omoide.capture.hosts.spec import HostSpec
from omoide.capture.program import Program

HOOKED = [name for name in NAMES if (host := host_named(name)) is not None and host.hooks is not None]
POSIX = pytest.mark.skipif(os.name == "nt", reason="what a POSIX shell makes of it")


def known(name: str) -> HostSpec:
    host = host_named(name)
    assert host is not None
    return host


def run(command: str | Sequence[str], home: Path, payload: Any) -> subprocess.CompletedProcess[bytes]:
    environment = {
        **os.environ, "HOME": str(home), "USERPROFILE": str(home), "OMOIDE_NO_WORKER": "1",
        "OMOIDE_CONFIG": str(home / "none.toml"),
    }  # fmt: skip
    return subprocess.run(
        command, shell=isinstance(command, str), input=json.dumps(payload).encode(), env=environment, cwd=home,
        capture_output=True, timeout=60, check=False,
    )  # fmt: skip


@POSIX
@pytest.mark.parametrize("name", HOOKED)
def test_a_hook_as_it_is_written_reaches_its_store_whatever_the_path(name: str, tmp_path: Path) -> None:
    host = known(name)
    store = tmp_path / 'Ada\'s store $HOME "é" 記憶.db'
    edits = [edit for edit in hook_edits(host, Program(str(store))) if edit.op in ("add", "file")]
    event = edits[-1].path[-1] if edits[-1].path else "session.idle"
    entry = edits[-1].value
    handler = entry["hooks"][0] if isinstance(entry, dict) and "hooks" in entry else entry
    words = hook_words(entry)
    command: str | list[str] = words
    if isinstance(handler, dict) and "args" not in handler and name != "hermes":  # the others start it without a shell
        command = handler.get("command") or handler["bash"]
    elif name == "opencode":
        command = [event if word == "EVENT" else word for word in words]
    payload = {"session_id": "s-1", "hook_event_name": event, "cwd": str(tmp_path)}
    done = run(command, tmp_path, payload)
    assert (done.returncode, done.stderr) == (0, b"")
    assert {(beat["installed"], beat["event"]) for beat in beats(str(store)).values()} == {(name, event)}


def test_a_folder_with_modules_of_its_own_lends_none_to_a_hook(tmp_path: Path) -> None:
    (tmp_path / "json.py").write_text("raise SystemExit('the wrong json')")
    (tmp_path / "omoide").mkdir()
    (tmp_path / "omoide/__init__.py").write_text("raise SystemExit('the wrong omoide')")
    program = Program(str(tmp_path / "agents.db"))
    done = run(program.hook("claude-code", "Stop"), tmp_path, {"session_id": "s", "hook_event_name": "Stop"})
    assert (done.returncode, done.stderr) == (0, b"")


def test_a_namespace_goes_with_both_commands() -> None:
    program = Program("/s.db", "team", command=("omoide",))
    assert program.hook("codex", "Stop")[-2:] == ["--namespace", "team"]
    assert program.server()[-2:] == ["--namespace", "team"]


@pytest.mark.parametrize("name,line", [
    ("gemini", "& 'C:\\Program Files\\Py\\python.exe' '-m' 'omoide' 'hook' 'gemini' 'E' '--store' 'C:\\Ada''s\\é.db'"),
    ("codex", '"C:\\Program Files\\Py\\python.exe" -m omoide hook codex E --store C:\\Ada\'s\\é.db'),
])  # fmt: skip
def test_on_windows_a_line_is_quoted_for_the_shell_of_the_host(name: str, line: str) -> None:
    program = Program(
        "C:\\Ada's\\é.db", command=("C:\\Program Files\\Py\\python.exe", "-m", "omoide"), platform="win32"
    )
    assert program.line(program.hook(name, "E"), known(name)) == line


def test_the_default_command_is_this_interpreter_by_its_whole_path() -> None:
    assert Path(Program("/s.db").command[0]).is_absolute()
    assert Program("/s.db").command == (sys.executable, "-P", "-m", "omoide")


def test_every_server_entry_names_the_tools_that_the_skills_speak_of() -> None:
    from omoide.capture.entries import skills
    from omoide.ops import OPERATIONS
    from omoide.serve.mcp.build import choose

    (edit,) = server_edits("bare", Program("/s.db"))
    words = edit.value["args"]
    offered = {operation.name for operation in choose(words[words.index("--tools") + 1])}
    spoken = {name for _, text in skills() for name in OPERATIONS if f"`{name}`" in text}
    assert {"recall", "remember", "history_search", "history_read", "history_save"} <= spoken
    assert spoken - offered == set()
