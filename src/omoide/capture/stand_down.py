"""When a hook keeps out of it: inside an agent that a memory tool runs for itself, or when somebody said so."""

from __future__ import annotations

import os

OWN = "OMOIDE_EXECUTOR"
"""Set for every agent that omoide starts itself."""
OFF = "OMOIDE_HOOKS"
OTHERS = ("AGENT_MEMORY_EXECUTOR", "CLAUDE_MEM_INTERNAL")
"""What other memory tools set for the agents that they start."""
_NO = frozenset({"0", "off", "no", "false", "none"})
_WORKSHOPS = (".claude-mem",)
"""Folders in which other memory tools let their agents work."""


def standing_down(cwd: str) -> bool:
    """Say whether this session is nobody's work: its events are left alone."""
    if os.environ.get(OFF, "on").strip().lower() in _NO:
        return True
    if any(os.environ.get(name) for name in (OWN, *OTHERS)):
        return True
    parts = cwd.replace("\\", "/").split("/")
    return any(name in parts for name in _WORKSHOPS)
