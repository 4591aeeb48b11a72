"""Claude Code."""

from __future__ import annotations

from omoide.capture.hosts.spec import HostSpec, Place

TOOLS = "^(Read|Edit|Write|MultiEdit|NotebookEdit|Bash|mcp__.*omoide.*)$"

HOST = HostSpec(
    name="claude-code",
    title="Claude Code",
    events={
        "SessionStart": "start",
        "UserPromptSubmit": "prompt",
        "PreToolUse": "tool",
        "PostToolUse": "tool",
        "PostToolUseFailure": "tool",
        "Stop": "stop",
        "SubagentStop": "stop",
        "StopFailure": "stop",
        "PreCompact": "compact",
        "PostCompact": "compacted",
        "SessionEnd": "end",
        "Notification": "idle",
    },
    installed=("SessionStart", "PostToolUse", "Stop", "SubagentStop", "PreCompact", "PostCompact", "SessionEnd"),
    on_request=("UserPromptSubmit",),
    matchers={"PreToolUse": TOOLS, "PostToolUse": TOOLS},
    limits={"SessionStart": 10, "UserPromptSubmit": 10, "PostToolUse": 10, "SessionEnd": 10},
    context={
        "SessionStart": "claude",
        "UserPromptSubmit": "claude",
        "PreToolUse": "claude",
        "PostToolUse": "claude",
    },
    block={"PreCompact": "exit2"},
    message=("SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop", "PreCompact"),
    binaries=("claude",),
    folders=("{root}",),
    roots={"root": ("CLAUDE_CONFIG_DIR", "{home}/.claude"), "beside": ("CLAUDE_CONFIG_DIR", "{home}")},
    mcp=Place("{beside}/.claude.json", "{project}/.mcp.json", "json", "stdio"),
    hooks=Place("{root}/settings.json", "{project}/.claude/settings.json", "json", "groups-exec"),
    instructions=Place("{root}/CLAUDE.md", "{project}/CLAUDE.md", "markdown"),
    skills=Place("{root}/skills", "{project}/.claude/skills", "folder"),
    steps=("step.restart", "project:step.trust_folder"),
    transcripts=("{root}/projects",),
    off=(("hooks", ("disableAllHooks",), True),),
)
