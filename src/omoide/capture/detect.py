"""Which host a payload comes from: several read each other's settings, so the one that installed us may not be it."""

from __future__ import annotations

import os

from omoide.capture.payload import EVENT, TRANSCRIPT, text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from omoide.capture.payload import Payload

_HERMES = ("on_session_", "pre_llm_", "post_llm_", "pre_tool_call", "post_tool_call", "subagent_stop")


def host_of(payload: Payload, installed: str) -> str:
    """Return the name of the host whose payload this is, else the one whose settings named the hook."""
    event = text(payload, *EVENT)
    if "cursor_version" in payload or "conversation_id" in payload:
        return "cursor"
    if "sessionId" in payload:
        return "vscode" if "hookEventName" in payload else "copilot-cli"
    if "sessionID" in payload:
        return "opencode"
    if event.startswith(_HERMES) and "extra" in payload:
        return "hermes"
    return _by_details(payload, installed)


def _by_details(payload: Payload, installed: str) -> str:
    """Tell apart the hosts that share one shape of payload."""
    path = text(payload, *TRANSCRIPT).replace(os.sep, "/")
    if "turn_id" in payload or "turn-id" in payload or "/rollout-" in path:
        return "codex"
    if installed != "claude-code":
        return installed
    if "timestamp" in payload and "permission_mode" not in payload:
        # Claude Code writes no time; Copilot CLI does when its settings are those of Claude Code.
        return "gemini" if "/.gemini/" in path else "copilot-cli"
    return installed
