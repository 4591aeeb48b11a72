"""Conversations as values that cross the public door: sessions, saved segments, what was read, found and cleared."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Self


class SegmentId(str):
    """The readable id of a saved segment, with remarks on the write that returned it.

    ``known`` says that the same text was saved before and nothing was stored; ``masked`` counts secrets by kind.
    """

    __slots__ = ("known", "masked")

    known: bool
    masked: dict[str, int]

    def __new__(cls, value: str, *, known: bool = False, masked: Mapping[str, int] | None = None) -> Self:  # noqa: D102
        self = super().__new__(cls, value)
        self.known = known
        self.masked = dict(masked or {})
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return (_segment_id, (str(self), self.known, self.masked))


def _segment_id(value: str, known: bool, masked: Mapping[str, int]) -> SegmentId:
    return SegmentId(value, known=known, masked=masked)


@dataclass(frozen=True, slots=True)
class Segment:
    """One saved part of a conversation, without its text."""

    id: str
    namespace: str
    kind: str
    summary: str
    at: datetime
    tags: tuple[str, ...] = ()
    project: str | None = None
    domain: str | None = None
    session: str | None = None
    entities: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    importance: int = 5
    lines: int = 1
    archived: bool = False
    archived_at: datetime | None = None
    replaced_by: str | None = None
    uses: float = 0.0
    trust: str = "observed"
    metadata: dict[str, Any] = field(default_factory=dict)
    actor: str | None = None
    batch: str | None = None


@dataclass(frozen=True, slots=True)
class Session:
    """One conversation: where it was held, what is known of it, how far it was taken in."""

    id: str
    namespace: str
    host: str
    turns: int
    records: int
    segments: int
    status: str
    added_at: datetime
    title: str | None = None
    project: str | None = None
    domain: str | None = None
    branch: str | None = None
    path: str | None = None
    parent: str | None = None
    started_at: datetime | None = None
    ended_at: datetime | None = None
    error: str | None = None
    counts: Mapping[str, int] = field(default_factory=dict)


class Reading(str):
    """A part of a segment or session, as text, and which part it is.

    ``start`` and ``end`` are the first and last of ``of`` lines or turns, both included and counted from 1;
    ``truncated`` says that a budget of tokens ended it early, ``rest`` where to go on.
    """

    __slots__ = ("archived", "end", "id", "of", "origin", "start", "summary", "truncated", "unit")

    id: str
    unit: str
    start: int
    end: int
    of: int
    truncated: bool
    origin: str
    summary: str | None
    archived: bool

    def __new__(cls, text: str, **parts: Any) -> Self:  # noqa: D102  (the class says it)
        self = super().__new__(cls, text)
        for name, value in parts.items():
            setattr(self, name, value)
        return self

    @property
    def text(self) -> str:
        """The text alone."""
        return str(self)

    @property
    def rest(self) -> int | None:
        """The line or turn at which to go on, None at the end."""
        return None if self.end >= self.of else self.end + 1

    @property
    def place(self) -> str:
        """Which part of the whole it is, in words."""
        return f"{self.unit} {self.start}-{self.end} of {self.of}" if self.of else f"no {self.unit}"


@dataclass(frozen=True, slots=True)
class Line:
    """One line that a pattern matched, with its neighbours.

    ``line`` counts from 1 in the segment or turn ``id``; ``start`` and ``end`` say where in ``text`` the match is;
    ``score`` is 100 for a match of a regular expression, up to 100 for a likeness.
    """

    id: str
    origin: str
    line: int
    of: int
    text: str
    start: int
    end: int
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    score: float = 100.0
    project: str | None = None
    role: str | None = None
    session: str | None = None
    at: datetime | None = None
    archived: bool = False
    namespace: str = "default"


class Lines(list[Line]):
    """Matching lines, best or newest first; ``total`` counts all that match, those beyond the limit too.

    ``searched`` counts the texts that were looked at; ``reasons`` say what was left out and why.
    """

    def __init__(
        self, lines: Iterable[Line] = (), *, total: int = 0, searched: int = 0, reasons: Iterable[str] = ()
    ) -> None:
        super().__init__(lines)
        self.total = total
        self.searched = searched
        self.reasons = tuple(reasons)

    @property
    def truncated(self) -> bool:
        """Whether there are more than were returned."""
        return self.total > len(self)


@dataclass(frozen=True, slots=True)
class Retained:
    """What retention did, or would do with ``dry_run``: ids, and why each was chosen or kept."""

    archived: tuple[str, ...] = ()
    erased: tuple[str, ...] = ()
    kept: Mapping[str, int] = field(default_factory=dict)
    reasons: Mapping[str, str] = field(default_factory=dict)
    dry_run: bool = False


@dataclass(frozen=True, slots=True)
class Taken:
    """What became of one transcript: ``status`` is new, more, known, skipped, purged, failed.

    ``new`` and ``known`` count records, ``changed`` those that were known in an earlier state; ``counts`` those that
    were new by the host's own types, ``unknown`` the types that no reader knows, ``masked`` secrets by kind.
    """

    path: str
    status: str
    host: str | None = None
    format: str | None = None
    sessions: tuple[str, ...] = ()
    new: int = 0
    turns: int = 0
    known: int = 0
    broken: int = 0
    counts: Mapping[str, int] = field(default_factory=dict)
    unknown: Mapping[str, int] = field(default_factory=dict)
    masked: Mapping[str, int] = field(default_factory=dict)
    reason: str | None = None
    changed: int = 0


@dataclass(frozen=True, slots=True)
class Transcribed:
    """What an ingest of transcripts did, file by file; ``batch`` is what ``undo`` takes, None without news."""

    files: tuple[Taken, ...] = ()
    batch: str | None = None
    dry_run: bool = False

    def _total(self, name: str) -> int:
        return sum(int(getattr(file, name)) for file in self.files)

    @property
    def new(self) -> int:
        """How many records were new."""
        return self._total("new")

    @property
    def known(self) -> int:
        """How many records were read again and known."""
        return self._total("known")

    @property
    def turns(self) -> int:
        """How many of the new records are searchable turns."""
        return self._total("turns")

    @property
    def masked(self) -> int:
        """How many secrets were masked."""
        return sum(sum(file.masked.values()) for file in self.files)

    @property
    def unknown(self) -> dict[str, int]:
        """How many records of each type no reader knows; they are kept as they are."""
        found: dict[str, int] = {}
        for file in self.files:
            for kind, count in file.unknown.items():
                found[kind] = found.get(kind, 0) + count
        return found

    @property
    def failed(self) -> dict[str, str]:
        """Why a file could not be taken in, by path."""
        return {file.path: file.reason or "" for file in self.files if file.status == "failed"}
