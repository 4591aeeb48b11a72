"""Windsurf: its server entry, in the newer or the older file."""

from __future__ import annotations

from omoide.capture.hosts.spec import HostSpec, Place

HOST = HostSpec(
    name="windsurf",
    title="Windsurf",
    binaries=("windsurf",),
    folders=("{home}/.codeium",),
    mcp=Place(("{home}/.codeium/windsurf/mcp_config.json", "{home}/.codeium/mcp_config.json"), None, "json", "bare"),
    instructions=Place(None, "{project}/AGENTS.md", "markdown"),
    experimental=("mcp", "instructions"),
    steps=("step.restart",),
)
