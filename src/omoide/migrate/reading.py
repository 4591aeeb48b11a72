"""Values of other systems as omoide takes them: times, lists and objects as they are found in fields."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from omoide.errors import InvalidInputError
from omoide.model.time import Micros, to_micros

_MILLISECONDS = 100_000_000_000
"""Numbers from here on are milliseconds: as seconds they would lie beyond the year 5000."""


def moment(value: object) -> Micros | None:
    """Return the microseconds of a time as text, or as seconds or milliseconds since 1970; None for none.

    Raises:
        InvalidInputError: it is no time.
    """
    if value is None or value == "":
        return None
    if isinstance(value, bool):
        raise InvalidInputError(f"{value!r} is no time", value=value)
    if isinstance(value, int | float):
        return _from_number(float(value))
    text = str(value).strip()
    try:
        return to_micros(text)
    except InvalidInputError:
        if text.replace(".", "", 1).lstrip("-").isdigit():
            return _from_number(float(text))
        raise


def _from_number(value: float) -> Micros:
    seconds = value / 1000 if abs(value) >= _MILLISECONDS else value
    try:
        return to_micros(datetime.fromtimestamp(seconds, UTC))
    except (OverflowError, OSError, ValueError) as error:
        raise InvalidInputError(f"{value!r} is no time", value=value) from error


def local_moment(value: object) -> Micros | None:
    """Return the microseconds of a time; one without an offset is of this machine's zone."""
    if isinstance(value, str):
        try:
            parsed = datetime.fromisoformat(value.strip())
        except ValueError:
            return moment(value)
        return to_micros(parsed.astimezone() if parsed.tzinfo is None else parsed)
    return moment(value)


def json_object(value: object) -> dict[str, Any]:
    """Return an object from a field that holds one or its JSON; empty for none.

    Raises:
        InvalidInputError: it is something else.
    """
    found = json_value(value)
    if found is None:
        return {}
    if not isinstance(found, Mapping):
        raise InvalidInputError(f"an object is expected, not {str(value)[:80]!r}", value=value)
    return dict(found)


def json_value(value: object) -> Any:
    """Return what a field holds as JSON; None for none.

    Raises:
        InvalidInputError: it is no JSON.
    """
    if value is None or value == "":
        return None
    if not isinstance(value, str | bytes):
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError) as error:
        raise InvalidInputError(f"no JSON: {error}", value=str(value)[:80]) from error


def labels(value: object) -> list[str]:
    """Return a list of texts from a list, its JSON, or a text with commas."""
    if value is None:
        return []
    if isinstance(value, str) and not value.lstrip().startswith("["):
        found: object = value.split(",")
    else:
        found = json_value(value)
    if not isinstance(found, list | tuple):
        found = [found]
    return list(dict.fromkeys(str(item).strip() for item in found if item is not None and str(item).strip()))


def plain(value: object) -> Any:
    """Return a value as JSON can hold it: times and what else there is as text."""
    if isinstance(value, Mapping):
        return {str(name): plain(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(inner) for inner in value]
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value if value is None or isinstance(value, str | int | float | bool) else str(value)
