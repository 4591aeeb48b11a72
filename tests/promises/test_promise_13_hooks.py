"""A hook never breaks its host: exit 0 on our own failure, only what the host takes on its output, told by doctor."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.features.conftest import hooks
from tests.features.hook_kit import Hooks
from tests.surfaces.command_line import CommandLine

from omoide.capture.hosts.known import NAMES, host_named

__all__ = ["hooks"]  # the fixture
EVENTS = ("SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PreCompact", "Stop", "SessionEnd")
PAYLOADS: dict[str, Any] = {
    "no JSON": b"{not json",
    "nothing": b"",
    "a list": b"[1, 2]",
    "bytes": b"\xff\xfe\x00",
    "fields of other types": {"session_id": 5, "cwd": [], "transcript_path": {}, "prompt": None, "tool_input": "x"},
    "a path that leads nowhere": {"session_id": "s", "cwd": "/nowhere", "transcript_path": "/nowhere/t.jsonl"},
    "a megabyte": {"session_id": "s", "prompt": "é" * 500_000},
    "nested without end": b"[" * 100_000,
}


def takes(said: str) -> bool:
    """Say whether a host accepts an output: nothing, or one JSON object."""
    return not said.strip() or isinstance(json.loads(said), dict)


@pytest.mark.parametrize("payload", list(PAYLOADS))
@pytest.mark.parametrize("event", EVENTS)
def test_whatever_it_is_given(hooks: Hooks, event: str, payload: str) -> None:
    """A payload that makes no sense ends with 0 and without a word of ours."""
    said = hooks("claude-code", event, PAYLOADS[payload])
    assert said.status == 0
    assert takes(said.out)
    assert "Traceback" not in said.err


def broken_store(hooks: Hooks, kind: str) -> None:
    store = Path(hooks.store)
    if kind == "a folder":
        store.mkdir()
        (store / "x.txt").write_text("no vault", encoding="utf-8")
    elif kind == "no database":
        store.write_bytes(b"this is no store of anybody's" * 100)
    elif kind == "a newer one":
        hooks.remember("before")
        data = bytearray(store.read_bytes())
        data[60:64] = (9_999).to_bytes(4, "big")  # the version that an application gives its file
        store.write_bytes(bytes(data))
    elif kind == "trash inside":
        hooks.remember("before")
        data = bytearray(store.read_bytes())
        data[4096:] = b"\xff" * (len(data) - 4096)
        store.write_bytes(bytes(data))


@pytest.mark.parametrize("kind", ["a folder", "no database", "a newer one", "trash inside"])
@pytest.mark.parametrize("event", EVENTS)
def test_whatever_is_in_the_place_of_the_store(hooks: Hooks, event: str, kind: str) -> None:
    """A store that cannot be used costs the host nothing."""
    broken_store(hooks, kind)
    hooks.say("Said before.")
    said = hooks.claude(event, source="startup", prompt="what did I say?", tool_name="Read", tool_input={})
    assert said.status == 0
    assert takes(said.out)
    assert "Traceback" not in said.err


@pytest.mark.parametrize("host", [name for name in NAMES if getattr(host_named(name), "hooks", None)])
def test_whoever_calls(hooks: Hooks, host: str) -> None:
    """Every host that has hooks is answered so, for an event that nobody knows too."""
    for event in (*EVENTS, "NoSuchEvent"):
        said = hooks(host, event, {"session_id": "s"})
        assert said.status == 0
        assert takes(said.out)


def test_the_failure_shows_up_in_doctor(
    hooks: Hooks, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What went wrong in a hook is there to be read afterwards."""
    broken_store(hooks, "no database")
    hooks.claude("SessionStart", source="startup")
    Path(hooks.store).unlink()
    hooks.remember("a store that works again")
    monkeypatch.setenv("OMOIDE_STORE", hooks.store)
    cli = CommandLine(tmp_path, monkeypatch, capsys)
    checks = {check["code"]: check for check in cli.json("doctor", status=None)["checks"]}
    assert checks["hook_failures"]["state"] in {"warn", "fail"}
    assert "not a SQLite database" in checks["hook_failures"]["detail"]


@pytest.mark.skipif(sys.platform == "win32", reason="starts a process for each event")
@pytest.mark.parametrize("event", ["PostToolUse", "Stop"])
def test_no_heavy_module_is_imported_on_the_fast_path(hooks: Hooks, event: str) -> None:
    """The process of a hook loads neither numpy, SQLite, a model nor a server."""
    from tests.features.test_hook_fast_path import process

    done = process(hooks, event, hooks.common(event))
    loaded = {name.partition(".")[0] for name in done.stderr.decode().split()}
    assert done.returncode == 0
    assert loaded & {"numpy", "apsw", "sqlite3", "onnxruntime", "mcp", "click", "rich", "starlette", "yaml"} == set()
