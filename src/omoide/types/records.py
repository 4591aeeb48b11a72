"""What a store keeps, as a caller sees it: memories, versions, documents, events, and what a write gives back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal, Self

Trust = Literal["stated", "observed", "derived", "untrusted"]


@dataclass(frozen=True, slots=True)
class Notice:
    """A remark on a write that succeeded: a near-duplicate, a contradiction, a corrected value."""

    code: str
    message: str
    ids: tuple[int, ...] = ()


class MemoryId(int):
    """The integer id of a memory, with the notices of the write that returned it."""

    notices: tuple[Notice, ...]

    def __new__(cls, value: int, notices: Iterable[Notice] = ()) -> Self:  # noqa: D102  (the class says it)
        self = super().__new__(cls, value)
        self.notices = tuple(notices)
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return (type(self), (int(self), self.notices))


@dataclass(frozen=True, slots=True)
class Evidence:
    """One occasion on which somebody or something supported a memory."""

    source: str | None
    observed_at: datetime | None
    at: datetime
    actor: str | None
    door: str
    cause: str
    version_id: int | None = None


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where a version came from."""

    actor: str | None
    door: str
    ref: str | None
    observed_at: datetime | None
    evidence: tuple[Evidence, ...] = ()
    batch: str | None = None
    cites: tuple[str, ...] = ()
    known_elsewhere: datetime | None = None


@dataclass(frozen=True, slots=True)
class MemoryRecord:
    """One memory at one moment."""

    id: int
    namespace: str
    text: str
    metadata: dict[str, Any]
    created_at: datetime
    updated_at: datetime | None = None
    uid: str = ""
    version_id: int = 0
    subject: str | None = None
    predicate: str | None = None
    kind: str = "fact"
    tags: tuple[str, ...] = ()
    importance: str | int = "medium"
    confidence: float = 1.0
    basis: str | None = None
    abstract: str | None = None
    trust: Trust = "observed"
    status: str = "current"
    source: str | None = None
    sources: tuple[str, ...] = ()
    provenance: Provenance | None = None
    project: str | None = None
    cites: tuple[str, ...] = ()
    triggers: tuple[str, ...] = ()
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    known_from: datetime | None = None
    known_to: datetime | None = None
    pinned: bool = False
    archived: bool = False
    disputed: bool = False
    seen: int = 1


@dataclass(frozen=True, slots=True)
class Version:
    """One immutable state of a memory on two half-open axes."""

    version_id: int
    memory_id: int
    text: str
    valid_from: datetime
    valid_to: datetime | None
    known_from: datetime
    known_to: datetime | None
    confidence: float
    source: str | None
    provenance: Provenance
    trust: Trust
    cause: str
    metadata: dict[str, Any]
    subject: str | None
    predicate: str | None
    kind: str
    tags: tuple[str, ...]
    importance: str | int
    abstract: str | None = None
    project: str | None = None
    cites: tuple[str, ...] = ()
    triggers: tuple[str, ...] = ()
    basis: str | None = None
    namespace: str = "default"

    @property
    def id(self) -> int:
        """The id of the memory this is a state of."""
        return self.memory_id


@dataclass(frozen=True, slots=True)
class Event:
    """One line of the audit chain; carries no text."""

    seq: int
    at: datetime
    actor: str | None
    door: str
    op: str
    targets: tuple[int, ...]
    batch: str | None
    hash: str
    namespace: str = "default"


@dataclass(frozen=True, slots=True)
class Receipt:
    """What a purge erased and what it could not reach."""

    purged_ids: tuple[int, ...]
    locations: tuple[str, ...]
    verified: bool
    remaining: tuple[str, ...] = ()


class Forgotten(list[int]):
    """The ids of the memories that a forget ended, or would end with ``dry_run``.

    ``kept`` are the memories that only lost the named source, having others.
    """

    def __init__(self, ids: Iterable[int] = (), *, kept: Iterable[int] = (), dry_run: bool = False) -> None:
        super().__init__(ids)
        self.kept = tuple(kept)
        self.dry_run = dry_run


@dataclass(frozen=True, slots=True)
class RepairReport:
    """What ``repair`` found and did.

    ``rebuilt``: how many entries were indexed again. ``lost``: rows by table that could not be saved, as far
    as it is known how many there were. ``kept_at``: where the damaged file is now. ``remaining``: what is
    still not as it should be.
    """

    findings: tuple[str, ...]
    rebuilt: int
    actions: tuple[str, ...] = ()
    lost: Mapping[str, int] = field(default_factory=dict)
    kept_at: str | None = None
    remaining: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Document:
    """One text or file that was added. ``text`` is None in lists.

    ``modified_at`` is that of the file, ``updated_at`` when its text was last replaced here; ``removed_at`` is set
    once its file was gone, and out of search from then on.
    """

    id: int
    namespace: str
    source: str | None
    title: str | None
    metadata: dict[str, Any]
    chunks: int
    added_at: datetime
    text: str | None = None
    uid: str = ""
    updated_at: datetime | None = None
    modified_at: datetime | None = None
    removed_at: datetime | None = None
    size: int | None = None
    trust: Trust = "observed"
    project: str | None = None
    provenance: Provenance | None = None
