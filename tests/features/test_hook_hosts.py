"""Every event of every host: the payload that the host sends, the output that it accepts, nothing else."""

from __future__ import annotations

import json
from typing import Any

import pytest
from jsonschema import Draft7Validator
from tests.features.hook_kit import SESSION, Hooks

from omoide.beside.beats import beats
from omoide.beside.failures import failures
from omoide.capture.hosts.known import NAMES, host_named

TEXT = {"type": "string", "maxLength": 10_000}
COMMON = {
    "continue": {"type": "boolean"},
    "stopReason": TEXT,
    "suppressOutput": {"type": "boolean"},
    "systemMessage": TEXT,
}


def closed(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "additionalProperties": False}


def specific(event: str) -> dict[str, Any]:
    made = closed(hookEventName={"const": event}, additionalContext=TEXT)
    return {**made, "required": ["hookEventName"]}


def accepted(host: str, event: str) -> dict[str, Any]:
    """Return the schema of what a host reads from standard output at an event."""
    if host in ("claude-code", "codex", "vscode", "gemini"):
        shown = {"hookSpecificOutput": specific(event)} if event in SHOWN[host] else {}
        blocked = {"decision": {"const": "block"}, "reason": TEXT} if host == "claude-code" else {}
        return closed(**COMMON, **shown, **blocked)
    if host == "copilot-cli":
        return closed(additionalContext=TEXT) if event in SHOWN[host] else closed()
    if host == "cursor":
        return closed(additional_context=TEXT) if event in SHOWN[host] else closed(user_message=TEXT)
    return closed(context=TEXT) if event == "pre_llm_call" else closed()


SHOWN = {
    "claude-code": {"SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse"},
    "codex": {"SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse"},
    "vscode": {"SessionStart", "PreToolUse", "PostToolUse", "SubagentStart"},
    "gemini": {"SessionStart", "BeforeAgent", "AfterTool"},
    "copilot-cli": {"sessionStart", "postToolUse", "subagentStart", "notification"},
    "cursor": {"sessionStart", "postToolUse"},
}
PLAIN = ("generic", "opencode")
"""Hosts to which text is handed as it is."""


def payload_of(host: str, event: str, hooks: Hooks) -> dict[str, Any]:
    """Return what a host sends at an event, by its documentation."""
    path, cwd = str(hooks.say("Said at a host.")), str(hooks.project)
    tool = {"tool_name": "Edit", "tool_input": {"file_path": f"{cwd}/src/billing/tax.py"}, "tool_use_id": "call-1"}
    snake = {"session_id": SESSION, "transcript_path": path, "cwd": cwd, "hook_event_name": event}
    more: dict[str, Any] = {}
    if "tool" in event.lower():
        more = {**tool, "tool_response": {"ok": True}, "duration_ms": 3}
    elif "prompt" in event.lower() or event in ("BeforeAgent", "pre_llm_call"):
        more = {"prompt": "How are amounts kept in billing?"}
    elif "ompact" in event or "ompress" in event:
        more = {"trigger": "auto", "custom_instructions": ""}
    elif "tart" in event:
        more = {"source": "startup"}
    elif "nd" in event:
        more = {"reason": "other"}
    return _SHAPES.get(host, _plain)(snake, more, event)


def _plain(snake: dict[str, Any], more: dict[str, Any], event: str) -> dict[str, Any]:
    return {**snake, **more}


def _claude(snake: dict[str, Any], more: dict[str, Any], event: str) -> dict[str, Any]:
    return {**snake, "permission_mode": "default", **more}


def _codex(snake: dict[str, Any], more: dict[str, Any], event: str) -> dict[str, Any]:
    return {**snake, "turn_id": "turn-1", "model": "gpt-5", **more}


def _gemini(snake: dict[str, Any], more: dict[str, Any], event: str) -> dict[str, Any]:
    return {**snake, "timestamp": "2026-11-29T10:00:00Z", **more}


