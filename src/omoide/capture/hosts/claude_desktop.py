"""Claude Desktop: a server is all that it takes."""

from __future__ import annotations

from omoide.capture.hosts.spec import HostSpec, Place

FOLDER = {
    "linux": "{config}/Claude",
    "darwin": "{home}/Library/Application Support/Claude",
    "win32": "{appdata}/Claude",
}

HOST = HostSpec(
    name="claude-desktop",
    title="Claude Desktop",
    folders=("{folder}",),
    roots={
        "folder": ("", FOLDER),
        "config": ("XDG_CONFIG_HOME", "{home}/.config"),
        "appdata": ("APPDATA", "{home}/AppData/Roaming"),
    },
    mcp=Place("{folder}/claude_desktop_config.json", None, "json", "bare"),
    experimental=("mcp:linux",),
    steps=("step.restart",),
)
