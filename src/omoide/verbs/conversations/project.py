"""Which project a folder belongs to: the repository, and which of its worktrees and branches.

Read from the files of git, without running it: hooks and commands ask this at every start.
"""

from __future__ import annotations

import os
import re
from configparser import Error as ConfigError
from configparser import RawConfigParser
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Final

_SCP: Final = re.compile(r"(?:[^@/]+@)?(?P<host>[^:/]+):(?!/)(?P<path>.+)")
_URL: Final = re.compile(r"[a-z+]+://(?:[^@/]*@)?(?P<host>[^/:]+)(?::\d+)?/(?P<path>.+)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Project:
    """``name``: the same in every clone and worktree of a repository with a remote, else its root folder."""

    name: str
    root: Path
    worktree: str | None = None
    branch: str | None = None

    @property
    def tree(self) -> str:
        """The name of this worktree alone."""
        place = self.worktree or self.branch
        return self.name if place is None else f"{self.name}#{place}"


def project_of(folder: str | os.PathLike[str]) -> Project | None:
    """Return the project that a folder lies in, None outside of any."""
    start = Path(folder).absolute()
    for root in (start, *start.parents):
        git = root / ".git"
        if git.is_dir():
            return _project(root, git, git, None)
        if git.is_file():
            return _linked(root, git)
    return None


@lru_cache(128)
def name_of(folder: str) -> str | None:
    """Return what is filed under a folder: its project, outside of any the folder itself, None for a home or root."""
    found = project_of(folder)
    if found is not None:
        return found.name
    place = Path(folder).absolute()
    return None if place in (place.parent, Path.home()) else place.as_posix()


def _linked(root: Path, pointer: Path) -> Project | None:
    """A worktree or submodule, whose ``.git`` file names the real folder."""
    head, _, target = _first_line(pointer).partition(":")
    if head.strip() != "gitdir" or not target.strip():
        return None
    git = (root / target.strip()).resolve()
    common = _first_line(git / "commondir")
    shared = (git / common).resolve() if common else git
    return _project(root, git, shared, git.name if common else None)


def _project(root: Path, git: Path, shared: Path, worktree: str | None) -> Project:
    remote = _remote(shared / "config")
    main = shared.parent if shared.name == ".git" else root
    name = _normal(remote) if remote else main.resolve().as_posix()
    return Project(name, root, worktree, _branch(git / "HEAD"))


def _remote(config: Path) -> str | None:
    """Return the address of ``origin``."""
    parser = RawConfigParser(strict=False, allow_no_value=True, interpolation=None, delimiters=("=",))
    try:
        lines = config.read_text(encoding="utf-8", errors="replace").splitlines()
        parser.read_string("\n".join(line.strip() for line in lines))
    except (OSError, ConfigError):
        return None
    url = parser.get('remote "origin"', "url", fallback=None)
    return url.strip() if url else None


def _normal(url: str) -> str:
    """Return ``host/owner/name`` whatever the protocol, user and suffix; a path stays a path."""
    match = _URL.fullmatch(url) or _SCP.fullmatch(url)
    if match is None or len(match["host"]) == 1:  # C:\\work is a path
        return url
    path = match["path"].strip("/").removesuffix(".git")
    return f"{match['host'].lower()}/{path}"


def _branch(head: Path) -> str | None:
    line = _first_line(head)
    return line.removeprefix("ref: refs/heads/") if line.startswith("ref: refs/heads/") else None


def _first_line(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8", errors="replace").partition("\n")[0].strip()
    except OSError:
        return ""
