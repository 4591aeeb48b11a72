"""Time zones by name: what "today" and "last week" mean where the user is."""

from __future__ import annotations

from datetime import UTC, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from omoide.errors import InvalidInputError


def zone_of(value: tzinfo | str | None) -> tzinfo:
    """Return a zone from its IANA name ("Asia/Tokyo") or a tzinfo; None is UTC.

    Raises:
        InvalidInputError: not a zone, or one that this system has no data for.
    """
    if value is None:
        return UTC
    if isinstance(value, tzinfo):
        return value
    if not isinstance(value, str):
        raise InvalidInputError(f"timezone must be a name like 'Asia/Tokyo' or a tzinfo, not {value!r}", value=value)
    if value.upper() in {"UTC", "Z"}:
        return UTC
    try:
        return ZoneInfo(value)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise InvalidInputError(
            f"unknown timezone {value!r}; use an IANA name like 'Europe/Paris' (where the system has no zone data,"
            " pip install tzdata)",
            value=value,
        ) from error
