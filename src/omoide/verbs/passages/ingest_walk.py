"""The files below a folder that are to be taken in, and a word on every one that is not."""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

from omoide.types import Ingested

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

IGNORE_FILES: Final = (".gitignore", ".omoideignore")
"""Files of patterns that a folder may hold; the later one decides."""

IGNORED: Final = (
    ".git", ".hg/", ".svn/", ".jj/", ".bzr/", "node_modules/", "bower_components/", "__pycache__/", ".venv/", "venv/",
    ".tox/", ".nox/", ".mypy_cache/", ".pytest_cache/", ".ruff_cache/", ".hypothesis/", ".cache/", ".eggs/",
    "*.egg-info/", ".gradle/", ".terraform/", ".next/", ".nuxt/", ".parcel-cache/", ".ipynb_checkpoints/", ".idea/",
    ".DS_Store", "Thumbs.db", "desktop.ini", ".env", ".env.*", "!.env.example", "*.pyc", "*.pyo", "*.swp", "*~",
    "*.min.js", "*.min.css", "*.map", "package-lock.json", "yarn.lock", "pnpm-lock.yaml", ".index/",
    ".gitignore", ".omoideignore",
)  # fmt: skip
"""What is left out unless a pattern lets it in again: histories, caches, installed packages, secrets, lock files."""

_MOST_PATTERNS: Final = 1_000_000
_FRESH_NS: Final = 2_000_000_000


@dataclass(frozen=True, slots=True)
class Found:
    """A file. ``stat`` stands for its state, None while it was changed so lately that it may change unseen."""

    path: str
    root: str
    size: int
    modified_ns: int
    stat: str | None


@dataclass(slots=True)
class Walk:
    """What a walk came across; ``unseen`` are folders that could not be looked into."""

    files: list[Found] = field(default_factory=list)
    left_out: list[Ingested] = field(default_factory=list)
    unseen: list[str] = field(default_factory=list)

    def leave(self, path: str, status: str, code: str, reason: str) -> None:
        """Report what is not taken in."""
        self.left_out.append(Ingested(printable(path), status, code=code, reason=reason))


@dataclass(frozen=True, slots=True)
class Rules:
    """Patterns of one folder, for everything below it."""

    base: str
    spec: GitIgnoreSpec

    def judge(self, path: str, *, folder: bool) -> bool | None:
        """Say whether a path is named by the patterns, None when they do not speak of it."""
        return self.spec.check_file(relative(path, self.base) + ("/" if folder else "")).include


def walk(root: str, pattern: str, ignore: Sequence[str], into: Walk) -> None:
    """Add what lies below the folder ``root`` to a walk, by name; symbolic links never lead out of it."""
    from pathspec import GitIgnoreSpec

    rules = [Rules(root, GitIgnoreSpec.from_lines(IGNORED)), *_around(root, into)]
    wanted = None if pattern == "**/*" else Rules(root, GitIgnoreSpec.from_lines([pattern]))
    last = Rules(root, GitIgnoreSpec.from_lines(ignore)) if ignore else None
    real = os.path.realpath(root)
    folders: list[tuple[str, list[Rules]]] = [(root, rules)]
    while folders:
        folder, above = folders.pop()
        here = [*above, *_own(folder, into)]
        inside: list[tuple[str, list[Rules]]] = []
        for entry in _entries(folder, into):
            is_folder = entry.is_dir(follow_symlinks=False)
            if not _is_unicode(entry.path):
                into.leave(entry.path, "failed", "name", "its name is not valid Unicode; rename it")
            elif _ignored(entry.path, here, last, folder=is_folder):
                if entry.name not in IGNORE_FILES:
                    into.leave(entry.path, "ignored", "ignored", "a pattern leaves it out")
            elif is_folder:
                inside.append((entry.path, here))
            elif wanted is None or wanted.judge(entry.path, folder=False):
                _take(entry, root, real, into)
        folders += reversed(inside)


def matches(root: str, pattern: str, path: str) -> bool:
    """Say whether a path below a folder has a name that was asked for."""
    from pathspec import GitIgnoreSpec

    return pattern == "**/*" or bool(Rules(root, GitIgnoreSpec.from_lines([pattern])).judge(path, folder=False))


