"""Where a host's transcripts lie: the newest of them, and that of one session."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from omoide.capture.hosts.known import host_named
from omoide.capture.hosts.spec import HostSpec
from omoide.capture.locating import Machine

NAMES: Final[dict[str, tuple[str, ...]]] = {
    "claude-code": ("*/*.jsonl",),
    "codex": ("*/*/*/rollout-*.jsonl", "rollout-*.jsonl"),
    "cursor": ("*/agent-transcripts/*/*.jsonl", "*/agent-transcripts/*.jsonl"),
    "gemini": ("*/chats/session-*.json", "*/chats/session-*.jsonl"),
    "copilot-cli": ("*/events.jsonl",),
    "opencode": ("opencode*.db",),
    "hermes": ("state.db",),
    "vscode": ("*/chatSessions/*.json", "*/chatSessions/*.jsonl"),
}
"""Patterns of the files below the folders that a host's table names."""
SHARED: Final = frozenset({"opencode", "hermes"})
"""Hosts that keep all sessions in one database."""
MOST: Final = 200


def newest(host: str, since: float, machine: Machine | None = None) -> list[Path]:
    """Return a host's transcripts that changed after ``since`` (seconds since 1970), at most 200, the latest first."""
    found = [(when, path) for path in _all(host, machine or Machine()) if (when := _changed(path)) > since]
    return [path for _, path in sorted(found, key=lambda item: -item[0])[:MOST]]


def of_session(host: str, session: str, machine: Machine | None = None) -> Path | None:
    """Return the transcript of a session of which only the name is known."""
    if not session:
        return None
    for path in _all(host, machine or Machine()):
        if host in SHARED or session in path.name or session == path.parent.name:
            return path
    return None


def companions(transcript: Path) -> list[Path]:
    """Return the transcripts of the subagents that a session started, which lie in a folder of its name."""
    folder = transcript.with_suffix("")
    return sorted(folder.rglob("*.jsonl"))[:MOST] if transcript.suffix == ".jsonl" and folder.is_dir() else []


def _all(host: str, machine: Machine) -> Iterator[Path]:
    spec = host_named(host)
    for folder in [] if spec is None else _folders(spec, machine):
        for pattern in NAMES.get(host, ()):
            try:
                yield from (path for path in folder.glob(pattern) if path.is_file() and not path.is_symlink())
            except OSError:
                continue


def _folders(spec: HostSpec, machine: Machine) -> list[Path]:
    return [machine.path(spec, template) for template in spec.transcripts]


def _changed(path: Path) -> float:
    """Return when a file, or the log of a database, was last written."""
    times = []
    for each in (path, Path(f"{path}-wal")):
        try:
            times.append(os.stat(each).st_mtime)
        except OSError:
            continue
    return max(times, default=0.0)
