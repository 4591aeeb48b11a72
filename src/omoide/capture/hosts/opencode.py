"""OpenCode; its first and its second configuration differ in where servers stand."""

from __future__ import annotations

from omoide.capture.hosts.spec import HostSpec, Place

HOST = HostSpec(
    name="opencode",
    title="OpenCode",
    events={
        "session.created": "start",
        "chat.message": "prompt",
        "tool.execute.before": "tool",
        "tool.execute.after": "tool",
        "session.idle": "stop",
        "session.error": "stop",
        "experimental.session.compacting": "compact",
        "session.compacted": "compacted",
        "session.deleted": "end",
    },
    installed=(
        "session.created",
        "session.idle",
        "experimental.session.compacting",
        "session.compacted",
        "session.deleted",
    ),
    context={"experimental.session.compacting": "plain"},
    binaries=("opencode",),
    folders=("{root}",),
    roots={
        "root": ("OPENCODE_CONFIG_DIR", "{config}/opencode"),
        "config": ("XDG_CONFIG_HOME", "{home}/.config"),
        "data": ("XDG_DATA_HOME", "{home}/.local/share"),
    },
    mcp=Place(
        ("{root}/opencode.json", "{root}/opencode.jsonc"),
        (
            "{project}/opencode.json",
            "{project}/opencode.jsonc",
            "{project}/.opencode/opencode.json",
            "{project}/.opencode/opencode.jsonc",
        ),
        "jsonc",
        "opencode",
    ),
    hooks=Place("{root}/plugins/omoide.js", "{project}/.opencode/plugins/omoide.js", "script", "opencode"),
    instructions=Place("{root}/AGENTS.md", "{project}/AGENTS.md", "markdown"),
    skills=Place("{root}/skills", "{project}/.opencode/skills", "folder"),
    experimental=("hooks", "mcp:v2"),
    steps=("step.restart",),
    transcripts=("{data}/opencode",),
)
