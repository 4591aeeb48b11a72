"""Gemini CLI."""

from __future__ import annotations

from omoide.capture.hosts.spec import HostSpec, Place

HOST = HostSpec(
    name="gemini",
    title="Gemini CLI",
    events={
        "SessionStart": "start",
        "BeforeAgent": "prompt",
        "AfterAgent": "stop",
        "BeforeTool": "tool",
        "AfterTool": "tool",
        "PreCompress": "compact",
        "SessionEnd": "end",
        "Notification": "idle",
    },
    installed=("SessionStart", "BeforeAgent", "AfterAgent", "AfterTool", "PreCompress", "SessionEnd"),
    matchers={"AfterTool": "*", "SessionStart": "*", "PreCompress": "*", "SessionEnd": "*"},
    limits={
        "SessionStart": 10,
        "BeforeAgent": 10,
        "AfterAgent": 10,
        "AfterTool": 10,
        "PreCompress": 10,
        "SessionEnd": 10,
    },
    context={"SessionStart": "claude", "BeforeAgent": "claude", "AfterTool": "claude"},
    message=("SessionStart", "BeforeAgent", "AfterAgent", "AfterTool"),
    binaries=("gemini",),
    folders=("{home}/.gemini",),
    mcp=Place("{home}/.gemini/settings.json", "{project}/.gemini/settings.json", "jsonc", "bare"),
    hooks=Place("{home}/.gemini/settings.json", "{project}/.gemini/settings.json", "jsonc", "groups-milliseconds"),
    instructions=Place("{home}/.gemini/GEMINI.md", "{project}/GEMINI.md", "markdown"),
    skills=Place("{home}/.gemini/skills", "{project}/.gemini/skills", "folder"),
    experimental=("hooks:win32",),
    steps=("step.restart", "step.trust_folder"),
    transcripts=("{home}/.gemini/tmp",),
    windows_shell="powershell",
    off=(("hooks", ("hooksConfig", "enabled"), False),),
)
