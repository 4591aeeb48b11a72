"""Cursor, the editor and its command line."""

from __future__ import annotations

from omoide.capture.hosts.spec import HostSpec, Place

HOST = HostSpec(
    name="cursor",
    title="Cursor",
    events={
        "sessionStart": "start",
        "beforeSubmitPrompt": "prompt",
        "preToolUse": "tool",
        "postToolUse": "tool",
        "postToolUseFailure": "tool",
        "beforeShellExecution": "tool",
        "afterShellExecution": "tool",
        "afterFileEdit": "tool",
        "stop": "stop",
        "subagentStop": "stop",
        "preCompact": "compact",
        "sessionEnd": "end",
    },
    installed=("sessionStart", "postToolUse", "stop", "preCompact", "sessionEnd"),
    on_request=(),
    limits={"sessionStart": 10, "postToolUse": 10, "stop": 10, "preCompact": 10, "sessionEnd": 10},
    context={"sessionStart": "cursor", "postToolUse": "cursor"},
    binaries=("cursor", "cursor-agent"),
    folders=("{home}/.cursor",),
    mcp=Place("{home}/.cursor/mcp.json", "{project}/.cursor/mcp.json", "jsonc", "bare"),
    hooks=Place("{home}/.cursor/hooks.json", "{project}/.cursor/hooks.json", "json", "cursor"),
    instructions=Place(None, "{project}/AGENTS.md", "markdown"),
    skills=Place("{home}/.cursor/skills", "{project}/.cursor/skills", "folder"),
    experimental=("skills", "hooks:win32"),
    steps=("step.restart", "project:step.trust_folder"),
    transcripts=("{home}/.cursor/projects",),
    windows_shell="powershell",
)
