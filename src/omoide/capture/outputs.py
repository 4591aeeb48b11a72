"""What a host may be told: text for the model, a refusal, nothing. Never a key that the host does not know."""

from __future__ import annotations

import json
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from omoide.capture.event import Event

MOST_CHARACTERS = 9_500
"""Longer texts are cut by hosts, and by some dropped."""


class Output:
    """Standard output, standard error and exit status of a hook; by default nothing and 0."""

    __slots__ = ("err", "out", "status")

    def __init__(self, out: str = "", err: str = "", status: int = 0) -> None:
        self.out = out
        self.err = err
        self.status = status

    def write(self) -> int:
        """Write it, in UTF-8 whatever the system's encoding; return the status.

        Raises:
            OSError: the host does not read it any more.
        """
        for stream, text in ((sys.stdout, self.out), (sys.stderr, self.err)):
            if text:
                stream.buffer.write(text.encode("utf-8", "replace") + b"\n")
                stream.flush()
        return self.status


def takes_context(event: Event) -> bool:
    """Say whether the model can be shown something at this event of this host."""
    return event.name in event.spec.context


def context(event: Event, text: str) -> Output:
    """Return the output that shows ``text`` to the model; nothing where the host has no way for it."""
    style = event.spec.context.get(event.name)
    if not text or style is None:
        return Output()
    if style == "plain":
        return Output(text)
    wire = {
        "claude": {"hookSpecificOutput": {"hookEventName": event.name, "additionalContext": text}},
        "copilot": {"additionalContext": text},
        "cursor": {"additional_context": text},
        "hermes": {"context": text},
    }[style]
    return Output(json.dumps(wire, ensure_ascii=False))


def can_refuse(event: Event) -> bool:
    """Say whether the host lets itself be held at this event."""
    return event.name in event.spec.block


def refusal(event: Event, reason: str) -> Output:
    """Return the output that refuses what is about to happen, with the reason for the person."""
    style = event.spec.block.get(event.name)
    if style == "exit2":
        return Output(json.dumps({"decision": "block", "reason": reason}, ensure_ascii=False), reason, 2)
    if style == "continue_false":
        return Output(json.dumps({"continue": False, "stopReason": reason}, ensure_ascii=False))
    return Output()
