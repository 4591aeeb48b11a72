"""Trust: who vouches for a version, and what may replace what."""

from __future__ import annotations

from typing import Final, get_args

from omoide.errors import InvalidInputError
from omoide.types import Trust

LEVELS: Final[tuple[Trust, ...]] = ("untrusted", "derived", "observed", "stated")
RANK: Final[dict[str, int]] = {name: rank for rank, name in enumerate(LEVELS)}

assert set(LEVELS) == set(get_args(Trust))


def check_trust(value: object, name: str = "trust") -> Trust:
    """Return ``value`` if it names a level.

    Raises:
        InvalidInputError: any other value.
    """
    for level in LEVELS:
        if value == level:
            return level
    raise InvalidInputError(f"{name} must be one of {', '.join(reversed(LEVELS))}, not {value!r}", value=value)


def lowered(door: Trust, asked: str | None) -> Trust:
    """Return the trust of a write: the door's, or what was asked for when that is lower."""
    if asked is None:
        return door
    level = check_trust(asked)
    return level if RANK[level] < RANK[door] else door


def may_replace(new: Trust, old: Trust) -> bool:
    """Say whether a version of trust ``new`` may replace one of trust ``old``.

    Untrusted and derived versions never replace what a person stated or an agent observed.
    """
    return RANK[new] >= RANK["observed"] or RANK[old] < RANK["observed"]


def at_least(level: Trust) -> tuple[Trust, ...]:
    """Return ``level`` and all levels above it."""
    return LEVELS[RANK[level] :]
