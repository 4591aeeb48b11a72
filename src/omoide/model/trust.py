"""Trust: who vouches for a version, and what may replace what."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from omoide.errors import InvalidInputError

if TYPE_CHECKING:
    from omoide.types import Trust

LEVELS: Final[tuple[Trust, ...]] = ("untrusted", "derived", "observed", "stated")
RANK: Final[dict[str, int]] = {name: rank for rank, name in enumerate(LEVELS)}


def check_trust(value: object, name: str = "trust") -> Trust:
    """Return ``value`` if it names a level.

    Raises:
        InvalidInputError: any other value.
    """
    for level in LEVELS:
        if value == level:
            return level
    raise InvalidInputError(f"{name} must be one of {', '.join(reversed(LEVELS))}, not {value!r}", value=value)


UNVOUCHED: Final = ("tool:", "web:")
"""How a source begins that nobody vouches for: what a tool printed, what a page said."""


def is_unvouched(source: str | None) -> bool:
    """Say whether a source is the output of a tool or a page of the web by its name."""
    return source is not None and source.strip().lower().startswith(UNVOUCHED)


def lowered(door: Trust, asked: str | None, source: str | None = None) -> Trust:
    """Return the trust of a write: the door's, or what was asked for or the source deserves when that is lower."""
    if asked is None:
        return "untrusted" if is_unvouched(source) else door
    level = "untrusted" if is_unvouched(source) else check_trust(asked)
    return level if RANK[level] < RANK[door] else door


def may_replace(new: Trust, old: Trust) -> bool:
    """Say whether a version of trust ``new`` may replace one of trust ``old``.

    Untrusted and derived versions never replace what a person stated or an agent observed.
    """
    return RANK[new] >= RANK["observed"] or RANK[old] < RANK["observed"]


def at_least(level: Trust) -> tuple[Trust, ...]:
    """Return ``level`` and all levels above it."""
    return LEVELS[RANK[level] :]
