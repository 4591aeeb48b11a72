"""Codex CLI."""

from __future__ import annotations

from omoide.capture.hosts.spec import HostSpec, Place

HOST = HostSpec(
    name="codex",
    title="Codex CLI",
    events={
        "SessionStart": "start",
        "UserPromptSubmit": "prompt",
        "PreToolUse": "tool",
        "PostToolUse": "tool",
        "PreCompact": "compact",
        "PostCompact": "compacted",
        "Stop": "stop",
        "SubagentStop": "stop",
        "StopFailure": "stop",
        "Interrupt": "stop",
        "SessionEnd": "end",
        "agent-turn-complete": "stop",
    },
    installed=("SessionStart", "PostToolUse", "PreCompact", "PostCompact", "Stop"),
    on_request=("UserPromptSubmit",),
    limits={
        "SessionStart": 10,
        "UserPromptSubmit": 10,
        "PostToolUse": 10,
        "PreCompact": 10,
        "PostCompact": 10,
        "Stop": 10,
    },
    context={
        "SessionStart": "claude",
        "UserPromptSubmit": "claude",
        "PreToolUse": "claude",
        "PostToolUse": "claude",
    },
    block={"PreCompact": "continue_false"},
    message=("SessionStart", "UserPromptSubmit", "PostToolUse", "PreCompact", "Stop"),
    binaries=("codex",),
    folders=("{root}",),
    roots={"root": ("CODEX_HOME", "{home}/.codex")},
    mcp=Place("{root}/config.toml", "{project}/.codex/config.toml", "toml", "plain"),
    hooks=Place("{root}/hooks.json", "{project}/.codex/hooks.json", "json", "groups-shell"),
    instructions=Place("{root}/AGENTS.md", "{project}/AGENTS.md", "markdown"),
    skills=Place("{root}/skills", "{project}/.agents/skills", "folder"),
    experimental=("hooks:win32",),
    steps=("hooks:step.codex_trust", "project:step.codex_project"),
    transcripts=("{root}/sessions", "{root}/archived_sessions"),
    off=(("mcp", ("features", "hooks"), False), ("mcp", ("features", "codex_hooks"), False)),
)
