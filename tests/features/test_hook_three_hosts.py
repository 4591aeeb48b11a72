"""One store, three hosts: what a session of one wrote is found from each of them, through the MCP server.

Each host speaks in its own payload and leaves its own form of transcript; all nine ordered pairs.
"""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

from tests.features.hook_kit import Hooks, claude_line

from omoide.capture.program import Program

HOSTS = ("claude-code", "codex", "gemini")
WORDS = {
    "claude-code": "The claude session chose quokka as the code name.",
    "codex": "La session codex a retenu le nom wallaby.",
    "gemini": "gemini のセッションは合言葉を「ぬりかべ」に決めた。",
}
ASKED = {"claude-code": "quokka", "codex": "wallaby", "gemini": "ぬりかべ"}


def claude(hooks: Hooks, text: str) -> None:
    session = "11111111-1111-4111-8111-111111111111"
    hooks.say(text, session=session)
    path = hooks.transcript(session)
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(claude_line(session, "Noted.", "assistant", str(hooks.project))) + "\n")
    hooks("claude-code", "SessionEnd", hooks.common("SessionEnd", session) | {"reason": "other"})


def codex(hooks: Hooks, text: str) -> None:
    session = "019b88e0-0000-7000-8000-000000000001"
    folder = hooks.home / ".codex" / "sessions" / "2026" / "11" / "29"
    folder.mkdir(parents=True)
    path = folder / f"rollout-2026-11-29T10-00-00-{session}.jsonl"
    said = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]}
    about = {
        "id": session,
        "timestamp": "2026-11-29T10:00:00.000Z",
        "cwd": str(hooks.project),
        "originator": "codex_cli_rs",
    }
    lines = [
        {"timestamp": "2026-11-29T10:00:00.000Z", "type": "session_meta", "payload": about},
        {"timestamp": "2026-11-29T10:00:01.000Z", "type": "response_item", "payload": said},
        {
            "timestamp": "2026-11-29T10:00:02.000Z",
            "type": "event_msg",
            "payload": {"type": "user_message", "message": text},
        },
    ]
    path.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), encoding="utf-8")
    payload = {
        "session_id": session, "turn_id": "1", "transcript_path": str(path), "cwd": str(hooks.project),
        "hook_event_name": "Stop", "model": "gpt-5", "permission_mode": "default", "stop_hook_active": False,
        "last_assistant_message": None,
    }  # fmt: skip
    hooks("codex", "Stop", payload)


def gemini(hooks: Hooks, text: str) -> None:
    session = "22222222-2222-4222-8222-222222222222"
    folder = hooks.home / ".gemini" / "tmp" / "shop" / "chats"
    folder.mkdir(parents=True)
    path = folder / "session-2026-11-29T10-00-22222222.json"
    said = {"id": "m-1", "timestamp": "2026-11-29T10:00:01.000Z", "type": "user", "content": text}
    whole = {
        "sessionId": session, "projectHash": "a" * 64, "startTime": "2026-11-29T10:00:00.000Z",
        "lastUpdated": "2026-11-29T10:00:02.000Z", "messages": [said],
    }  # fmt: skip
    path.write_text(json.dumps(whole, ensure_ascii=False), encoding="utf-8")
    payload = {
        "session_id": session, "transcript_path": str(path), "cwd": str(hooks.project), "hook_event_name": "SessionEnd",
        "timestamp": "2026-11-29T10:01:00Z", "reason": "exit",
    }  # fmt: skip
    hooks("gemini", "SessionEnd", payload)


WRITERS = {"claude-code": claude, "codex": codex, "gemini": gemini}


def served(hooks: Hooks, queries: list[str]) -> list[list[dict[str, Any]]]:
    """Ask the server that a host starts; return the hits of each question."""
    about = {"name": "host", "version": "1"}
    first = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": about}
    calls: list[dict[str, Any]] = [
        {"id": 0, "method": "initialize", "params": first}, {"method": "notifications/initialized"},
        *({"id": number, "method": "tools/call", "params": {"name": "history_search", "arguments": {"query": query}}}
          for number, query in enumerate(queries, 1)),
    ]  # fmt: skip
    words = Program(hooks.store).server()
    answers: dict[int, Any] = {}
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        for call in calls:
            server.stdin.write(json.dumps({"jsonrpc": "2.0", **call}).encode() + b"\n")
            server.stdin.flush()
            while "id" in call and call["id"] not in answers:
                answer = json.loads(server.stdout.readline())
                answers[answer.get("id", -1)] = answer
        server.stdin.close()
        server.wait(timeout=60)
    return [answers[number]["result"]["structuredContent"]["result"] for number in range(1, len(queries) + 1)]


def test_each_host_finds_what_each_of_the_three_wrote(hooks: Hooks) -> None:
    for host, write in WRITERS.items():
        write(hooks, WORDS[host])
    hooks.work()
    assert {row["state"] for row in hooks.captures()} == {"stored"}
    pairs = [(reader, writer) for reader in HOSTS for writer in HOSTS]
    for reader in HOSTS:
        said = hooks(reader, "SessionStart", hooks.common("SessionStart", f"reader-{reader}") | {"source": "startup"})
        assert said.status == 0
    for (reader, writer), found in zip(pairs, served(hooks, [ASKED[writer] for _, writer in pairs]), strict=True):
        assert WORDS[writer] in [row["text"] for row in found], (reader, writer)
        (row,) = [row for row in found if row["text"] == WORDS[writer]]
        assert row["project"] == "example.com/acme/shop"


def test_the_transcripts_that_came_with_the_hosts_are_where_the_hooks_say(hooks: Hooks) -> None:
    for host, write in WRITERS.items():
        write(hooks, WORDS[host])
    assert all(Path(row["transcript"]).is_file() for row in hooks.captures())
