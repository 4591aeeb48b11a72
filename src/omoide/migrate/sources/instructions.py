"""Files in which people tell coding agents what holds (CLAUDE.md, AGENTS.md): a memory for each statement."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

from omoide.errors import InvalidInputError
from omoide.migrate.front import Note, read_note
from omoide.migrate.source import Source
from omoide.migrate.values import Brought, Edit, said
from omoide.types.reports import LeftOut
from omoide.verbs.conversations.repository import repository_of

_HEADING: Final = re.compile(r"(#{1,6})\s+(.*?)\s*#*\s*$")
_ITEM: Final = re.compile(r"( {0,3})(?:[-*+]|\d{1,3}[.)])\s+(.*)$")
_FENCE: Final = re.compile(r"\s*(```+|~~~+)")
_COMMENT: Final = re.compile(r"<!--.*?-->", re.DOTALL)


class Statement(NamedTuple):
    """One item or paragraph, the headings above it, and the line it begins on."""

    text: str
    headings: tuple[str, ...]
    line: int


class Instructions(Source):
    """Markdown files of instructions, or any other: each item of a list and each paragraph is a memory."""

    name = "markdown"

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        names = ("CLAUDE.md", "CLAUDE.local.md", "AGENTS.md", "AGENTS.override.md", "GEMINI.md")
        self._files = [path / name for name in names if (path / name).is_file()] if path.is_dir() else [path]
        if not self._files:
            raise InvalidInputError(f"{path} holds none of {', '.join(names)}", value=str(path))

    def memories(self) -> Iterator[Brought | LeftOut]:
        """Yield a memory for each statement; what the file said on which line is in its metadata."""
        for file in self._files:
            try:
                yield from _brought(file, read_note(file))
            except InvalidInputError as error:
                yield LeftOut(f"markdown:{file.name}", error.message)


def _brought(file: Path, note: Note) -> Iterator[Brought]:
    repository = repository_of(file.absolute().parent)[0]
    place = file.absolute().as_posix()
    if repository is not None:
        place = f"{repository.identity}/{repository.relative(file.absolute()) or file.name}"
    at = file.stat().st_mtime_ns // 1000
    seen: dict[tuple[str, ...], int] = {}
    for each in statements(note.body, note.line):
        key = (place, *each.headings, each.text)
        seen[key] = seen.get(key, 0) + 1
        claim = said(
            each.text, kind="procedure", abstract=" > ".join(each.headings), tags=["instructions"], source=file.name,
            project=None if repository is None else repository.identity, metadata={"headings": list(each.headings)},
        )  # fmt: skip
        ref = f"{file.name}#{each.line}"
        yield Brought((*key, str(seen[key])), (Edit(at, claim, ref),), live=True)


def statements(body: str, first: int = 1) -> Iterator[Statement]:
    """Yield the statements of a Markdown text whose first line is number ``first``; code stays with what it follows."""
    headings: list[tuple[int, str]] = []
    lines, start, fence = list[str](), first, ""
    body = _COMMENT.sub(lambda match: "\n" * match[0].count("\n"), body)
    for number, line in enumerate([*body.split("\n"), ""], first):
        mark = _FENCE.match(line)
        if fence or mark:
            lines.append(line)
            fence = "" if fence and line.strip().startswith(fence) else fence or (mark[1] if mark else "")
            continue
        heading, item = _HEADING.match(line), _ITEM.match(line)
        ends = heading is not None or item is not None or (not line.strip() and not _goes_on(lines))
        if ends and any(each.strip() for each in lines):
            yield Statement(_joined(lines), tuple(title for _, title in headings), start)
        if ends:
            lines, start = [], number if line.strip() else number + 1
        if heading is not None:
            headings = [(level, title) for level, title in headings if level < len(heading[1])]
            headings.append((len(heading[1]), heading[2]))
            start = number + 1
        elif item is not None:
            lines = [item[2]]
        elif line.strip() and not line.strip().startswith("@"):
            lines.append(line)
    if any(each.strip() for each in lines):
        yield Statement(_joined(lines), tuple(title for _, title in headings), start)


def _goes_on(lines: list[str]) -> bool:
    """A line that announces something is not its end."""
    return bool(lines) and lines[-1].rstrip().endswith((":", "："))


def _joined(lines: list[str]) -> str:
    if any(_FENCE.match(line) for line in lines):
        return "\n".join(line.rstrip() for line in lines).strip()
    return "\n".join(line.strip() for line in lines).strip()
