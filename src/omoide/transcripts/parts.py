"""Small readings that formats share: texts of content blocks, times, tool calls."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Iterator
from typing import Any

from omoide.errors import InvalidInputError
from omoide.model.time import Micros, to_micros

# Before this many, a number counts seconds (the year 5138); before a thousand times it, milliseconds.
_SECONDS_LIMIT = 100_000_000_000
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")
TITLE_LENGTH = 80


def clean(value: object) -> str:
    """Return a text without lone surrogates, which no encoding can carry; "" for what is no text."""
    return _LONE_SURROGATE.sub("�", value) if isinstance(value, str) else ""


def known(value: object) -> str | None:
    """Return a text that is not blank, else None."""
    return clean(value) or None


def fields(value: object) -> dict[str, Any]:
    """Return an object's fields; {} for what is no object."""
    return value if isinstance(value, dict) else {}


def items(value: object) -> list[Any]:
    """Return a list; [] for what is none."""
    return value if isinstance(value, list) else []


def moment(value: object) -> Micros | None:
    """Return the time of an ISO text or of a number of seconds, milli- or microseconds; None for anything else."""
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, int | float):
        return _from_number(value)
    try:
        return to_micros(value) if isinstance(value, str) else None
    except InvalidInputError:
        return None


def _from_number(value: float) -> Micros | None:
    if not math.isfinite(value) or abs(value) >= _SECONDS_LIMIT * 1_000_000:
        return None
    if abs(value) < _SECONDS_LIMIT:
        return round(value * 1_000_000)
    return round(value * 1_000) if abs(value) < _SECONDS_LIMIT * 1_000 else round(value)


def joined(texts: Iterable[str]) -> str:
    """Return the texts that are not blank, an empty line between them."""
    return "\n\n".join(text for text in texts if text.strip())


def call_text(name: object, given: object) -> str:
    """Return a tool call as a line to search in: its name and its arguments."""
    arguments = given if isinstance(given, str) else json.dumps(given, ensure_ascii=False) if given else ""
    return clean(f"{clean(name)}: {arguments}" if arguments else clean(name))


def leaves(value: object) -> Iterator[str]:
    """Yield the texts inside any value of JSON, outermost first."""
    if isinstance(value, str):
        yield clean(value)
    elif isinstance(value, dict):
        yield from (text for inner in value.values() for text in leaves(inner))
    elif isinstance(value, list):
        yield from (text for inner in value for text in leaves(inner))


def title_of(text: str) -> str | None:
    """Return the first line that is not blank, cut to ``TITLE_LENGTH`` characters."""
    line = next((line.strip() for line in text.splitlines() if line.strip()), "")
    return (line if len(line) <= TITLE_LENGTH else line[: TITLE_LENGTH - 1].rstrip() + "…") or None
