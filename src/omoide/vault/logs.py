"""The logs of all writers of a vault, read as one history of lines."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from omoide.vault.files import HIDDEN
from omoide.vault.journal import BEGIN, END, PART, Line, decode

LOG: Final = "log"
SUFFIX: Final = ".jsonl"

Signature = dict[str, list[int]]
"""Size and identity of each log file, by its path below the folder of logs; identity 0 is not known."""


def folder(root: Path) -> Path:
    """Return where the logs of a vault lie."""
    return root / HIDDEN / LOG


def signature(root: Path) -> Signature:
    """Return what tells whether any log changed, without reading them."""
    found: Signature = {}
    for writer, file in _files(folder(root)):
        state = os.stat(file.path)  # noqa: PTH116  (the entry's own is not fresh on every system)
        found[f"{writer}/{file.name}"] = [state.st_size, state.st_ino]
    return found


def same(one: Signature, other: Signature) -> bool:
    """Say whether two looks saw the same logs."""
    return one.keys() == other.keys() and all(
        size == other[name][0] and (0 in (inode, other[name][1]) or inode == other[name][1])
        for name, (size, inode) in one.items()
    )


def as_read(before: Signature, now: Signature, writer: str | None) -> Signature:
    """Return how logs looked before they were read, with those of one writer, who wrote meanwhile, as they look now."""
    mine = f"{writer}/"
    others = {name: state for name, state in before.items() if not name.startswith(mine)}
    return others | {name: state for name, state in now.items() if name.startswith(mine)}


def _files(logs: Path) -> Iterator[tuple[str, os.DirEntry[str]]]:
    try:
        with os.scandir(logs) as writers:
            names = sorted(entry.name for entry in writers if entry.is_dir(follow_symlinks=False))
    except FileNotFoundError:
        return
    for name in names:
        with os.scandir(logs / name) as inside:
            entries = [each for each in inside if each.name.endswith(SUFFIX) and each.is_file(follow_symlinks=False)]
        yield from ((name, entry) for entry in sorted(entries, key=lambda each: each.name))


def files(root: Path) -> list[Path]:
    """Return every log file."""
    return [Path(entry.path) for _, entry in _files(folder(root))]


@dataclass(slots=True)
class Journal:
    """Every line that can be read, by its hash. ``problems``: what cannot, one text each."""

    lines: dict[str, Line] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
    _bridges: dict[str, str] = field(default_factory=dict)

    def finish(self) -> None:
        """Leave out snapshots that were not written to their end, and bridge lines that are missing."""
        whole: set[str] = set()
        for line in self.lines.values():
            at: Line | None = line if line.snapshot == END else None
            while at is not None and at.hash not in whole:
                whole.add(at.hash)
                at = None if at.snapshot == BEGIN else self.lines.get(at.prev or "")
        for name in [line.hash for line in self.lines.values() if line.snapshot and line.hash not in whole]:
            del self.lines[name]
        self._bridge()

    def _bridge(self) -> None:
        """Where the line before one is missing, its writer's last one before counts in its place.

        That is told, unless a snapshot holds what the line says.
        """
        numbers: dict[str, list[Line]] = {}
        gaps: list[Line] = []
        for line in sorted(self.lines.values(), key=lambda line: line.number):
            if line.prev is not None and line.prev not in self.lines and line.snapshot in (None, PART, END):
                earlier = numbers.get(line.writer, [])
                if earlier:
                    self._bridges[line.prev] = earlier[-1].hash
                gaps.append(line)
            numbers.setdefault(line.writer, []).append(line)
        whole = self.known(name for line in self.lines.values() if line.snapshot == END for name in line.also)
        self.problems += [
            f"the log of {line.writer} lacks what comes before its line {line.number}"
            for line in gaps
            if line.hash not in whole
        ]

    def before(self, line: Line) -> str | None:
        """Return the line whose state a line changes, as far as it is there."""
        return None if line.prev is None else self._bridges.get(line.prev, line.prev)

    def heads(self) -> list[Line]:
        """Return the lines that no other line holds."""
        held = {each for line in self.lines.values() for each in (self.before(line), *line.also)}
        return [line for line in self.lines.values() if line.hash not in held]

    def known(self, tips: Iterable[str]) -> set[str]:
        """Return every line that some lines hold, themselves included; those that are not there too."""
        found: set[str] = set()
        edge = list(tips)
        while edge:
            name = edge.pop()
            if name in found:
                continue
            found.add(name)
            line = self.lines.get(name)
            if line is not None:
                edge.extend(each for each in (line.prev, self.before(line), *line.also) if each is not None)
        return found

    def holding(self, tip: str) -> set[str]:
        """Return every line that a line holds, but for those that are missing on the way to its state."""
        return self.known([tip]) - {line.prev for line in self.path_to(tip) or () if line.prev not in self.lines}

    def makes(self, tip: str) -> bool:
        """Say whether the state of a line can be made of what is there."""
        return tip in self.lines and self.is_whole(self.path_to(tip) or ())

    def is_whole(self, path: Iterable[Line], since: str | None = None) -> bool:
        """Say whether no line is missing on a way; one that begins with a snapshot, or after ``since``, needs none."""
        return all(line.prev in (None, since) or line.prev in self.lines for line in path)

    def path_to(self, tip: str, since: str | None = None) -> list[Line] | None:
        """Return the lines that make the state of ``tip`` out of that of ``since``; None when it is no ancestor.

        Without ``since``, out of an empty store, or of a snapshot, which then comes first.
        """
        found: list[Line] = []
        at: str | None = tip
        while at is not None and at != since:
            line = self.lines.get(at)
            if line is None:
                break
            found.append(line)
            at = None if line.snapshot == BEGIN else self.before(line)
        found.reverse()
        return found if since is None or at == since else None


def read(root: Path) -> Journal:
    """Read every log of a vault. Lines that are damaged are left out and named."""
    journal = Journal()
    for writer, entry in _files(folder(root)):
        _read_file(journal, writer, Path(entry.path))
    journal.finish()
    return journal


def _read_file(journal: Journal, writer: str, file: Path) -> None:
    for number, found in _decoded(writer, file):
        if isinstance(found, Line):
            journal.lines.setdefault(found.hash, found)
        else:
            journal.problems.append(f"{HIDDEN}/{LOG}/{writer}/{file.name}, line {number}: {_what(found)}")


def lines_of(file: Path) -> Iterator[Line]:
    """Yield the lines of one log that can be read."""
    yield from (found for _, found in _decoded(file.parent.name, file) if isinstance(found, Line))


def _decoded(writer: str, file: Path) -> Iterator[tuple[int, Line | bytes]]:
    """Yield the lines of a file with their numbers; of those that are damaged the bytes."""
    for number, raw in enumerate(file.read_bytes().split(b"\n"), 1):
        data = raw.rstrip(b"\r")
        if data:
            try:
                yield number, decode(data, writer)
            except (ValueError, TypeError, RecursionError):
                yield number, data


def _what(data: bytes) -> str:
    if data.startswith((b"<<<<<<<", b"=======", b">>>>>>>")):
        return "a conflict mark of git; the lines around it count, the mark can go"
    return "it cannot be read and was left out"
