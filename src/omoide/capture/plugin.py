"""The plugin for Claude Code, made from the same tables and texts as ``omoide setup claude-code``."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any, Final

from omoide import __version__
from omoide.capture import entries
from omoide.capture.hosts.claude_code import HOST
from omoide.capture.program import Program

PROGRAM: Final = Program("", command=("omoide",), platform="linux")
"""On the path: a plugin is the same on every machine."""
MANIFEST: Final = ".claude-plugin/plugin.json"


def files(folder: Path) -> dict[str, str]:
    """Return the files of the plugin that are made, by their paths below ``folder``; the manifest keeps its words."""
    manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    made = {
        MANIFEST: _json({**manifest, "version": __version__}),
        "hooks/hooks.json": _json({"hooks": _hooks()}),
        ".mcp.json": _json({"mcpServers": {entries.NAME: _server()}}),
    }
    return made | {f"skills/{name}/SKILL.md": text for name, text in entries.skills()}


def _hooks() -> dict[str, list[Any]]:
    return {edit.path[1]: [edit.value] for edit in entries.hook_edits(HOST, PROGRAM)}


def _server() -> Any:
    (edit,) = entries.server_edits("bare", PROGRAM)
    return edit.value


def _json(value: Any) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"


def write(folder: Path) -> None:
    """Write the made files of the plugin into its folder."""
    for name, text in files(folder).items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    write(Path(sys.argv[1]))
