"""Times: ISO 8601 in, microseconds since 1970 inside, aware UTC datetimes out."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta, timezone
from typing import Final

from omoide.errors import InvalidInputError

Micros = int

EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
FOREVER: Final[Micros] = 2**63 - 1
ALWAYS: Final[Micros] = -(2**63)
WEEK: Final = 604_800.0
"""In seconds: the age at which a preference for recent answers is halved, unless a question says otherwise."""

_LATEST: Final = datetime.max.replace(tzinfo=UTC)
_EARLIEST: Final = datetime.min.replace(tzinfo=UTC)

_ISO: Final = re.compile(
    r"(?P<date>\d{4}-\d{2}-\d{2})"
    r"(?:[Tt ](?P<h>\d{2}):(?P<m>\d{2})(?::(?P<s>\d{2})(?:[.,](?P<f>\d{1,9}))?)?"
    r" ?(?P<z>[Zz]|[+-]\d{2}:?\d{2}|[+-]\d{2})?)?"
)


def to_micros(value: datetime | date | str, name: str = "time") -> Micros:
    """Return microseconds since 1970 for an ISO 8601 text, a date (its midnight) or a datetime.

    Without an offset the time is UTC. Digits below a microsecond are cut.

    Raises:
        InvalidInputError: not a time, or a day that the calendar does not have.
    """
    if isinstance(value, datetime):
        return _from_datetime(value)
    if isinstance(value, date):
        return _from_datetime(datetime(value.year, value.month, value.day, tzinfo=UTC))
    if isinstance(value, str):
        return _from_text(value, name)
    raise InvalidInputError(
        f"{name} must be an ISO 8601 text, a date or a datetime, not {type(value).__name__}", value=value
    )


def to_datetime(micros: Micros) -> datetime:
    """Return the aware UTC datetime of ``micros``, clamped to the years 1 to 9999."""
    try:
        return EPOCH + timedelta(microseconds=micros)
    except OverflowError:
        return _LATEST if micros > 0 else _EARLIEST


def optional_datetime(micros: Micros | None) -> datetime | None:
    """Return the datetime, or None for an open end."""
    return None if micros is None or micros in (FOREVER, ALWAYS) else to_datetime(micros)


def optional_micros(value: datetime | date | str | None, name: str = "time") -> Micros | None:
    """Return microseconds, or None for None."""
    return None if value is None else to_micros(value, name)


def _from_datetime(value: datetime) -> Micros:
    aware = value if value.tzinfo is not None else value.replace(tzinfo=UTC)
    delta = aware - EPOCH
    return (delta.days * 86_400 + delta.seconds) * 1_000_000 + delta.microseconds


def _from_text(text: str, name: str) -> Micros:
    match = _ISO.fullmatch(text.strip())
    if match is None:
        raise InvalidInputError(
            f"{name} is not an ISO 8601 time: {text!r}; write 2026-05-01 or 2026-05-01T09:30:00+09:00",
            value=text,
        )
    try:
        return _from_datetime(_assemble(match))
    except (ValueError, OverflowError) as error:
        raise InvalidInputError(f"{name} is not a time that exists: {text!r} ({error})", value=text) from error


def _assemble(match: re.Match[str]) -> datetime:
    year, month, day = (int(part) for part in match["date"].split("-"))
    micro = int((match["f"] or "0").ljust(6, "0")[:6])
    return datetime(
        year, month, day, int(match["h"] or 0), int(match["m"] or 0), int(match["s"] or 0), micro,
        tzinfo=_zone(match["z"]),
    )  # fmt: skip


def _zone(text: str | None) -> timezone:
    if text is None or text in "Zz":
        return UTC
    digits = text[1:].replace(":", "").ljust(4, "0")
    hours, minutes = int(digits[:2]), int(digits[2:])
    if minutes > 59:
        raise ValueError(f"offset {text} has more than 59 minutes")
    delta = timedelta(hours=hours, minutes=minutes)
    return timezone(-delta if text[0] == "-" else delta)
