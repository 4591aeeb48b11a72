"""What a host hands to a hook on standard input, read with a limit and with patience for what is broken."""

from __future__ import annotations

import json
import os
import re
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, BinaryIO

    Payload = dict[str, Any]

MOST_READ = 8 << 20
"""Bytes of a payload that are looked at; what a tool put out may be far longer."""

BROKEN = " broken"
"""The name in a payload that no host uses: why it could not be read."""
SESSION = ("session_id", "sessionId", "conversation_id", "sessionID")
TRANSCRIPT = ("transcript_path", "transcriptPath")
AGENT_TRANSCRIPT = ("agent_transcript_path", "agentTranscriptPath")
EVENT = ("hook_event_name", "hookEventName")
AGENT = ("agent_id", "agentId")
TURN = ("turn_id", "turnId", "turn-id", "generation_id")
TOOL = ("tool_name", "toolName", "tool")
TOOL_INPUT = ("tool_input", "toolInput", "toolArgs", "args")
TOOL_OUTPUT = ("tool_response", "toolResult", "tool_output", "result_json", "output")
PROMPT = ("prompt", "userPrompt", "user_prompt")
_NAMES = (*SESSION, *TRANSCRIPT, *AGENT_TRANSCRIPT, *EVENT, *AGENT, *TURN, *TOOL, "cwd", "trigger", "source", "reason")


def read_payload(stream: BinaryIO | None) -> Payload:
    """Return the object on a stream; an empty one for a terminal, for nothing and for what has no object in it.

    A payload that was cut or that is no JSON gives up the names that can still be read from its beginning.
    """
    if stream is None or stream.isatty():
        return {}
    raw = stream.read(MOST_READ).removeprefix(b"\xef\xbb\xbf")
    return decoded(raw)


def stdin() -> BinaryIO | None:
    """Return the bytes of standard input, None where a host gave none."""
    return getattr(sys.stdin, "buffer", None)


def decoded(raw: bytes) -> Payload:
    """Return the object that bytes hold, or as much of one as can be read; ``BROKEN`` then says what is wrong."""
    try:
        value = json.loads(raw.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return _rescued(raw) | _why(raw, "no JSON")
    return value if isinstance(value, dict) else _why(raw, "no object of JSON")


def _why(raw: bytes, what: str) -> Payload:
    """Say what is wrong with a payload, none of its words; a cut one and an empty one are as hosts may send them."""
    return {BROKEN: f"what the host sent is {what} ({len(raw)} bytes)"} if 0 < len(raw.strip()) < MOST_READ else {}


def _rescued(raw: bytes) -> Payload:
    """Return the plain texts that stand behind the names a hook needs."""
    names = "|".join(map(re.escape, _NAMES))
    found = re.finditer(rf'"({names})"\s*:\s*("(?:[^"\\]|\\.)*")', raw.decode("utf-8", "replace"))
    rescued: Payload = {}
    for match in found:
        try:
            rescued.setdefault(match[1], json.loads(match[2]))
        except ValueError:
            continue
    return rescued


def text(payload: Payload, *names: str) -> str:
    """Return the first of several names that holds a text; "" when none does."""
    return next((value for name in names if isinstance(value := payload.get(name), str) and value), "")


def value(payload: Payload, *names: str) -> Any:
    """Return the first of several names that is there, None when none is."""
    return next((payload[name] for name in names if payload.get(name) is not None), None)


def folder(payload: Payload) -> str:
    """Return the folder that the session works in: ``cwd``, else the first root of its workspace."""
    roots = payload.get("workspace_roots") or payload.get("workspaceRoots")
    first = roots[0] if isinstance(roots, list) and roots and isinstance(roots[0], str) else ""
    return text(payload, "cwd") or first or os.environ.get("CLAUDE_PROJECT_DIR", "")
