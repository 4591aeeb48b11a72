"""Which saved segments are put behind the others, which may be erased, and which are left alone: rules on values."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, Literal

from omoide.errors import InvalidInputError
from omoide.model.history import SegmentRow
from omoide.model.time import Micros

DAY: Final = 86_400_000_000
"""Microseconds."""
Fate = Literal["archive", "erase", "keep"]


@dataclass(frozen=True, slots=True)
class Rules:
    """The written policy of retention. Times in days.

    ``looks``: a segment whose looks, each halved every ``half_life``, add up to this much is left alone, so that
    one look protects for ``half_life`` days at 0.5. ``replaced_after``: when a replaced snapshot goes.
    """

    archive_after: float = 30.0
    replaced_after: float = 7.0
    erase_after: float = 180.0
    half_life: float = 30.0
    looks: float = 0.5
    importance: int = 8
    tags: frozenset[str] = frozenset({"critical", "decision", "keep", "important"})
    words: tuple[str, ...] = (
        "DECISION:",
        "IMPORTANT:",
        "CRITICAL:",
        "À RETENIR",
        "A RETENIR",
        "重要：",
        "重要:",
        "ВАЖНО:",
    )


RULES: Final = Rules()


def check_rules(rules: object) -> Rules:
    """Return the rules of retention.

    Raises:
        InvalidInputError: something else.
    """
    if not isinstance(rules, Rules):
        raise InvalidInputError(f"rules must be Rules of retention, not {rules!r}", value=rules)
    return rules


def decayed(uses: float, used_at: Micros | None, now: Micros, half_life: float = RULES.half_life) -> float:
    """Return what is left of the looks at a segment: each counts 1 at first and half of it after ``half_life`` days."""
    if used_at is None or not uses:
        return 0.0
    return float(uses * 2.0 ** (-max(now - used_at, 0) / (half_life * DAY)))


def protection(row: SegmentRow, text: str, now: Micros, rules: Rules = RULES) -> str | None:
    """Return why a segment is left alone, None when nothing speaks for it."""
    if row.importance >= rules.importance:
        return "importance"
    if rules.tags & {tag.casefold() for tag in row.tags}:
        return "tag"
    if marked(text, rules.words):
        return "keyword"
    if decayed(row.uses, row.used_at, now, rules.half_life) >= rules.looks:
        return "looked at"
    if row.restored_at is not None and now - row.restored_at < rules.archive_after * DAY:
        return "restored"
    return None


def marked(text: str, words: tuple[str, ...]) -> bool:
    """Say whether a line begins with one of some words, in that case of letters, behind marks of layout at most."""
    found = "|".join(re.escape(word) for word in words)
    return re.search(rf"^[\s#>*_\-•]{{0,12}}(?:{found})", text, re.MULTILINE) is not None


def due(row: SegmentRow, now: Micros, rules: Rules = RULES) -> Fate:
    """Return what the age of a segment says, before anything speaks for it."""
    if row.archived:
        since = row.at if row.archived_at is None else row.archived_at
        return "erase" if now - since >= rules.erase_after * DAY else "keep"
    limit = rules.archive_after if row.replaced_by is None else min(rules.replaced_after, rules.archive_after)
    return "archive" if now - row.at >= limit * DAY else "keep"
