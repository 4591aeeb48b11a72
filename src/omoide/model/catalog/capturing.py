"""Operations on what hooks do by themselves: captured, left behind, shown to agents."""

from __future__ import annotations

from typing import Final

from omoide.model.catalog import parameters as p
from omoide.model.catalog.operation import Doors, Operation, Route
from omoide.model.shape import Optional

SHOWN: Final = {
    "origin": str, "id": int, "version_id": int, "text": str, "abstract": Optional(str), "subject": Optional(str),
    "predicate": Optional(str), "kind": str, "trust": str, "source": Optional(str), "importance": int,
    "valid_from": Optional(str), "valid_to": Optional(str), "status": str, "project": Optional(str), "triggers": [str],
}  # fmt: skip
LEFT: Final = {
    "session": str, "host": str, "cwd": Optional(str), "transcript": Optional(str), "there": bool,
    "last": Optional(str), "edits": int, "files": int, "programs": [str], "bytes": int,
}  # fmt: skip
CAPTURE: Final = {
    "session": Optional(str), "host": Optional(str), "moment": Optional(str), "state": str, "at": Optional(str),
    "transcript": Optional(str), "tries": Optional(int), "new": Optional(int), "turns": Optional(int),
    "masked": Optional(int), "reason": Optional(str),
}  # fmt: skip
INJECTED: Final = {
    "session": str, "host": Optional(str), "at": Optional(str), "event": Optional(str), "memories": [int],
    "triggered": bool, "unsaved": [str], "tokens": Optional(int),
}  # fmt: skip
OF_SESSION: Final = p.text("session", "Only this session.", level=1)

OPERATIONS: Final = (
    Operation(
        "context",
        "Show what to know before beginning: standing rules and the most important memories, within a budget.",
        "read",
        parameters=(
            p.texts("subject", "Only what is about this subject, or one of these.", level=1),
            p.whole("budget", "About how many tokens it may take. Default 1500.", level=1, minimum=1),
            p.OF_PROJECT,
        ),
        result={"results": [SHOWN], "tokens": int, "truncated": bool, "proposals": int, "unsaved": [LEFT]},
        rows="results",
        idempotent=True,
        doors=Doors("context", mcp_full=True, http=(Route("GET", "/context"),)),
    ),
    Operation(
        "captures",
        "List what hooks captured: accepted, pending, stored, failed; and sessions that ended without it.",
        "read",
        face="history",
        parameters=(p.LIMIT, OF_SESSION),
        result={"results": [CAPTURE], "unsaved": [LEFT]},
        rows="results",
        idempotent=True,
        doors=Doors("captures", mcp_full=True),
    ),
    Operation(
        "ack",
        "Say that nothing more is to be done about a session that ended without capture.",
        "write",
        face="history",
        parameters=(
            p.text("session", "The session.", level=0, required=True, positional=True),
            p.text("reason", "Why.", level=1),
        ),
        result={"session": str},
        idempotent=True,
        doors=Doors("ack", mcp_full=True),
    ),
    Operation(
        "injected",
        "List what agents were shown by themselves: when, in which session, which memories.",
        "read",
        face="history",
        parameters=(p.LIMIT, OF_SESSION),
        result={"results": [INJECTED]},
        rows="results",
        idempotent=True,
        doors=Doors("injected", mcp_full=True),
    ),
)
