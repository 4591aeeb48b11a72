"""VS Code with Copilot chat."""

from __future__ import annotations

from omoide.capture.hosts.spec import HostSpec, Place

USER = {
    "linux": "{config}/Code/User",
    "darwin": "{home}/Library/Application Support/Code/User",
    "win32": "{appdata}/Code/User",
}

HOST = HostSpec(
    name="vscode",
    title="VS Code",
    events={
        "SessionStart": "start",
        "UserPromptSubmit": "prompt",
        "PreToolUse": "tool",
        "PostToolUse": "tool",
        "PreCompact": "compact",
        "Stop": "stop",
        "SubagentStop": "stop",
    },
    installed=("SessionStart", "PostToolUse", "PreCompact", "Stop", "SubagentStop"),
    on_request=("UserPromptSubmit",),
    limits={"SessionStart": 10, "PostToolUse": 10, "PreCompact": 10, "Stop": 10, "SubagentStop": 10},
    context={"SessionStart": "claude", "PreToolUse": "claude", "PostToolUse": "claude"},
    message=("SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PreCompact", "Stop"),
    binaries=("code", "code-insiders"),
    folders=("{user}",),
    roots={
        "user": ("", USER),
        "config": ("XDG_CONFIG_HOME", "{home}/.config"),
        "appdata": ("APPDATA", "{home}/AppData/Roaming"),
    },
    mcp=Place("{user}/mcp.json", "{project}/.vscode/mcp.json", "jsonc", "servers"),
    hooks=Place(None, "{project}/.github/hooks/omoide.json", "json", "vscode"),
    instructions=Place(None, "{project}/AGENTS.md", "markdown"),
    skills=Place(None, "{project}/.github/skills", "folder"),
    experimental=("hooks", "skills"),
    steps=("project:step.trust_folder", "user:step.vscode_hooks"),
    transcripts=("{user}/workspaceStorage",),
    windows_shell="powershell",
)
