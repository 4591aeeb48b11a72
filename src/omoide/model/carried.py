"""A memory as it travels between stores: everything known of it, under names that every store understands."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from omoide.model.documents import Part, Sheet
from omoide.model.lineage import KEPT, MERGE, End, Put, Stamp
from omoide.model.records import Claim
from omoide.model.time import FOREVER, Micros


@dataclass(frozen=True, slots=True)
class CarriedVersion:
    """One version. ``known_from`` and ``known_to`` are of the store it comes from, ``said`` of the first one.

    ``opened_by`` and ``closed_by`` are event numbers of the store it comes from; ``origin`` and ``salt`` are as
    that store has them, for a copy that keeps every number.
    """

    key: bytes
    root: bytes
    stamp: Stamp
    claim: Claim
    valid_from: Micros
    valid_to: Micros
    said: Micros
    known_from: Micros
    known_to: Micros
    cause: str
    actor: str | None
    door: str
    observed_at: Micros | None
    batch: str | None
    opened_by: int
    closed_by: int | None
    closed_cause: str | None
    version_id: int = 0
    origin: Mapping[str, Any] | None = None
    salt: bytes | None = None

    @property
    def open(self) -> bool:
        """Whether its store still believes it."""
        return self.known_to == FOREVER

    @property
    def first_batch(self) -> str | None:
        """The batch that wrote it where it was first said."""
        travelled = self.origin is not None and self.origin.get("event") == self.opened_by
        return (self.origin or {}).get("batch") if travelled else self.batch

    @property
    def edit(self) -> bool:
        """Whether it is what somebody said, not what another edit left of it."""
        return self.cause not in (KEPT, MERGE)

    def as_put(self) -> Put:
        """Return it as a step of the replay."""
        return Put(self.key, self.claim.text, self.valid_from, self.valid_to, self.stamp, self.cause)


@dataclass(frozen=True, slots=True)
class CarriedEnd:
    """A belief ended, and the event of the store it comes from that ended it."""

    end: End
    event: int


@dataclass(frozen=True, slots=True)
class CarriedEvidence:
    """One support; ``version`` is the key of the version it is about."""

    version: bytes | None
    source: str | None
    observed_at: Micros | None
    at: Micros
    actor: str | None
    door: str
    cause: str
    batch: str | None
    withdrawn_at: Micros | None
    event: int = 0

    @property
    def identity(self) -> tuple[object, ...]:
        """What tells it from every other one, whatever the store."""
        return (self.source, self.observed_at, self.at, self.actor, self.door, self.cause)


@dataclass(frozen=True, slots=True)
class CarriedState:
    """The unversioned side; ``changed_at`` is when pinned, archived or disputed last changed."""

    created_at: Micros
    pinned: bool = False
    archived: bool = False
    disputed: str | None = None
    changed_at: Micros | None = None
    seen: int = 1
    last_seen: Micros | None = None
    access_count: int = 0
    accessed_at: Micros | None = None
    value: float | None = None
    ended: str | None = None
    ended_by: int | None = None

    @property
    def marks(self) -> tuple[Any, ...]:
        """What the latest change decides, ordered so that of two at one time the same one wins everywhere."""
        return (self.changed_at or 0, self.archived, self.pinned, self.disputed or "", self.disputed is not None)


@dataclass(frozen=True, slots=True)
class CarriedMemory:
    """A memory with all its versions in the order they were written."""

    id: int
    uid: str
    namespace: str
    state: CarriedState
    versions: tuple[CarriedVersion, ...]
    ends: tuple[CarriedEnd, ...] = ()
    evidence: tuple[CarriedEvidence, ...] = ()

    @property
    def made(self) -> Micros:
        """When it was first said anywhere."""
        return min(version.said for version in self.versions)

    @property
    def events(self) -> set[int]:
        """The events of its store that wrote or ended anything of it."""
        found = {version.opened_by for version in self.versions}
        found |= {version.closed_by for version in self.versions if version.closed_by is not None}
        return found | {item.event for item in self.ends}


@dataclass(frozen=True, slots=True)
class CarriedDocument:
    """A document with its current parts, as it travels between stores."""

    uid: str
    namespace: str
    sheet: Sheet
    actor: str | None
    door: str
    batch: str | None
    added_at: Micros
    updated_at: Micros | None
    removed_at: Micros | None
    parts: tuple[Part, ...] = ()

    @property
    def changed_at(self) -> Micros:
        """When it was last added, changed or removed."""
        return max(self.added_at, self.updated_at or self.added_at, self.removed_at or self.added_at)
