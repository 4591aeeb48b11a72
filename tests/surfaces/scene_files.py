"""What scenes of operations read: files and folders, a batch, a segment, a session."""

from __future__ import annotations

from pathlib import Path

from omoide import Memory
from omoide.beside import traces
from omoide.ops import Faces


def transcript(folder: Path) -> str:
    (folder / "said.md").write_text("# Session\n\nRotated the token.\n", encoding="utf-8")
    return str(folder / "said.md")


def folder(folder: Path) -> str:
    (folder / "notes").mkdir(exist_ok=True)
    (folder / "notes" / "a.md").write_text("# A\n\nalpha\n", encoding="utf-8")
    return str(folder / "notes")


def note(folder: Path) -> str:
    (folder / "CLAUDE.md").write_text("# Rules\n\n- Tabs, never spaces.\n", encoding="utf-8")
    return str(folder / "CLAUDE.md")


def other(folder: Path) -> str:
    with Memory(folder / "other.db", embedder="none") as memory:
        memory.remember("only there")
    return str(folder / "other.db")


def exported(folder: Path) -> str:
    with Memory(other(folder), embedder="none") as memory:
        memory.export(folder / "other.jsonl")
    return str(folder / "other.jsonl")


def batch(faces: Faces) -> str:
    memory = faces("memory")
    with memory.batch("session") as made:
        memory.remember("said in a session")
    return str(made)


def archived(faces: Faces) -> str:
    history = faces("history")
    made = history.save("Rotated the token.")
    history.archive(made)
    return str(made)


def left(faces: Faces) -> str:
    traces.add(faces.path, {"session": "s-1", "host": "codex"}, {"k": "edit", "paths": ["a.py"], "t": "2026-01-01"})
    return "s-1"
