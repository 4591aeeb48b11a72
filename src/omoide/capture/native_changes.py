"""What became of a note since it was read: statements that are new, that changed, that are gone, that stayed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from rapidfuzz.fuzz import ratio

from omoide.text.statements import Statement
from omoide.types import MemoryRecord

ALIKE: Final = 60.0
"""Per cent of likeness from which a changed statement is the old one, edited."""


@dataclass(slots=True)
class Changes:
    """``edited`` pairs a memory with the statement that took its place."""

    new: list[Statement] = field(default_factory=list)
    edited: list[tuple[MemoryRecord, Statement]] = field(default_factory=list)
    gone: list[MemoryRecord] = field(default_factory=list)
    same: int = 0


def folded(text: str) -> str:
    """Return a text by which two statements are one: white space aside."""
    return " ".join(text.split())


def compare(known: Sequence[MemoryRecord], found: Sequence[Statement]) -> Changes:
    """Return what changed between the memories that a note stands behind and what it says now."""
    changes = Changes()
    left = {folded(record.text): record for record in known}
    fresh = []
    for statement in {folded(each.text): each for each in reversed(found)}.values():
        if left.pop(folded(statement.text), None) is not None:
            changes.same += 1
        else:
            fresh.append(statement)
    for statement in sorted(fresh, key=lambda each: each.line):
        nearest = max(left.values(), key=lambda record: ratio(record.text, statement.text), default=None)
        if nearest is not None and ratio(nearest.text, statement.text) >= ALIKE:
            del left[folded(nearest.text)]
            changes.edited.append((nearest, statement))
        else:
            changes.new.append(statement)
    changes.gone = list(left.values())
    return changes
