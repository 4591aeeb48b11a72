"""Citations: what a text in ``cites`` names, and whether it is still as it was."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from pathlib import Path
from typing import Final, Literal

from omoide.model.time import Micros
from omoide.verbs.conversations.repository import Repository

Verdict = Literal["current", "stale", "unresolved"]
CheckUrl = Callable[[str], object]

_URL: Final = re.compile(r"[a-z][a-z0-9+.-]+://", re.IGNORECASE)
_PINNED: Final = re.compile(r"(?P<path>.+)@(?P<commit>[0-9a-fA-F]{4,64})", re.DOTALL)
_COMMIT: Final = re.compile(r"(?:(?:git|commit):)?(?P<commit>[0-9a-fA-F]{7,64})")
_LINES: Final = re.compile(r"(?:#L?\d+(?:-L?\d+)?|:\d+(?:[:-]\d+)?)$")
_HASHED: Final = 16 * 1024 * 1024
"""Bytes up to which a file is compared by what it holds, beyond by size and time."""


@dataclass(frozen=True, slots=True)
class Cited:
    """One citation taken apart: an address, or a path, a commit, or both."""

    text: str
    url: bool = False
    path: str | None = None
    commit: str | None = None


@dataclass(frozen=True, slots=True)
class Seen:
    """What a look at a citation found; ``mark`` stands for what the file held."""

    verdict: Verdict
    mark: bytes | None = None


def parse(text: str) -> Cited:
    """Return what a citation names: ``https://...``, ``path``, ``path@commit`` or a commit; lines are left out."""
    if _URL.match(text):
        return Cited(text, url=True)
    pinned = _PINNED.fullmatch(text)
    if pinned is not None:
        return Cited(text, path=_LINES.sub("", pinned["path"]) or None, commit=pinned["commit"].lower())
    commit = _COMMIT.fullmatch(text)
    if commit is not None:
        return Cited(text, commit=commit["commit"].lower())
    return Cited(text, path=_LINES.sub("", text) or text)


class Place:
    """A folder in which citations are looked up, with its repository if it has one."""

    def __init__(self, root: Path, repository: Repository | None, cited: Iterable[Cited], since: Micros) -> None:
        self.root, self.repository = root, repository
        self._pins = [each for each in cited if each.commit is not None]
        self._verdicts: dict[Cited, Verdict] = {}
        self._marks: dict[str, bytes | None] = {}
        self._since = since

    def pinned(self, cited: Cited) -> Verdict:
        """Compare what a commit held with what is there now."""
        if cited not in self._verdicts:
            self._verdicts[cited] = self._compared(cited)
        return self._verdicts[cited]

    def _compared(self, cited: Cited) -> Verdict:
        repository, commit = self.repository, self._commits.get(cited.commit or "")
        if repository is None or commit is None or commit not in self._ancestors:
            return "unresolved"
        if cited.path is None:
            then, now = (self._objects.get(f"{each}^{{tree}}") for each in (cited.commit, "HEAD"))
            return "current" if then == now else "stale"
        path = repository.relative(self.root / cited.path)
        then = None if path is None else self._objects.get(f"{cited.commit}:{path}")
        if path is None or then is None:
            return "unresolved"
        same = then == self._objects.get(f"HEAD:{path}") and not repository.changed(path)
        return "current" if same else "stale"

    def file(self, cited: Cited, since: Micros | None, before: bytes | None) -> Seen:
        """Say whether a file is as it was: at the last look, and, if ``since`` is given, at that time."""
        path = cited.path or ""
        if path not in self._marks:
            self._marks[path] = _mark(self.root / path)
        mark = self._marks[path]
        if mark is None:
            return Seen("unresolved", before)
        if before is not None and before != mark:
            return Seen("stale", before)
        if since is not None and self._changed_after(self.root / path, since):
            return Seen("stale", before or mark)
        return Seen("current", before or mark)

    def _changed_after(self, file: Path, since: Micros) -> bool:
        path = None if self.repository is None else self.repository.relative(file)
        touched = file.stat().st_mtime * 1_000_000 > since
        if path is None or self.repository is None or not self._tracked(path):
            return touched and file.is_file()
        return self._changes.get(path, 0) * 1_000_000 > since or (touched and self.repository.changed(path))

    def _tracked(self, path: str) -> bool:
        return self.repository is not None and path in self._index

    @cached_property
    def _index(self) -> frozenset[str]:
        return frozenset() if self.repository is None else self.repository.files()

    @cached_property
    def _changes(self) -> dict[str, int]:
        return {} if self.repository is None else self.repository.last_changes(self._since // 1_000_000)

    @cached_property
    def _objects(self) -> dict[str, str]:
        return {} if self.repository is None else self.repository.objects(self._asked(self.repository))

    def _asked(self, repository: Repository) -> Sequence[str]:
        names = ["HEAD^{tree}"]
        for cited in self._pins:
            names += [f"{cited.commit}^{{commit}}", f"{cited.commit}^{{tree}}"]
            path = None if cited.path is None else repository.relative(self.root / cited.path)
            names += [] if path is None else [f"{cited.commit}:{path}", f"HEAD:{path}"]
        return names

    @cached_property
    def _commits(self) -> dict[str, str]:
        """The full hash of every commit that is cited and known, by the hash as it is cited."""
        named = {str(cited.commit): self._objects.get(f"{cited.commit}^{{commit}}") for cited in self._pins}
        return {short: full for short, full in named.items() if full is not None}

    @cached_property
    def _ancestors(self) -> frozenset[str]:
        return frozenset() if self.repository is None else self.repository.ancestors(self._commits.values())


def _mark(file: Path) -> bytes | None:
    """Return what stands for the content of a file; for a folder, that it is there; None for nothing."""
    try:
        if file.is_dir():
            return b"folder"
        about = file.stat()
        if about.st_size > _HASHED:
            return blake2b(f"{about.st_size}:{about.st_mtime_ns}".encode(), digest_size=16).digest()
        return blake2b(file.read_bytes(), digest_size=16).digest() if file.is_file() else None
    except (OSError, ValueError):  # ValueError: a path with NUL
        return None
