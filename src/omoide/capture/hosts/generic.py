"""Any other host: its events carry the names of the moments, and its files are written in the project only."""

from __future__ import annotations

from omoide.capture.hosts.spec import MOMENTS, HostSpec, Place

HOST = HostSpec(
    name="generic",
    title="Any other agent",
    events={moment: moment for moment in MOMENTS},
    context={"start": "plain", "prompt": "plain", "tool": "plain", "compacted": "plain"},
    mcp=Place(None, "{project}/.mcp.json", "json", "stdio"),
    instructions=Place(None, "{project}/AGENTS.md", "markdown"),
    steps=("step.generic_hooks",),
)
