"""The time arguments of a read, made into a point on each axis."""

from __future__ import annotations

from omoide.errors import InvalidInputError
from omoide.model.selection import Moment
from omoide.model.time import Micros, optional_micros
from omoide.verbs.drafts import Moment as Given


def moment_of(now: Micros, as_of: Given | None, valid_at: Given | None, known_at: Given | None) -> Moment:
    """Return the moment asked for; each axis defaults to now and a known time in the future means now.

    Raises:
        InvalidInputError: ``as_of`` together with one of the others, or not a time.
    """
    if as_of is not None and (valid_at is not None or known_at is not None):
        raise InvalidInputError("as_of sets both axes; leave out valid_at and known_at", value=as_of)
    both = optional_micros(as_of, "as_of")
    if both is not None:
        return Moment(both, min(both, now), past=True)
    valid, known = optional_micros(valid_at, "valid_at"), optional_micros(known_at, "known_at")
    return Moment(
        now if valid is None else valid,
        now if known is None else min(known, now),
        past=valid is not None or known is not None,
    )