def _cursor(snake: dict[str, Any], more: dict[str, Any], event: str) -> dict[str, Any]:
    return {
        "conversation_id": SESSION, "generation_id": "g-1", "model": "auto", "hook_event_name": event,
        "cursor_version": "2.4.0", "workspace_roots": [snake["cwd"]], "user_email": None,
        "transcript_path": snake["transcript_path"], **more,
    }  # fmt: skip


def _vscode(snake: dict[str, Any], more: dict[str, Any], event: str) -> dict[str, Any]:
    return {
        "timestamp": "2026-11-29T10:00:00Z", "cwd": snake["cwd"], "sessionId": SESSION, "hookEventName": event,
        "transcript_path": snake["transcript_path"], **more,
    }  # fmt: skip


def _copilot(snake: dict[str, Any], more: dict[str, Any], event: str) -> dict[str, Any]:
    if event[0].isupper():
        return {**snake, "timestamp": "2026-11-29T10:00:00Z", **more}
    tool = {"toolName": "edit", "toolArgs": json.dumps(more["tool_input"])} if "tool_input" in more else {}
    rest = {name: value for name, value in more.items() if not name.startswith("tool")}
    return {
        "sessionId": SESSION, "timestamp": 1796000000000, "cwd": snake["cwd"],
        "transcriptPath": snake["transcript_path"], **rest, **tool,
    }  # fmt: skip


def _hermes(snake: dict[str, Any], more: dict[str, Any], event: str) -> dict[str, Any]:
    return {
        "hook_event_name": event, "tool_name": None, "tool_input": None, "session_id": SESSION, "cwd": snake["cwd"],
        "extra": {"history": []}, **more,
    }  # fmt: skip


_SHAPES = {
    "claude-code": _claude, "codex": _codex, "gemini": _gemini, "cursor": _cursor, "vscode": _vscode,
    "copilot-cli": _copilot, "hermes": _hermes,
}  # fmt: skip

EVERY = [(name, event) for name in NAMES if (spec := host_named(name)) is not None for event in spec.events]


@pytest.mark.parametrize("host,event", EVERY)
class TestEveryEvent:
    """What is true of every event of every host."""

    def test_the_output_is_what_the_host_accepts(self, hooks: Hooks, host: str, event: str) -> None:
        hooks.remember("Amounts in billing are kept in cents.", importance="critical", triggers=["src/billing/*"])
        said = hooks(host, event, payload_of(host, event, hooks))
        assert (said.status, said.err) == (0, "")
        if host not in PLAIN:
            Draft7Validator(accepted(host, event)).validate(said.json)
        assert failures(hooks.store) == []

    def test_it_counts_as_a_sign_of_life_of_that_host(self, hooks: Hooks, host: str, event: str) -> None:
        hooks(host, event, payload_of(host, event, hooks))
        assert beats(hooks.store)[host]["event"] == event

    def test_a_payload_that_is_broken_breaks_nothing(self, hooks: Hooks, host: str, event: str) -> None:
        for raw in (b"", b"{", b"[1]", b"null", b'{"session_id": 5, "tool_input": [1], "cwd": {}}', b"\xff\xfe\x00"):
            said = hooks(host, event, raw)
            assert said.status == 0
            assert host in PLAIN or said.json is not None


@pytest.mark.parametrize("host", [name for name in NAMES if (spec := host_named(name)) is not None and spec.context])
def test_a_start_or_what_stands_for_it_shows_the_rules(hooks: Hooks, host: str) -> None:
    hooks.remember("Amounts in billing are kept in cents.", importance="critical")
    spec = host_named(host)
    assert spec is not None
    event = next(name for name in spec.context if host == "opencode" or spec.events[name] in ("start", "prompt"))
    said = hooks(host, event, payload_of(host, event, hooks))
    assert "kept in cents" in (said.out if host in PLAIN else said.context)


