"""What is told of a memory level by level, and where it came from: frozen values, like those of ``types``."""

from __future__ import annotations

from dataclasses import dataclass

from omoide.types.records import Notice


@dataclass(frozen=True, slots=True)
class HeadingLine:
    """A heading: ``anchor`` names its section for ``read``, ``line`` counts from 1, ``tokens`` with what is below."""

    level: int
    title: str
    anchor: str
    line: int
    tokens: int


@dataclass(frozen=True, slots=True)
class Levelled:
    """A memory at one level of detail; ``total_tokens`` is what all of it would take.

    ``path`` is its note in a vault; ``section`` the anchor of the part that is shown.
    """

    id: int
    level: str
    text: str
    abstract: str
    outline: tuple[HeadingLine, ...]
    tokens: int
    total_tokens: int
    truncated: bool = False
    section: str | None = None
    path: str | None = None
    subject: str | None = None
    trust: str = "observed"
    source: str | None = None


@dataclass(frozen=True, slots=True)
class Traced:
    """What stands behind a memory: ``source`` as it was given, and the words there where the store has them.

    ``kind``: ``"session"``, ``"segment"``, ``"turn"``, ``"document"``, or ``"elsewhere"`` for a source that the store
    does not hold, whose text is None. ``start`` and ``end`` are turns or lines, of ``of``.
    """

    source: str
    kind: str
    text: str | None = None
    start: int | None = None
    end: int | None = None
    of: int | None = None
    truncated: bool = False
    trust: str = "untrusted"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one item of a batch: its memory, or why there is none. ``position`` counts from 1."""

    position: int
    id: int | None = None
    code: str | None = None
    reason: str | None = None
    notices: tuple[Notice, ...] = ()
