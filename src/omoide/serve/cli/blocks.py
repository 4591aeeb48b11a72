"""What a command says, before it is decided how it looks: lines and tables."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

_CONTROLS: Final = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
"""Characters that a terminal obeys, or that turn the order of what follows around."""


_LONG: Final = 1e15
"""From here on a whole number is told by its size rather than by its digits."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line of text; ``style`` is one of title, dim, good, warn, bad, or nothing."""

    text: str
    style: str = ""


@dataclass(frozen=True, slots=True)
class Table:
    """Rows under headings; ``wide`` is the column that takes the room that is left."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    wide: int = 1


Block: TypeAlias = Line | Table


def table(columns: Sequence[str], rows: Iterable[Sequence[Any]], wide: int = 1) -> Table:
    """Return a table of harmless texts; a column that is empty throughout is left out."""
    cells = [tuple(tidy(cell) for cell in row) for row in rows]
    keep = [place for place in range(len(columns)) if any(row[place] for row in cells)]
    return Table(
        tuple(columns[place] for place in keep),
        tuple(tuple(row[place] for place in keep) for row in cells),
        keep.index(wide) if wide in keep else max(0, len(keep) - 1),
    )


def tidy(value: Any) -> str:
    """Return a value as one harmless piece of text."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "✓" if value else ""
    if isinstance(value, float):
        return f"{value:.0f}" if value.is_integer() and abs(value) < _LONG else f"{value:.3g}"
    if isinstance(value, list | tuple):
        return ", ".join(tidy(item) for item in value)
    return harmless(str(value))


def harmless(text: str) -> str:
    """Return text in which nothing steers the terminal; line breaks and tabs stay."""
    return _CONTROLS.sub(
        lambda found: f"\\x{ord(found[0]):02x}" if ord(found[0]) < 256 else f"\\u{ord(found[0]):04x}", text
    )


def harmless_json(text: str) -> str:
    """Return JSON of the same meaning in which nothing steers the terminal."""
    return _CONTROLS.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def day(moment: str | None) -> str:
    """Return a time for people: the date, with the time of day when it is not midnight."""
    if not moment:
        return ""
    date, _, clock = moment.partition("T")
    return date if clock.startswith("00:00:00.000000") else f"{date} {clock[:5]}"
