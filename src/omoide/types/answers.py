"""What a question is answered with: hits, differences, chains of versions, conflicts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from omoide.types.records import Evidence, Provenance, Trust, Version

if TYPE_CHECKING:
    HitId = Any
else:
    HitId = int | str
"""The id of a hit: a number, of history a text. For a type checker anything, since who asked knows which."""

Origin = Literal["memory", "history", "document"]


@dataclass(frozen=True, slots=True)
class Hit:
    """One answer of a search, with what is needed to judge it; of history, ``id`` is what ``History.read`` takes.

    At the level ``"abstract"``, ``text`` is one line, ``path`` the note in a vault, ``anchor`` the section to read.
    """

    id: HitId
    text: str
    score: float
    metadata: dict[str, Any]
    namespace: str
    bm25_score: float | None = None
    vector_score: float | None = None
    origin: Origin = "memory"
    version_id: int | None = None
    document_id: int | None = None
    abstract: str | None = None
    subject: str | None = None
    predicate: str | None = None
    kind: str | None = None
    tags: tuple[str, ...] = ()
    trust: Trust = "observed"
    status: str = "current"
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    known_from: datetime | None = None
    source: str | None = None
    provenance: Provenance | None = None
    project: str | None = None
    importance: str | int = "medium"
    confidence: float = 1.0
    created_at: datetime | None = None
    path: str | None = None
    anchor: str | None = None
    explanation: Mapping[str, Any] = field(default_factory=dict, compare=False, repr=False)

    def explain(self) -> dict[str, Any]:
        """Return the parts of the score by name."""
        return dict(self.explanation)


class TimeWords(NamedTuple):
    """What a question says about time: its words, and ``[start, end)``, None where it is open."""

    phrase: str
    start: datetime | None
    end: datetime | None


class Hits(list[Hit]):
    """Hits, best first, and how they were found.

    ``timings`` in milliseconds; ``degraded`` says whether a part of the search was left out and
    ``reasons`` which; ``truncated`` whether ``max_tokens`` left something out; ``below_threshold``
    how many hits ``min_similarity`` or ``abstain`` hid; ``when`` the times that the question named, which raise
    what lies near them.
    """

    def __init__(
        self,
        hits: Iterable[Hit] = (),
        *,
        timings: Mapping[str, float] | None = None,
        degraded: bool = False,
        reasons: Iterable[str] = (),
        truncated: bool = False,
        from_cache: bool = False,
        below_threshold: int = 0,
        abstained: bool = False,
        when: Iterable[TimeWords] = (),
    ) -> None:
        super().__init__(hits)
        self.timings: dict[str, float] = dict(timings or {})
        self.degraded = degraded
        self.reasons: tuple[str, ...] = tuple(reasons)
        self.truncated = truncated
        self.from_cache = from_cache
        self.below_threshold = below_threshold
        self.abstained = abstained
        self.when: tuple[TimeWords, ...] = tuple(when)


class RevisedPair(NamedTuple):
    """A belief before and after one revision."""

    old: Version | None
    new: Version


@dataclass(frozen=True, slots=True)
class Diff:
    """What changed in the belief between two known times."""

    since: datetime
    until: datetime
    learned: tuple[Version, ...] = ()
    revised: tuple[RevisedPair, ...] = ()
    retracted: tuple[Version, ...] = ()


@dataclass(frozen=True, slots=True)
class Chain:
    """Everything that led to a memory and came from it."""

    memory_id: int
    versions: tuple[Version, ...]
    supersedes: tuple[int, ...] = ()
    superseded_by: tuple[int, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    derived: tuple[int, ...] = ()
    conflicts: tuple[int, ...] = ()
    status: str = "current"
    related: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Conflict:
    """Two or more memories that cannot all be right."""

    kind: str
    ids: tuple[int, ...]
    reason: str
    at: datetime | None = None
