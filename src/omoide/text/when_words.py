"""What a language says about time, as data: words with their values, and patterns that put them together.

A pattern is a regular expression in which a blank stands for white space and ``{name}`` for a group whose value is
looked up: ``{n} {unit} ago => sign=-1``. What follows ``=>`` are further parts. A pattern that begins with ``?`` is too
weak to count alone: it needs a connector ("since May", "between May and June"). Words are written in small letters
and, in Latin script, without accents.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

Names = Mapping[str, Mapping[str, int | str]]


@dataclass(frozen=True, slots=True)
class Words:
    """One language.

    ``names`` maps a group to its words and their values. ``before`` and ``behind`` are the connectors on each side of
    an expression: since, until, before, after, early, mid, late, and ``week-before``, ``day-after``, ``week-in`` and
    so on, which have to stand before the shorter "before" and "after". ``ranges`` are triples of what stands before,
    between and behind the two ends of a range. ``ahead`` tells that a question is about the future. ``hints`` are the
    telling words of patterns without a unit, weekday, month, season, part of the day or digit.
    """

    names: Names
    patterns: str
    before: Mapping[str, str] = field(default_factory=dict)
    behind: Mapping[str, str] = field(default_factory=dict)
    ranges: tuple[tuple[str, str, str], ...] = ()
    hints: str = ""
    ahead: str = ""
    spaced: bool = True


def values(table: str) -> dict[str, int]:
    """Return the words of ``word|word=value`` items."""
    found: dict[str, int] = {}
    for item in table.split():
        words, _, value = item.rpartition("=")
        found |= dict.fromkeys((word.replace("_", " ") for word in words.split("|")), int(value))
    return found


def named(table: str) -> dict[str, str]:
    """Return the words of ``word|word=name`` items; ``_`` in a word is a blank."""
    found: dict[str, str] = {}
    for item in table.split():
        words, _, name = item.rpartition("=")
        found |= dict.fromkeys((word.replace("_", " ") for word in words.split("|")), name)
    return found
