"""What stands between and around memories, as it travels between stores: memories are named by their uid."""

from __future__ import annotations

from dataclasses import dataclass

from omoide.model.records import digest
from omoide.model.time import Micros


@dataclass(frozen=True, slots=True)
class CarriedLink:
    """One relation between two memories; ``event`` is a number of the store it comes from."""

    kind: str
    from_uid: str
    to_uid: str
    at: Micros
    reason: str | None
    event: int
    ended_at: Micros | None

    @property
    def identity(self) -> tuple[str, str, str, Micros]:
        """What tells it from every other one, whatever the store."""
        return (self.kind, self.from_uid, self.to_uid, self.at)


@dataclass(frozen=True, slots=True)
class CarriedRejection:
    """One refused value."""

    namespace: str
    key: bytes
    subject: str | None
    predicate: str | None
    reason: str | None
    uid: str | None
    trust: str | None
    at: Micros
    lifted_at: Micros | None


@dataclass(frozen=True, slots=True)
class CarriedAlias:
    """Another name of a subject."""

    namespace: str
    name: str
    subject: str
    at: Micros


@dataclass(frozen=True, slots=True)
class CarriedExclusive:
    """A predicate with one value of a subject at a time."""

    namespace: str
    predicate: str
    at: Micros


@dataclass(frozen=True, slots=True)
class CarriedMark:
    """The hash of something that was purged."""

    namespace: str
    key: bytes
    at: Micros


@dataclass(frozen=True, slots=True)
class CarriedBatch:
    """One ingest, import, consolidation or session."""

    namespace: str
    batch: str
    kind: str
    at: Micros
    actor: str | None
    source: str | None
    undone_at: Micros | None


Carried = CarriedLink | CarriedRejection | CarriedAlias | CarriedExclusive | CarriedMark | CarriedBatch


def purged_memory(uid: str) -> bytes:
    """Return the mark under which a purged memory is refused for ever."""
    return digest("purged memory", uid)


def purged_value(key: bytes) -> bytes:
    """Return the mark under which a purged value is refused, from its value key."""
    return digest("purged", key.hex())


def purged_name(namespace: str, key: str) -> bytes:
    """Return the mark under which a name of a purged subject is not taken in again, from its name key."""
    return digest("purged name", namespace, key)
