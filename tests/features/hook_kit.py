"""Hooks run as a host runs them: a payload on standard input, what comes back on the streams, the exit status."""

from __future__ import annotations

import io
import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from omoide import History, Memory
from omoide.capture import hook
from omoide.capture.working import run

SESSION = "7f2abd2d-7cfc-4447-9ddd-3ca8d14e02e9"


@dataclass(frozen=True)
class Said:
    """What a hook said, and how it ended."""

    out: str
    err: str
    status: int

    @property
    def json(self) -> Any:
        return json.loads(self.out) if self.out.strip() else {}

    @property
    def context(self) -> str:
        """What reaches the model, whatever the host's form."""
        found = self.json
        inner = found.get("hookSpecificOutput", {}).get("additionalContext")
        return str(
            inner or found.get("additionalContext") or found.get("additional_context") or found.get("context", "")
        )


@dataclass
class Hooks:
    """A machine with a home, a project and a store, whose hooks run in this process and start no worker."""

    root: Path
    patch: pytest.MonkeyPatch
    capture: pytest.CaptureFixture[str]

    @property
    def store(self) -> str:
        return str(self.root / "home" / ".omoide" / "agents.db")

    @property
    def home(self) -> Path:
        return self.root / "home"

    @property
    def project(self) -> Path:
        return self.root / "work" / "shop"

    @property
    def folder(self) -> Path:
        """Where hooks keep their files."""
        return Path(self.store + "-capture")

    def __call__(self, host: str, event: str, payload: Any = None, *options: str) -> Said:
        raw = payload if isinstance(payload, bytes) else json.dumps(payload if payload is not None else {}).encode()
        self.patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(raw), encoding="utf-8"))
        self.capture.readouterr()
        status = hook.main([host, event, "--store", self.store, *options])
        said = self.capture.readouterr()
        return Said(said.out, said.err, status)

    def claude(self, event: str, **more: Any) -> Said:
        """An event of Claude Code in the usual session."""
        return self("claude-code", event, self.common(event) | more)

    def common(self, event: str, session: str = SESSION) -> dict[str, Any]:
        return {
            "session_id": session, "transcript_path": str(self.transcript(session)), "cwd": str(self.project),
            "hook_event_name": event, "permission_mode": "default",
        }  # fmt: skip

    def transcript(self, session: str = SESSION) -> Path:
        folder = self.home / ".claude" / "projects" / "-work-shop"
        folder.mkdir(parents=True, exist_ok=True)
        return folder / f"{session}.jsonl"

    def say(self, *texts: str, session: str = SESSION, role: str = "user") -> Path:
        """Add turns to the transcript of a session of Claude Code, as the host writes them."""
        path = self.transcript(session)
        with path.open("a", encoding="utf-8") as file:
            for text in texts:
                file.write(json.dumps(claude_line(session, text, role, str(self.project)), ensure_ascii=False) + "\n")
        return path

    def remember(self, text: str, **more: Any) -> int:
        with Memory(self.store, embedder="none", **more.pop("handle", {})) as memory:
            return int(memory.remember(text, **more))

    def work(self) -> int:
        """Let the worker do what waits."""
        return run(self.store)

    def found(self, query: str, **more: Any) -> list[str]:
        """Return the texts that the history of the store answers with."""
        with History(self.store, embedder="none") as history:
            return [hit.text for hit in history.search(query, **more)]

    def captures(self) -> list[dict[str, Any]]:
        with History(self.store, embedder="none") as history:
            rows: list[dict[str, Any]] = history.captures()["results"]
            return rows

    def unsaved(self) -> list[str]:
        with History(self.store, embedder="none") as history:
            return [row["session"] for row in history.captures()["unsaved"]]


_NUMBER = iter(range(1, 1_000_000))


def claude_line(session: str, text: str, role: str, cwd: str) -> dict[str, Any]:
    """Return one line of a transcript of Claude Code."""
    number = next(_NUMBER)
    at = f"2026-11-29T10:{number // 60 % 60:02d}:{number % 60:02d}.000Z"
    content: Any = text if role == "user" else [{"type": "text", "text": text}]
    return {
        "parentUuid": None, "isSidechain": False, "userType": "external", "cwd": cwd, "sessionId": session,
        "version": "2.1.39", "gitBranch": "main", "type": role, "message": {"role": role, "content": content},
        "uuid": f"00000000-0000-4000-8000-{number:012d}", "timestamp": at,
    }  # fmt: skip