@pytest.mark.parametrize(
    "host,compact,after",
    [
        ("claude-code", "PreCompact", "SessionStart"),
        ("codex", "PreCompact", "SessionStart"),
        ("gemini", "PreCompress", "BeforeAgent"),
        ("cursor", "preCompact", "postToolUse"),
        ("vscode", "PreCompact", "PostToolUse"),
        ("copilot-cli", "preCompact", "postToolUse"),
    ],
)
def test_what_a_compaction_took_is_shown_again_where_the_host_lets_it(
    hooks: Hooks, host: str, compact: str, after: str
) -> None:
    hooks.remember("Amounts in billing are kept in cents.", importance="critical")
    spec = host_named(host)
    assert spec is not None
    start = next(name for name, moment in spec.events.items() if moment == "start")
    assert "cents" in hooks(host, start, payload_of(host, start, hooks)).context
    before = payload_of(host, after, hooks) | {"source": "resume"}
    assert "cents" not in hooks(host, after, before).context
    hooks(host, compact, payload_of(host, compact, hooks))
    payload = payload_of(host, after, hooks) | {"source": "compact"}
    assert "cents" in hooks(host, after, payload).context
    assert "cents" not in hooks(host, after, payload_of(host, after, hooks) | {"source": "resume"}).context


def test_the_notification_of_an_old_codex_comes_as_an_argument(hooks: Hooks) -> None:
    told = {"type": "agent-turn-complete", "thread-id": "t-1", "turn-id": "1", "cwd": str(hooks.project)}
    said = hooks("codex", "agent-turn-complete", b"", json.dumps(told))
    assert (said.out, said.status) == ("", 0)
    assert [(row["host"], row["session"]) for row in hooks.captures()] == [("codex", "t-1")]


def test_a_payload_without_an_end_gives_up_what_it_holds(hooks: Hooks) -> None:
    raw = json.dumps({**hooks.common("SessionEnd"), "tool_response": "x" * 100}).encode()[:-50]
    hooks.say("Kept all the same.")
    hooks("claude-code", "SessionEnd", raw)
    hooks.work()
    assert hooks.found("Kept") == ["Kept all the same."]


def test_an_unknown_host_is_a_failure_for_doctor_and_none_for_the_host(hooks: Hooks) -> None:
    said = hooks("nobody", "Stop", {})
    assert (said.out, said.status) == ("", 0)
    assert "nobody" in failures(hooks.store)[0]["error"]


@pytest.mark.parametrize("name", ["OMOIDE_EXECUTOR", "AGENT_MEMORY_EXECUTOR", "CLAUDE_MEM_INTERNAL"])
def test_inside_an_agent_of_a_memory_tool_nothing_is_done(
    hooks: Hooks, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(name, "1")
    hooks.remember("Never shown there.", importance="critical")
    assert hooks.claude("SessionStart", source="startup").out == ""
    hooks.claude("SessionEnd")
    assert not hooks.folder.exists()


def test_in_the_folder_of_another_memory_tool_nothing_is_done(hooks: Hooks) -> None:
    hooks.claude("SessionEnd", cwd="/home/u/.claude-mem/observer-sessions")
    assert not hooks.folder.exists()


def test_a_subagent_is_shown_nothing_and_captured_with_its_own_transcript(hooks: Hooks) -> None:
    hooks.remember("For the main agent.", importance="critical")
    assert hooks.claude("SessionStart", source="startup", agent_id="a1").out == ""
    own = hooks.say("Said by the subagent.", session="agent-a1")
    hooks.claude("SubagentStop", agent_id="a1", agent_transcript_path=str(own))
    hooks.work()
    assert hooks.found("subagent") == ["Said by the subagent."]


def test_each_of_several_subagents_is_captured_however_little_it_said(hooks: Hooks) -> None:
    for name in ("a1", "a2", "a3"):
        own = hooks.say(f"Said by subagent {name}.", session=f"agent-{name}")
        hooks.claude("SubagentStop", agent_id=name, agent_transcript_path=str(own))
    hooks.work()
    assert len(hooks.found("subagent")) == 3
