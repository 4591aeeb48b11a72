"""A payload is not believed: what it names is read where transcripts lie, and what is no payload is seen in doctor."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest
from tests.features.hook_kit import Hooks, claude_line

from omoide.beside import failures

SAID = "What was said about the reactor."


def named(hooks: Hooks, path: Path, host: str = "claude-code", **more: Any) -> None:
    """Let a session end whose payload names a transcript."""
    event = "end" if host == "generic" else "SessionEnd"
    payload = {"session_id": "s-9", "transcript_path": str(path), "cwd": str(hooks.project), "hook_event_name": event}
    said = hooks(host, event, payload | more)
    assert (said.out, said.err, said.status) == ("", "", 0)
    hooks.work()


def conversation(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(claude_line("s-9", SAID, "user", "/nowhere")) + "\n", encoding="utf-8")
    return path


def told(hooks: Hooks) -> list[str]:
    return [str(line["error"]) for line in failures.failures(hooks.store)]


def test_a_file_of_the_person_is_not_read_because_a_payload_names_it(hooks: Hooks) -> None:
    diary = hooks.home / "diary.md"
    diary.write_text("# Diary\n\nabout the reactor, for nobody\n", encoding="utf-8")
    named(hooks, diary)
    assert hooks.found("reactor") == []
    (row,) = hooks.captures()
    assert row["state"] == "failed"
    assert "transcript_roots" in str(row["reason"])
    assert any("no host keeps transcripts" in said for said in told(hooks))


def test_a_conversation_outside_the_folders_of_hosts_is_refused_once(hooks: Hooks) -> None:
    named(hooks, conversation(hooks.home / "elsewhere" / "s-9.jsonl"))
    hooks.work()
    assert hooks.found("reactor") == []
    assert len(told(hooks)) == 1


def test_a_link_that_leads_out_of_the_folder_is_refused(hooks: Hooks) -> None:
    outside = conversation(hooks.home / "elsewhere" / "s-9.jsonl")
    link = hooks.transcript("linked")
    try:
        link.symlink_to(outside)
    except OSError:
        pytest.skip("no links here")
    named(hooks, link)
    assert hooks.found("reactor") == []


def test_dots_in_a_path_lead_nowhere(hooks: Hooks) -> None:
    conversation(hooks.home / "elsewhere" / "s-9.jsonl")
    named(hooks, hooks.transcript().parent / ".." / ".." / ".." / "elsewhere" / "s-9.jsonl")
    assert hooks.found("reactor") == []


def test_the_folders_of_any_host_are_known(hooks: Hooks) -> None:
    """Hosts run each other's hooks."""
    named(hooks, conversation(hooks.home / ".claude" / "projects" / "-x" / "s-9.jsonl"), "codex", turn_id="1")
    assert hooks.found("reactor") == [SAID]


def test_a_person_allows_other_folders(hooks: Hooks, monkeypatch: pytest.MonkeyPatch) -> None:
    allowed = os.pathsep.join([str(hooks.home / "none"), str(hooks.home / "elsewhere")])
    monkeypatch.setenv("OMOIDE_TRANSCRIPT_ROOTS", allowed)
    named(hooks, conversation(hooks.home / "elsewhere" / "below" / "s-9.jsonl"))
    assert hooks.found("reactor") == [SAID]
    assert told(hooks) == []


def test_a_host_that_keeps_its_files_elsewhere_says_so_in_the_environment_of_the_hook(
    hooks: Hooks, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The worker may be started by somebody who does not know."""
    moved = hooks.home / "moved"
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(moved))
    path = conversation(moved / "projects" / "-x" / "s-9.jsonl")
    payload = {"session_id": "s-9", "transcript_path": str(path), "cwd": str(hooks.project)}
    hooks("claude-code", "SessionEnd", payload | {"hook_event_name": "SessionEnd"})
    monkeypatch.delenv("CLAUDE_CONFIG_DIR")
    hooks.work()
    assert hooks.found("reactor") == [SAID]


def test_an_agent_that_is_not_known_names_transcripts_and_nothing_else(hooks: Hooks) -> None:
    named(hooks, conversation(hooks.project / "log" / "s-9.jsonl"), "generic")
    assert hooks.found("reactor") == [SAID]
    for name, text in (("note.txt", "User: the turbine\n"), ("id_rsa", "turbine\n"), ("data.json", '{"turbine": 1}\n')):
        (hooks.project / name).write_text(text, encoding="utf-8")
        named(hooks, hooks.project / name, "generic", session_id=name)
    assert hooks.found("turbine") == []
    assert {row["session"]: row["state"] for row in hooks.captures()}["note.txt"] == "failed"


def test_what_lies_beside_a_transcript_and_is_none_is_left_alone(hooks: Hooks) -> None:
    path = conversation(hooks.transcript("s-9"))
    beside = path.with_suffix("") / "subagents"
    beside.mkdir(parents=True)
    (beside / "notes.jsonl").write_text("no JSON, about the turbine\n", encoding="utf-8")
    shutil.copyfile(conversation(hooks.home / "x.jsonl"), beside / "agent-a.jsonl")
    named(hooks, path)
    assert hooks.found("reactor")
    assert hooks.found("turbine") == []


@pytest.mark.parametrize("raw", [b"{not json", b"hello", b'["a"]', b"12", b"\xff\xfe\x00", b"{" * 5_000])
def test_a_payload_that_is_no_json_is_seen_in_doctor_and_nowhere_else(hooks: Hooks, raw: bytes) -> None:
    said = hooks("claude-code", "Stop", raw)
    assert (said.out, said.err, said.status) == ("", "", 0)
    (line,) = failures.failures(hooks.store)
    assert "JSON" in line["error"]
    assert str(len(raw)) in line["error"]


@pytest.mark.parametrize("raw", [b"", b"  \n", b"{}", b"\xef\xbb\xbf{}"])
def test_a_payload_without_words_is_no_failure(hooks: Hooks, raw: bytes) -> None:
    hooks("claude-code", "Stop", raw)
    assert told(hooks) == []


def test_what_can_be_read_of_a_broken_payload_is_used_all_the_same(hooks: Hooks) -> None:
    path = conversation(hooks.transcript("s-9"))
    raw = json.dumps({"session_id": "s-9", "transcript_path": str(path), "hook_event_name": "SessionEnd"})
    hooks("claude-code", "SessionEnd", raw.encode()[:-1] + b', "reason": broken')
    hooks.work()
    assert hooks.found("reactor") == [SAID]
    assert len(told(hooks)) == 1


def test_a_trace_of_a_payload_holds_none_of_its_words(hooks: Hooks) -> None:
    hooks("claude-code", "Stop", b"hunter2horse is what I said")
    assert "hunter2horse" not in json.dumps(failures.failures(hooks.store))
