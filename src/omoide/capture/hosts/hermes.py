"""Hermes Agent. It has no event of compaction that could be read about; its sessions lie in a database."""

from __future__ import annotations

from omoide.capture.hosts.spec import HostSpec, Place

HOST = HostSpec(
    name="hermes",
    title="Hermes Agent",
    events={
        "on_session_start": "start",
        "pre_llm_call": "prompt",
        "post_llm_call": "stop",
        "pre_tool_call": "tool",
        "post_tool_call": "tool",
        "subagent_stop": "stop",
        "on_session_end": "stop",
        "on_session_finalize": "end",
        "on_session_reset": "end",
    },
    installed=("on_session_start", "pre_llm_call", "on_session_end", "on_session_finalize", "on_session_reset"),
    limits={
        "on_session_start": 10,
        "pre_llm_call": 10,
        "on_session_end": 10,
        "on_session_finalize": 10,
        "on_session_reset": 10,
    },
    context={"pre_llm_call": "hermes"},
    binaries=("hermes",),
    folders=("{root}",),
    roots={
        "root": (
            "HERMES_HOME",
            {"linux": "{home}/.hermes", "darwin": "{home}/.hermes", "win32": "{localappdata}/hermes"},
        ),
        "localappdata": ("LOCALAPPDATA", "{home}/AppData/Local"),
    },
    mcp=Place("{root}/config.yaml", None, "yaml", "plain"),
    hooks=Place("{root}/config.yaml", None, "yaml", "hermes"),
    instructions=Place(None, "{project}/AGENTS.md", "markdown"),
    skills=Place("{root}/skills", None, "folder"),
    experimental=("hooks:win32",),
    steps=("mcp:step.hermes_reload", "hooks:step.hermes_consent"),
    transcripts=("{root}",),
)
