"""What the store keeps, as values: a claim, who made it, and the rows that hold it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from omoide.model.time import FOREVER, Micros
from omoide.types import Trust

SESSION = "session_id"
"""The key of the metadata under which a turn keeps the session it belongs to."""
KEYED: Final = frozenset({"adapter", "key"})
"""The keys of the metadata of what a program keeps through an adapter and looks up by its name."""


@dataclass(frozen=True, slots=True)
class Claim:
    """What a version says, without when it holds or who said it."""

    text: str
    subject: str | None = None
    predicate: str | None = None
    kind: str = "fact"
    abstract: str | None = None
    tags: tuple[str, ...] = ()
    importance: str | int = "medium"
    confidence: float = 1.0
    basis: str | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)
    source: str | None = None
    trust: Trust = "observed"
    project: str | None = None
    cites: tuple[str, ...] = ()
    triggers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Voice:
    """Who writes: the actor, the door it came through, the batch it belongs to."""

    actor: str | None = None
    door: str = "python"
    trust: Trust = "observed"
    batch: str | None = None


@dataclass(frozen=True, slots=True)
class Row:
    """One stored version: a claim, its two intervals and its origin."""

    version_id: int
    memory_id: int
    namespace: str
    ord: int
    claim: Claim
    valid_from: Micros
    valid_to: Micros
    known_from: Micros
    known_to: Micros
    actor: str | None
    door: str
    observed_at: Micros | None
    batch: str | None
    cause: str
    opened_by: int
    closed_by: int | None
    closed_cause: str | None
    origin: Mapping[str, Any] | None = None
    gist: bytes | None = None

    @property
    def open(self) -> bool:
        """Whether the store still believes it."""
        return self.known_to == FOREVER

    @property
    def observed(self) -> Micros:
        """When it was observed: as given, else when it became known."""
        return self.known_from if self.observed_at is None else self.observed_at


@dataclass(frozen=True, slots=True)
class State:
    """The unversioned side of a memory."""

    id: int
    uid: str
    namespace: str
    created_at: Micros
    pinned: bool
    archived: bool
    disputed: str | None
    seen: int
    ended: str | None
    ended_by: int | None

    @property
    def live(self) -> bool:
        """Whether it counts towards a cap on the number of memories."""
        return not self.pinned and not self.archived and self.ended is None


def canonical(value: object) -> str:
    """Return JSON with sorted keys and no blanks, for hashing and storing."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False)


def digest(*parts: str | None) -> bytes:
    """Return 16 bytes that stand for ``parts``, unambiguous for any texts; BLAKE2b-128."""
    text = "".join(["-" if part is None else f"{len(part)}:{part}" for part in parts])
    return hashlib.blake2b(text.encode("utf-8"), digest_size=16).digest()
