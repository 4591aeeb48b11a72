"""Kinds and importance: the tables that ranking and retention read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from omoide.errors import InvalidInputError

DAY: Final = 86_400.0


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of memory: its code in the columns and its default half-life in seconds."""

    code: int
    half_life: float


_SEMANTIC, _EPISODIC, _PROCEDURAL = 90 * DAY, 30 * DAY, 180 * DAY

KINDS: Final[dict[str, Kind]] = {
    "fact": Kind(0, _SEMANTIC),
    "preference": Kind(1, _SEMANTIC),
    "decision": Kind(2, _SEMANTIC),
    "procedure": Kind(3, _PROCEDURAL),
    "event": Kind(4, _EPISODIC),
    "experience": Kind(5, _EPISODIC),
    "entity": Kind(6, _SEMANTIC),
    "profile": Kind(7, _SEMANTIC),
    "reference": Kind(8, _SEMANTIC),
    "note": Kind(9, _SEMANTIC),
}

IMPORTANCE: Final[dict[str, int]] = {"low": 3, "medium": 5, "high": 8, "critical": 10}

BASIS_CONFIDENCE: Final[dict[str, float]] = {"told": 1.0, "read": 0.9, "measured": 0.95, "guessed": 0.5}


def check_kind(kind: object) -> str:
    """Return ``kind`` if it is known.

    Raises:
        InvalidInputError: an unknown kind.
    """
    if isinstance(kind, str) and kind in KINDS:
        return kind
    raise InvalidInputError(f"kind must be one of {', '.join(KINDS)}, not {kind!r}", value=kind)


def importance_value(importance: object) -> int:
    """Return importance as 1 to 10, from a name or a number.

    Raises:
        InvalidInputError: an unknown name or a number outside 1 to 10.
    """
    if isinstance(importance, str) and importance in IMPORTANCE:
        return IMPORTANCE[importance]
    if isinstance(importance, int) and not isinstance(importance, bool) and 1 <= importance <= 10:
        return importance
    names = ", ".join(IMPORTANCE)
    raise InvalidInputError(f"importance must be {names} or 1 to 10, not {importance!r}", value=importance)


def check_importance(importance: object) -> str | int:
    """Return importance as given: a name or a number from 1 to 10.

    Raises:
        InvalidInputError: an unknown name or a number outside 1 to 10.
    """
    importance_value(importance)
    assert isinstance(importance, str | int)
    return importance


def confidence_value(confidence: object, basis: str | None) -> float:
    """Return confidence in 0..1; without one, what the basis stands for, else 1.0.

    Raises:
        InvalidInputError: a number outside 0..1 or an unknown basis.
    """
    if basis is not None and basis not in tuple(BASIS_CONFIDENCE):
        raise InvalidInputError(f"basis must be one of {', '.join(BASIS_CONFIDENCE)}, not {basis!r}", value=basis)
    if confidence is None:
        return 1.0 if basis is None else BASIS_CONFIDENCE[basis]
    if isinstance(confidence, bool) or not isinstance(confidence, int | float) or not 0 <= confidence <= 1:
        raise InvalidInputError(f"confidence must be a number from 0 to 1, not {confidence!r}", value=confidence)
    return float(confidence)
