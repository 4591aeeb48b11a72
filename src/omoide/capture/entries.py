"""What each host wants to read: the shapes of server entries and of hooks, by the ``style`` in its table."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from omoide.capture.editing.edits import Edit
from omoide.capture.hosts.spec import HostSpec
from omoide.capture.program import Program, powershell

NAME: Final = "omoide"
"""What the server is called in every configuration."""
LIMIT: Final = 60
"""Seconds for a hook that its table gives no limit."""
Entry = dict[str, Any]


# -- servers -----------------------------------------------------------------------------------------------


def _bare(program: Program) -> Entry:
    first, *rest = program.server()
    return {"command": first, "args": rest}


def _stdio(program: Program) -> Entry:
    return {"type": "stdio", **_bare(program)}


def _local(program: Program) -> Entry:
    return {"type": "local", **_bare(program), "tools": ["*"]}


def _opencode(program: Program) -> Entry:
    return {"type": "local", "command": program.server(), "enabled": True}


def _opencode_second(program: Program) -> Entry:
    return {"type": "local", "command": program.server()}


SERVERS: Final[Mapping[str, tuple[tuple[str, ...], Callable[[Program], Entry]]]] = {
    "bare": (("mcpServers",), _bare),
    "stdio": (("mcpServers",), _stdio),
    "copilot": (("mcpServers",), _local),
    "servers": (("servers",), _stdio),
    "plain": (("mcp_servers",), _bare),
    "opencode": (("mcp",), _opencode),
    "opencode-v2": (("mcp", "servers"), _opencode_second),
}
"""Where a server's entry stands, and what it is."""


def server_edits(style: str, program: Program) -> list[Edit]:
    """Return the edit that makes a host start the MCP server."""
    path, make = SERVERS[style]
    return [Edit("set", (*path, NAME), make(program))]


def opencode_style(content: Any) -> str:
    """Return which of its two configurations OpenCode has here: the second keeps servers one level deeper."""
    servers = content.get("mcp", {}) if isinstance(content, Mapping) else {}
    inner = servers.get("servers") if isinstance(servers, Mapping) else None
    return "opencode-v2" if isinstance(inner, Mapping) and "type" not in inner else "opencode"


# -- hooks -------------------------------------------------------------------------------------------------


def hook_edits(host: HostSpec, program: Program, *, prompts: bool = False) -> list[Edit]:
    """Return the edits that make a host tell omoide of its events; ``prompts``: of every prompt too."""
    assert host.hooks is not None
    if host.hooks.style == "opencode":
        return [Edit("file", (), plugin_script(host, program))]
    events = (*host.installed, *(host.on_request if prompts else ()))
    edits = [Edit("default", ("version",), 1)] if host.hooks.style in ("cursor", "copilot", "vscode") else []
    shape = HOOKS[host.hooks.style]
    return [*edits, *(Edit("add", ("hooks", event), shape(host, program, event)) for event in events)]


def _group(host: HostSpec, event: str, handler: Entry) -> Entry:
    matcher = host.matchers.get(event)
    return {**({} if matcher is None else {"matcher": matcher}), "hooks": [handler]}


def _limit(host: HostSpec, event: str) -> int:
    return host.limits.get(event, LIMIT)


def _group_exec(host: HostSpec, program: Program, event: str) -> Entry:
    """A command and its arguments apart: no shell, the same on every system."""
    first, *rest = program.hook(host.name, event)
    return _group(host, event, {"type": "command", "command": first, "args": rest, "timeout": _limit(host, event)})


def _group_shell(host: HostSpec, program: Program, event: str) -> Entry:
    line = program.line(program.hook(host.name, event), host)
    return _group(host, event, {"type": "command", "command": line, "timeout": _limit(host, event)})


def _group_milliseconds(host: HostSpec, program: Program, event: str) -> Entry:
    line = program.line(program.hook(host.name, event), host)
    handler = {"name": NAME, "type": "command", "command": line, "timeout": _limit(host, event) * 1000}
    return _group(host, event, handler)


def _flat(host: HostSpec, program: Program, event: str) -> Entry:
    return {"command": program.line(program.hook(host.name, event), host), "timeout": _limit(host, event)}


def _vscode(host: HostSpec, program: Program, event: str) -> Entry:
    words = program.hook(host.name, event)
    entry = {"type": "command", "command": program.line(words, host), "timeout": _limit(host, event)}
    return {**entry, "windows": powershell(words)} if program.platform == "win32" else entry


def _copilot(host: HostSpec, program: Program, event: str) -> Entry:
    words = program.hook(host.name, event)
    return {
        "type": "command", "bash": shlex.join(words), "powershell": powershell(words),
        "timeoutSec": _limit(host, event),
    }  # fmt: skip


def _hermes(host: HostSpec, program: Program, event: str) -> Entry:
    return {"command": shlex.join(program.hook(host.name, event)), "timeout": _limit(host, event)}


HOOKS: Final[Mapping[str, Callable[[HostSpec, Program, str], Entry]]] = {
    "groups-exec": _group_exec,
    "groups-shell": _group_shell,
    "groups-milliseconds": _group_milliseconds,
    "cursor": _flat,
    "vscode": _vscode,
    "copilot": _copilot,
    "hermes": _hermes,
}
"""One item under an event."""


def plugin_script(host: HostSpec, program: Program) -> str:
    """Return OpenCode's plugin with the command in its place."""
    words = program.hook(host.name, "EVENT")
    template = (Path(__file__).parent / "templates" / "opencode.js").read_text(encoding="utf-8")
    return template.replace("__COMMAND__", json.dumps(words, ensure_ascii=False))


# -- texts -------------------------------------------------------------------------------------------------


def instructions() -> str:
    """Return what an agent is told about its memory."""
    return (Path(__file__).parent / "templates" / "instructions.md").read_text(encoding="utf-8").strip("\n")


def instruction_edits() -> list[Edit]:
    """Return the edit that puts the instructions into a file of instructions, between marks."""
    return [Edit("block", ("instructions",), instructions())]


def skills() -> Iterator[tuple[str, str]]:
    """Yield the folder name and the text of every skill."""
    for folder in sorted((Path(__file__).parent / "templates" / "skills").iterdir()):
        yield folder.name, (folder / "SKILL.md").read_text(encoding="utf-8")