def found_file(path: str, root: str, state: os.stat_result) -> Found:
    """Return a file with its state."""
    fresh = state.st_mtime_ns > time.time_ns() - _FRESH_NS
    told = None if fresh else f"{state.st_size}:{state.st_mtime_ns}:{state.st_ino}"
    return Found(path, root, state.st_size, state.st_mtime_ns, told)


def printable(path: str) -> str:
    """Return a path as text that any store and terminal takes."""
    return path.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def relative(path: str, base: str) -> str:
    """Return a path below ``base`` with forward slashes."""
    return path[len(base) :].lstrip(os.sep).replace(os.sep, "/")


def _entries(folder: str, into: Walk) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as found:
            return sorted(found, key=lambda entry: entry.name)
    except OSError as error:
        into.unseen.append(folder)
        into.leave(folder, "failed", "no_access", f"the folder cannot be read: {error.strerror}")
        return []


def _is_unicode(path: str) -> bool:
    try:
        path.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _ignored(path: str, rules: Sequence[Rules], last: Rules | None, *, folder: bool) -> bool:
    """Let the innermost patterns that speak of a path decide, the caller's first of all."""
    for each in ([last] if last else []) + list(reversed(rules)):
        found = each.judge(path, folder=folder)
        if found is not None:
            return found
    return False


def _take(entry: os.DirEntry[str], root: str, real: str, into: Walk) -> None:
    try:
        if entry.is_symlink() and not _leads_inside(entry, real, into):
            return
        state = entry.stat()
    except OSError as error:
        into.leave(entry.path, "failed", "no_access", f"it cannot be looked at: {error.strerror}")
    else:
        if stat.S_ISREG(state.st_mode):
            into.files.append(found_file(entry.path, root, state))
        else:
            into.leave(entry.path, "skipped", "not_a_file", "it is a device, a pipe or a socket")


def _leads_inside(entry: os.DirEntry[str], real: str, into: Walk) -> bool:
    target = os.path.realpath(entry.path)
    if not (_one_drive(target, real) and os.path.commonpath([target, real]) == real):
        into.leave(entry.path, "skipped", "outside", "the link leads out of the folder")
        return False
    if os.path.isdir(target):  # noqa: PTH112  # the same functions throughout
        into.leave(entry.path, "skipped", "link", "a link to a folder; its files are taken in where they are")
        return False
    return True


def _one_drive(one: str, other: str) -> bool:
    return os.path.splitdrive(one)[0].lower() == os.path.splitdrive(other)[0].lower()


def _around(root: str, into: Walk) -> list[Rules]:
    """Return the patterns of the folders above, none where they leave out the folder that was named itself."""
    found = list(_inherited(root, into))
    return [] if _ignored(root, found, None, folder=True) else found


def _inherited(root: str, into: Walk) -> Iterator[Rules]:
    """Yield the patterns of the folders above, up to the top of the repository that ``root`` lies in."""
    above: list[Path] = []
    for folder in Path(root).parents:
        above.append(folder)
        if (folder / ".git").exists():
            for each in reversed(above):
                yield from _own(str(each), into)
            return
        if (Path(root) / ".git").exists():
            return


def _own(folder: str, into: Walk) -> list[Rules]:
    """Return the patterns that a folder itself holds."""
    from pathspec import GitIgnoreSpec

    lines: list[str] = []
    for name in IGNORE_FILES:
        path = Path(folder) / name
        try:
            if path.is_file():
                with path.open(encoding="utf-8", errors="replace") as stream:
                    lines += _sound(stream.read(_MOST_PATTERNS).splitlines(), str(path), into)
        except OSError as error:
            into.leave(str(path), "failed", "no_access", f"its patterns cannot be read: {error.strerror}")
    return [Rules(folder, GitIgnoreSpec.from_lines(lines))] if lines else []


def _sound(lines: Sequence[str], path: str, into: Walk) -> list[str]:
    """Return the patterns that can be understood; Git passes over the others too."""
    from pathspec import GitIgnoreSpec

    sound: list[str] = []
    for number, line in enumerate(lines, 1):
        try:
            GitIgnoreSpec.from_lines([line])
        except ValueError as error:
            into.leave(path, "skipped", "bad_pattern", f"line {number} is no pattern: {error}")
        else:
            sound.append(line)
    return sound
