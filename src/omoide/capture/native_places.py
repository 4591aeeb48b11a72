"""Where agents keep notes of their own: instruction files of a project and of a person, and Claude Code's memory."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from omoide.errors import MissingPathError
from omoide.serve.project import project_of

PROJECT: Final = (
    "CLAUDE.md", ".claude/CLAUDE.md", "CLAUDE.local.md", "AGENTS.md", "GEMINI.md", ".github/copilot-instructions.md",
)  # fmt: skip
USER: Final = (".claude/CLAUDE.md", ".codex/AGENTS.md", ".gemini/GEMINI.md", ".config/opencode/AGENTS.md")
_SEPARATOR: Final = re.compile(r"[^A-Za-z0-9]")


def project_root(folder: Path) -> Path:
    """Return the root of the project that a folder lies in, else the folder."""
    place = project_of(folder)
    return place.root if place is not None else folder.absolute()


def memory_folder(root: Path) -> Path:
    """Return where Claude Code keeps its own notes about a project."""
    home = os.environ.get("CLAUDE_CONFIG_DIR")
    base = Path(home).expanduser() if home else Path.home() / ".claude"
    return base / "projects" / _SEPARATOR.sub("-", str(root)) / "memory"


def notes(root: Path) -> list[Path]:
    """Return the notes there are for a project and for its person, each file once."""
    found = [root / name for name in PROJECT]
    found += [Path.home() / name for name in USER]
    found += sorted(memory_folder(root).glob("*.md"))
    return list(_distinct(path for path in found if path.is_file()))


def named(paths: Sequence[str | os.PathLike[str]]) -> list[Path]:
    """Return the files that are meant; a folder stands for the notes in it.

    Raises:
        MissingPathError: one of them is not there.
    """
    found: list[Path] = []
    for each in paths:
        path = Path(each).expanduser().absolute()
        if not path.exists():
            raise MissingPathError(f"{path} is not there", value=str(path))
        found += sorted(path.glob("*.md")) if path.is_dir() else [path]
    return list(_distinct(found))


def _distinct(paths: Iterator[Path] | Sequence[Path]) -> Iterator[Path]:
    seen = set()
    for path in paths:
        real = path.resolve()
        if real not in seen:
            seen.add(real)
            yield path


def label_of(path: Path, root: Path, project: str | None) -> str:
    """Return what sources call a file: below its project the same in every clone, else its place on the machine."""
    if project is not None and path.is_relative_to(root):
        return f"{project}/{path.relative_to(root).as_posix()}"
    if path.is_relative_to(Path.home()):
        return f"~/{path.relative_to(Path.home()).as_posix()}"
    return path.as_posix()


def belongs(path: Path, root: Path) -> bool:
    """Say whether what a file says holds for this project only."""
    return path.is_relative_to(root) or path.parent == memory_folder(root)
