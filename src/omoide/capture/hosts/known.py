"""Which hosts there are; each is imported when it is asked for."""

from __future__ import annotations

from importlib import import_module

from omoide.capture.hosts.spec import HostSpec

NAMES = (
    "claude-code", "codex", "cursor", "gemini", "opencode", "vscode", "copilot-cli", "hermes", "claude-desktop",
    "windsurf", "generic",
)  # fmt: skip
ALIASES = {
    "claude": "claude-code", "copilot": "copilot-cli", "code": "vscode", "vs-code": "vscode",
    "codex-cli": "codex", "gemini-cli": "gemini", "hermes-agent": "hermes", "claude_code": "claude-code",
}  # fmt: skip
"""Other names of theirs."""


def host_named(name: str) -> HostSpec | None:
    """Return the table of a host, by its name or an alias; None for an unknown one."""
    known = ALIASES.get(name, name)
    if known not in NAMES:
        return None
    host: HostSpec = import_module(f"omoide.capture.hosts.{known.replace('-', '_')}").HOST
    return host
