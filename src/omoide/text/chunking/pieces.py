"""The values that cutting a text passes on: sections found by a splitter, pieces made of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

CRUMB = " > "


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a text, ``text[start:end]``.

    ``line_from`` and ``line_to`` count from 1 and are both inside; ``heading`` is the way to it from the top of the
    document, outermost first, joined with " > "; ``page`` counts from 1, None without pages.
    """

    text: str
    start: int
    end: int
    line_from: int
    line_to: int
    heading: str = ""
    page: int | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Section:
    """A stretch of a text that no piece crosses; the sections of a text follow each other without a gap.

    ``inner`` holds the ascending positions where it is cut first; ``style`` says how it is cut elsewhere. With
    ``join`` "next" it goes into the piece of the next section where both fit, with "peers" it shares a piece with
    neighbours of the same kind.
    """

    start: int
    end: int
    heading: tuple[str, ...] = ()
    inner: tuple[int, ...] = ()
    style: Literal["prose", "lines"] = "prose"
    join: Literal["none", "next", "peers"] = "none"
    metadata: Mapping[str, Any] = field(default_factory=dict)
