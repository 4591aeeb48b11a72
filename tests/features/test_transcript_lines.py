"""Formats of one JSON object a line, other than Claude Code's: Codex, Cursor, Copilot CLI, Gemini, VS Code."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from omoide.transcripts import reader
from omoide.transcripts.reader import Record, Session


def item(kind: str, **payload: Any) -> dict[str, Any]:
    return {"timestamp": "2026-06-01T12:00:00Z", "type": kind, "payload": payload}


def message(role: str, text: str) -> dict[str, Any]:
    block = "output_text" if role == "assistant" else "input_text"
    return item("response_item", type="message", role=role, content=[{"type": block, "text": text}])


Lines = list[dict[str, Any]]

CODEX: Lines = [
    item(
        "session_meta", id="c-1", cwd="/work/api", cli_version="0.77.0", git={"branch": "dev"}, timestamp="2026-06-01"
    ),
    message("user", "<environment_context>\n<cwd>/work/api</cwd>\n</environment_context>"),
    message("user", "レート制限を追加して"),
    item("event_msg", type="user_message", message="レート制限を追加して"),
    item("turn_context", cwd="/work/api"),
    item("response_item", type="reasoning", summary=[{"type": "summary_text", "text": "plan"}]),
    item("response_item", type="function_call", name="shell", arguments='{"command":"ls"}', call_id="k"),
    item("response_item", type="function_call_output", call_id="k", output="main.py"),
    item("response_item", type="custom_tool_call", name="apply_patch", input="*** Begin Patch", call_id="l"),
    message("assistant", "Fait."),
    item("event_msg", type="agent_message", message="Fait."),
    item("response_item", type="something_new", value=1),
    item("compacted", message="Summary of before"),
]
COPILOT: Lines = [
    {"type": "session.start", "id": "e0", "parentId": None, "timestamp": "2026-06-01T12:00:00Z",
     "data": {"sessionId": "p-1", "copilotVersion": "1.0", "startTime": "2026-06-01T12:00:00Z",
              "context": {"cwd": "/work/web", "branch": "main"}}},
    {"type": "user.message", "id": "e1", "parentId": "e0", "timestamp": "2026-06-01T12:00:01Z",
     "data": {"content": "Corrige le test", "transformedContent": "<reminder>Corrige le test"}},
    {"type": "assistant.message", "id": "e2", "parentId": "e1", "timestamp": "2026-06-01T12:00:02Z",
     "data": {"content": "D'accord.",
              "toolRequests": [{"toolCallId": "t", "name": "bash", "arguments": {"command": "make"}}]}},
    {"type": "tool.execution_start", "id": "e3", "data": {"toolName": "bash"}},
    {"type": "tool.execution_complete", "id": "e4", "data": {"toolCallId": "t", "result": {"content": "1 passed"}}},
    {"type": "assistant.reasoning", "id": "e5", "data": {"content": "thinking"}},
    {"type": "session.title_changed", "id": "e6", "data": {"title": "Corriger le test"}},
]  # fmt: skip
GEMINI: Lines = [
    {"sessionId": "g-1", "projectHash": "abc", "startTime": "2026-06-01T12:00:00Z", "kind": "main"},
    {"id": "1", "timestamp": "2026-06-01T12:00:00Z", "type": "user", "content": [{"text": "Bonjour"}]},
    {"id": "2", "timestamp": "2026-06-01T12:00:01Z", "type": "gemini", "content": "やあ",
     "thoughts": [{"subject": "x"}],
     "toolCalls": [{"name": "read_file", "args": {"path": "a"},
                    "result": [{"functionResponse": {"response": {"output": "z"}}}]}]},
    {"id": "3", "type": "info", "content": "note"},
    {"$set": {"lastUpdated": "2026-06-01T12:00:02Z"}},
    {"$rewindTo": "1"},
]  # fmt: skip
VSCODE: Lines = [
    {"kind": 0, "v": {"version": 3, "sessionId": "v-1", "creationDate": 1780315200000, "requests": []}},
    {"kind": 2, "k": ["requests"], "v": [{"requestId": "r1", "timestamp": 1780315201000,
                                     "message": {"text": "Explain"}}]},
    {"kind": 2, "k": ["requests", 0, "response"], "v": [
        {"value": "It sorts."}, {"kind": "thinking", "value": "hm"},
        {"kind": "toolInvocationSerialized", "toolId": "read", "pastTenseMessage": {"value": "Read a.py"}}]},
    {"kind": 1, "k": ["customTitle"], "v": "Sorting"},
    {"kind": 3, "k": ["inputState"]},
]  # fmt: skip
CURSOR: Lines = [
    {"role": "user", "message": {"content": [{"type": "text", "text": "<user_query>\nRead foo\n</user_query>"}]}},
    {"role": "assistant", "message": {"content": [{"type": "tool_use", "name": "Read", "input": {"path": "foo"}}]}},
    {"type": "error", "error": "upstream"},
]


def written(folder: Path, lines: Lines, name: str = "x.jsonl") -> Path:
    path = folder / name
    path.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), encoding="utf-8")
    return path


def told(path: Path) -> tuple[str, list[Record], Session]:
    found = reader.detect(path)
    assert found is not None
    (session,) = reader.sessions(path)
    records = list(reader.read(path))
    assert b"".join(record.raw + b"\n" for record in records) == path.read_bytes()
    return found.name, records, session


def turns(records: list[Record]) -> list[tuple[str, str]]:
    return [(record.role, record.text) for record in records if record.kind == "turn"]


def test_codex_rollouts_say_each_thing_once(tmp_path: Path) -> None:
    name, records, session = told(written(tmp_path, CODEX))
    assert turns(records) == [
        ("user", "レート制限を追加して"),
        ("assistant", 'shell: {"command":"ls"}'),
        ("tool", "main.py"),
        ("assistant", "apply_patch: *** Begin Patch"),
        ("assistant", "Fait."),
    ]
    assert (name, session.name, session.project, session.branch) == ("codex-rollout", "c-1", "/work/api", "dev")


def test_codex_items_of_unknown_types_are_named(tmp_path: Path) -> None:
    _, records, _ = told(written(tmp_path, CODEX))
    assert [record.type for record in records if record.kind == "raw"] == ["response_item/something_new"]


def test_codex_reviews_that_hold_only_echoes_speak_through_them(tmp_path: Path) -> None:
    lines = [
        item("session_meta", id="sub", cwd="/w", source={"subagent": {"thread_spawn": {"parent_thread_id": "c-1"}}}),
        item("event_msg", type="agent_message", message="Review complete."),
    ]
    _, records, session = told(written(tmp_path, lines))
    assert turns(records) == [("assistant", "Review complete.")]
    assert session.parent == "c-1"


def test_codex_rollouts_of_the_first_versions_are_read(tmp_path: Path) -> None:
    lines: Lines = [
        {"id": "old", "timestamp": "2025-05-01T00:00:00Z", "instructions": None},
        {"record_type": "state"},
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "hello"}]},
        {"type": "function_call", "name": "shell", "arguments": "{}", "call_id": "k"},
    ]
    name, records, session = told(written(tmp_path, lines))
    assert (name, session.name, turns(records)[0]) == ("codex-rollout", "old", ("user", "hello"))
    assert [record.kind for record in records] == ["event", "event", "turn", "turn"]


def test_cursor_questions_lose_their_wrapping(tmp_path: Path) -> None:
    name, records, session = told(written(tmp_path, CURSOR, "abc.jsonl"))
    assert turns(records) == [("user", "Read foo"), ("assistant", 'Read: {"path": "foo"}')]
    assert (name, session.name, session.title) == ("cursor-jsonl", "abc", "Read foo")


def test_copilot_events_are_read(tmp_path: Path) -> None:
    name, records, session = told(written(tmp_path, COPILOT))
    assert turns(records) == [
        ("user", "Corrige le test"),
        ("assistant", 'D\'accord.\n\nbash: {"command": "make"}'),
        ("tool", "1 passed"),
    ]
    assert (name, session.name, session.project) == ("copilot-cli-events", "p-1", "/work/web")
    assert (session.branch, session.title) == ("main", "Corriger le test")


def test_gemini_lines_are_read(tmp_path: Path) -> None:
    name, records, session = told(written(tmp_path, GEMINI))
    assert turns(records) == [("user", "Bonjour"), ("assistant", 'やあ\n\nread_file: {"path": "a"}\n\nz')]
    assert [record.type for record in records] == ["header", "user", "gemini", "info", "$set", "$rewindTo"]
    assert (name, session.name, session.extra) == ("gemini-jsonl", "g-1", {"project_hash": "abc"})


def test_vscode_logs_are_read(tmp_path: Path) -> None:
    name, records, session = told(written(tmp_path, VSCODE))
    assert turns(records) == [("user", "Explain"), ("assistant", "It sorts.\n\nRead a.py")]
    assert (name, session.name, session.title) == ("vscode-chat-log", "v-1", "Sorting")


def test_formats_that_were_never_tried_on_real_files_say_so(tmp_path: Path) -> None:
    experimental = {"copilot": COPILOT, "gemini": GEMINI, "vscode": VSCODE}
    for name, lines in experimental.items():
        found = reader.detect(written(tmp_path, lines, f"{name}.jsonl"))
        assert found is not None
        assert found.experimental
        assert found.name in reader.EXPERIMENTAL
