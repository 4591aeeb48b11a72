"""What git says of a folder: its head, what a commit held, what changed since. Reads only, never the network."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterable, Sequence
from functools import cached_property
from pathlib import Path
from typing import Final

PATIENCE: Final = 60.0
"""Seconds that one question to git may take."""
_ASK_SINGLY: Final = 16
_ADDRESS: Final = re.compile(
    r"(?:[a-z+]+://(?:[^@/]*@)?|(?:[^@/]+@)?)(?P<host>[^/:]+)(?::\d+/|[:/])(?P<path>.+)", re.IGNORECASE
)
_QUIET: Final = {
    "GIT_TERMINAL_PROMPT": "0", "GIT_OPTIONAL_LOCKS": "0", "GIT_NO_LAZY_FETCH": "1", "LC_ALL": "C",
}  # fmt: skip
# A look runs neither hooks nor helpers.
_PLAIN: Final = ("-c", "core.fsmonitor=false", "-c", "diff.external=", "-c", "core.hooksPath=", "--no-pager")


_MISLEADING: Final = frozenset({"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_COMMON_DIR"})


class Repository:
    """The repository that a folder lies in, at its present head."""

    def __init__(self, git: str, top: Path) -> None:
        self._git, self.top = git, top

    @cached_property
    def head(self) -> str | None:
        """The full hash of the head, None before the first commit."""
        return self._line("rev-parse", "--verify", "--quiet", "HEAD^{commit}")

    @cached_property
    def identity(self) -> str:
        """The same in every clone and worktree: host/owner/name of the remote, else the root folder."""
        common = self._line("rev-parse", "--path-format=absolute", "--git-common-dir")
        main = self.top if common is None else Path(common).parent.resolve()
        return _plain_address(self._remote) if self._remote else main.as_posix()

    @cached_property
    def names(self) -> frozenset[str]:
        """What a memory may call this repository: its identity, its remote as given, its root folder."""
        known = {self.identity, self._remote, self.top.as_posix(), str(self.top)}
        return frozenset(name for name in known if name)

    @cached_property
    def _remote(self) -> str | None:
        return self._line("config", "--get", "remote.origin.url")

    @cached_property
    def dirty(self) -> frozenset[str]:
        """The tracked paths, relative to the root, that differ from the head."""
        out = "" if self.head is None else self._run("diff", "--no-ext-diff", "--name-only", "-z", "HEAD")
        return frozenset(path for path in (out or "").split("\0") if path)

    def files(self) -> frozenset[str]:
        """Return the tracked paths."""
        return frozenset(path for path in (self._run("ls-files", "-z", "--full-name") or "").split("\0") if path)

    def changed(self, path: str) -> bool:
        """Say whether a path, or anything below it, differs from the head."""
        return path in self.dirty or any(other.startswith(f"{path}/") for other in self.dirty)

    def objects(self, names: Sequence[str]) -> dict[str, str]:
        """Return the hash of each object that exists, by name (``commit^{commit}``, ``commit:path``)."""
        asked = [name for name in dict.fromkeys(names) if "\n" not in name]
        out = self._run("cat-file", "--batch-check=%(objectname) %(objecttype)", text="\n".join(asked) + "\n")
        lines = (out or "").splitlines()
        if len(lines) != len(asked):
            return {}
        answers = (line.split() for line in lines)
        return {
            name: parts[0]
            for name, parts in zip(asked, answers, strict=True)
            if len(parts) == 2 and parts[1] in ("blob", "tree", "commit", "tag")
        }

    def ancestors(self, commits: Iterable[str]) -> frozenset[str]:
        """Return those of some full hashes that the head descends from, or is."""
        wanted = set(commits)
        if len(wanted) > _ASK_SINGLY:
            return frozenset((self._run("rev-list", "HEAD") or "").split()) & wanted
        return frozenset(each for each in wanted if self._run("merge-base", "--is-ancestor", each, "HEAD") is not None)

    def last_changes(self, since: int) -> dict[str, int]:
        """Return the time, in seconds, of the last commit of each path that one changed after ``since``."""
        out = self._run("log", "--no-ext-diff", "--format=%x01%ct", "--name-only", "-z", f"--since=@{since}", "HEAD")
        found: dict[str, int] = {}
        at = 0
        for part in re.split("[\0\n]", out or ""):
            if part.startswith("\x01"):
                at = int(part[1:])
            elif part:
                found[part] = max(at, found.get(part, at))
        return found

    def relative(self, file: Path) -> str | None:
        """Return a path as git names it, None outside of the repository."""
        try:
            return Path(os.path.normpath(file)).relative_to(self.top).as_posix()
        except ValueError:
            return None

    def _line(self, *arguments: str) -> str | None:
        out = self._run(*arguments)
        return None if out is None else out.strip() or None

    def _run(self, *arguments: str, text: str | None = None) -> str | None:
        return _ask(self._git, self.top, *arguments, text=text)


def repository_of(folder: Path) -> tuple[Repository | None, str | None]:
    """Return the repository that a folder lies in, else None and why."""
    git = shutil.which("git")
    if git is None:
        return None, "git is not installed, so commits cannot be looked up"
    top = _ask(git, folder, "rev-parse", "--show-toplevel")
    if top is None or not top.strip():
        return None, f"{folder} is in no git repository"
    return Repository(git, Path(top.strip()).resolve()), None


def _ask(git: str, folder: Path, *arguments: str, text: str | None = None) -> str | None:
    """Return what git writes, or None when it fails or takes too long."""
    # Inside a hook of git these name another repository than the folder's.
    world = {name: value for name, value in os.environ.items() if name not in _MISLEADING}
    try:
        done = subprocess.run(  # noqa: S603  (a fixed program, arguments apart from each other)
            [git, *_PLAIN, *arguments], cwd=folder, input=text, capture_output=True, timeout=PATIENCE, check=False,
            encoding="utf-8", errors="surrogateescape", env=world | _QUIET,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout if done.returncode == 0 else None


def _plain_address(address: str) -> str:
    match = _ADDRESS.fullmatch(address)
    if match is None or len(match["host"]) == 1:
        return address
    return f"{match['host'].lower()}/{match['path'].strip('/').removesuffix('.git')}"
