"""Copilot CLI. An event written in PascalCase is the same event with another shape of payload."""

from __future__ import annotations

from omoide.capture.hosts.spec import HostSpec, Place

HOST = HostSpec(
    name="copilot-cli",
    title="Copilot CLI",
    events={
        "sessionStart": "start",
        "userPromptSubmitted": "prompt",
        "preToolUse": "tool",
        "postToolUse": "tool",
        "postToolUseFailure": "tool",
        "agentStop": "stop",
        "subagentStop": "stop",
        "errorOccurred": "stop",
        "preCompact": "compact",
        "sessionEnd": "end",
        "notification": "idle",
        "SessionStart": "start",
        "UserPromptSubmit": "prompt",
        "PreToolUse": "tool",
        "PostToolUse": "tool",
        "Stop": "stop",
        "SubagentStop": "stop",
        "PreCompact": "compact",
        "SessionEnd": "end",
    },
    installed=("sessionStart", "postToolUse", "agentStop", "subagentStop", "preCompact", "sessionEnd"),
    limits={
        "sessionStart": 10,
        "postToolUse": 10,
        "agentStop": 10,
        "subagentStop": 10,
        "preCompact": 10,
        "sessionEnd": 10,
    },
    context={"sessionStart": "copilot", "postToolUse": "copilot", "notification": "copilot"},
    binaries=("copilot",),
    folders=("{root}",),
    roots={"root": ("COPILOT_HOME", "{home}/.copilot")},
    mcp=Place("{root}/mcp-config.json", "{project}/.mcp.json", "json", "copilot"),
    hooks=Place("{root}/hooks/omoide.json", "{project}/.github/hooks/omoide-copilot.json", "json", "copilot"),
    instructions=Place("{root}/copilot-instructions.md", "{project}/AGENTS.md", "markdown"),
    skills=Place("{root}/skills", "{project}/.github/skills", "folder"),
    steps=("step.restart", "project:step.trust_folder"),
    transcripts=("{root}/session-state",),
)
