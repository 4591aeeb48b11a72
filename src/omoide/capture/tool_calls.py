"""What a call of a tool touched: paths, allow-listed programs, saves in our own store. Never a command line."""

from __future__ import annotations

import json
import os
import re

from omoide.capture import payload as p

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from omoide.capture.event import Event

EDITING = frozenset(
    {
        "edit", "write", "multiedit", "notebookedit", "write_file", "replace", "apply_patch", "create", "edit_file",
        "str_replace", "str_replace_editor", "search_replace", "insert_edit_into_file", "create_file",
        "replace_string_in_file", "patch", "update_file",
    }
)  # fmt: skip
PROGRAMS = frozenset(
    {
        "ansible", "ansible-playbook", "aws", "az", "cargo", "docker", "flyctl", "gcloud", "gh", "git", "go", "gradle",
        "helm", "heroku", "kubectl", "make", "mvn", "mysql", "npm", "pip", "pnpm", "podman", "psql", "pulumi",
        "pytest", "redis-cli", "rsync", "scp", "sftp", "sqlite3", "ssh", "systemctl", "terraform", "tofu", "uv",
        "vercel", "yarn",
    }
)  # fmt: skip
"""Programs whose name is kept; of every other command nothing is."""
SAVING = ("remember", "revise", "supersede", "history_save")
_WRAPPERS = frozenset(
    {
        "bash", "command", "doas", "env", "exec", "nice", "nohup", "setsid", "sh", "stdbuf", "sudo", "time", "timeout",
        "watch", "xargs", "zsh",
    }
)  # fmt: skip
_PATHS = (
    "file_path", "filePath", "notebook_path", "path", "target_file", "absolute_path", "relative_workspace_path", "file",
)  # fmt: skip
_COMMANDS = ("command", "cmd", "script")
_PATCHED = re.compile(r"^\*\*\* (?:Add|Update|Delete) File: (.+)$", re.MULTILINE)
_SPLIT = re.compile(r"[;|&(){}`\n<>]+|\$\(")
_SECRET = re.compile(
    r"(?:gh[opsu]_|github_pat_|AKIA|ASIA|sk-|xox[a-z]-|glpat-|AIza|eyJ)[\w.+/=-]{12,}|(?<=[=:])[^/\\]+"
)
_LONGEST_PATH = 400
_MOST = 50


class Call:
    """A tool's name, its paths, the programs of its command, and whether it saved something with us."""

    __slots__ = ("edits", "paths", "programs", "saved", "tool")

    def __init__(self, tool: str, paths: list[str], programs: list[str], *, edits: bool, saved: bool) -> None:
        self.tool = tool
        self.paths = paths
        self.programs = programs
        self.edits = edits
        self.saved = saved


def call_of(event: Event) -> Call:
    """Return what an event says of a tool; one of a single tool names it by its own name."""
    payload = event.payload
    tool = p.text(payload, *p.TOOL) or _implied(event.name)
    given = _object(p.value(payload, *p.TOOL_INPUT))
    texts = [text for source in (given, payload) for name in _COMMANDS if (text := _command(source.get(name)))]
    paths = [path for source in (given, payload) for name in _PATHS if isinstance(path := source.get(name), str)]
    paths += [path for text in (*texts, *_texts(given)) for path in _PATCHED.findall(text)]
    edits = tool.lower() in EDITING and not event.before
    kept = [plain_path(path) for path in dict.fromkeys(paths) if path.strip()]
    return Call(tool, kept[:_MOST], programs_in(texts), edits=edits, saved=_saved(tool, event))


def _implied(name: str) -> str:
    return {"afterFileEdit": "edit", "afterShellExecution": "shell", "beforeShellExecution": "shell"}.get(name, "")


def _object(given: Any) -> dict[str, Any]:
    """Return the arguments of a tool; some hosts hand them over as a text."""
    if isinstance(given, str):
        try:
            given = json.loads(given)
        except ValueError:
            given = {"input": given}
    return given if isinstance(given, dict) else {}


def _command(given: Any) -> str:
    if isinstance(given, list):
        return " ".join(str(word) for word in given)
    return given if isinstance(given, str) else ""


def _texts(given: dict[str, Any]) -> list[str]:
    return [given[name] for name in ("input", "patch", "patchText") if isinstance(given.get(name), str)]


def plain_path(path: str) -> str:
    """Return a path for the record: without what looks like a secret in it, and not longer than 400 characters."""
    return _SECRET.sub("…", path)[:_LONGEST_PATH] if _drive(path) is None else _drive(path)


def _drive(path: str) -> Any:
    """Keep the colon of a drive from being taken for a secret's."""
    drive, rest = os.path.splitdrive(path)
    return None if not drive else drive + _SECRET.sub("…", rest)[:_LONGEST_PATH]


def programs_in(commands: list[str]) -> list[str]:
    """Return the allow-listed programs that commands start, in order of their names."""
    found: set[str] = set()
    for command in commands:
        for part in _SPLIT.split(command):
            found |= _started(re.split(r"[\s\"']+", part.strip()))
    return sorted(found)


def _started(words: list[str]) -> set[str]:
    """Return the program that one simple command starts, looked for behind wrappers such as ``sudo``."""
    wrapped = False
    for word in words:
        name = re.split(r"[/\\]", word)[-1].removesuffix(".exe")
        if name in PROGRAMS:
            return {name}
        if name in _WRAPPERS:
            wrapped = True
        elif not (wrapped or re.match(r"\w+=", word) or not word):
            return set()
    return set()


def _saved(tool: str, event: Event) -> bool:
    """Say whether the call put something into our store: one that was refused, or known before, did not."""
    if event.before or not tool.endswith(SAVING) or not _is_ours(tool, event):
        return False
    answer = p.value(event.payload, *p.TOOL_OUTPUT)
    said = answer if isinstance(answer, str) else json.dumps(answer, ensure_ascii=False)
    compact = said.replace(" ", "").replace("\\", "").lower()
    refused = ('"iserror":true', '"is_error":true', '"error":{', '"saved":false', '"known":true')
    return "failure" not in event.name.lower() and not any(sign in compact for sign in refused)


def _is_ours(tool: str, event: Event) -> bool:
    server = p.text(event.payload, "server", "server_name", "mcp_server_name", "mcpServer")
    return "omoide" in f"{tool} {server}".lower() or tool.startswith("MCP:")
