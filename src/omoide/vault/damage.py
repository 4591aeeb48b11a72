"""What can be wrong with a note: the reasons for which it is set aside until somebody mends it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Final

TOO_LARGE: Final = 8_000_000
"""Bytes of the largest note that is read."""

REASONS: Final = (
    "encoding", "front_matter", "unclosed", "conflict", "too_large", "link_outside", "duplicate", "conflict_copy",
    "invalid", "empty", "unreadable", "refused", "name",
)  # fmt: skip
"""The codes of everything for which a note is set aside."""

# How programs that keep folders in step name the second of two edits.
_COPIES: Final = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"(?P<stem>.+?) \([^()]*(?:conflicted copy|copie en conflit|競合コピー)[^()]*\)",
        r"(?P<stem>.+?)\.sync-conflict-\d{8}-\d{6}(?:-\w+)?",
        r"(?P<stem>.+?)[ -]conflict(?:ed)?[ -]\d{4}-?\d\d-?\d\d.*",
        r"(?P<stem>.+?)_conf\(\d+\)",
        r"(?P<stem>.+?) \((?:Conflict|Case Conflict|slow conflict)[^()]*\)",
        r"(?P<stem>.+?)~(?:HEAD|ours|theirs)(?:_\d+)?",
    )
)
_NUMBERED: Final = re.compile(r"(?P<stem>.+?)(?: \(\d{1,3}\)| \d{1,2}| copy(?: \d{1,3})?| のコピー| - Copie| - コピー)")


@dataclass(frozen=True, slots=True)
class Sides:
    """The names of the two sides of a merge that was not finished, and the line where it starts."""

    ours: str
    theirs: str
    line: int


class DamagedNoteError(Exception):
    """A note that cannot be taken as it is; ``code`` is one of ``REASONS``, the message says what to do."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


def conflict_sides(text: str) -> Sides | None:
    """Return the sides of the first merge conflict that a text holds, None without one.

    Only the three marks in their order, each at the start of a line, make a conflict.
    """
    ours, start, halved = "", 0, False
    for number, line in enumerate(text.split("\n"), 1):
        bare = line.rstrip("\r")
        if bare.startswith("<<<<<<< "):
            ours, start, halved = bare[8:].strip(), number, False
        elif start and bare == "=======":
            halved = True
        elif halved and bare.startswith(">>>>>>> "):
            return Sides(ours, bare[8:].strip(), start)
    return None


def refuse_conflicts(text: str) -> None:
    """Refuse a text with the marks of an unfinished merge.

    Raises:
        DamagedNoteError: it has them; the message names both sides.
    """
    if "<<<<<<< " not in text:
        return
    sides = conflict_sides(text)
    if sides is not None:
        raise DamagedNoteError(
            "conflict",
            f"line {sides.line} starts a merge conflict between {sides.ours!r} and {sides.theirs!r};"
            " keep one of them, or both without the marks",
        )


def original_of_copy(path: str) -> str | None:
    """Return the path that a copy made by a syncing program is of, None for a name that says nothing of the kind."""
    return _stemmed(path, _COPIES)


def original_of_duplicate(path: str) -> str | None:
    """Return the path that a numbered copy (``name 2.md``, ``name copy.md``) may be of, None for other names."""
    return _stemmed(path, (_NUMBERED,))


def _stemmed(path: str, patterns: tuple[re.Pattern[str], ...]) -> str | None:
    place = PurePosixPath(path)
    for pattern in patterns:
        found = pattern.fullmatch(place.stem)
        if found:
            return str(place.with_name(found["stem"] + place.suffix))
    return None
