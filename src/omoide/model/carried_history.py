"""Conversations as they travel between stores: everything known of them, under names that every store understands."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from omoide.model.history import SegmentRow
from omoide.model.time import Micros
from omoide.types import Trust


@dataclass(frozen=True, slots=True)
class CarriedSession:
    """A session without its turns; ``number`` is what its store calls it."""

    number: int
    uid: str
    namespace: str
    host: str
    name: str
    status: str
    counts: Mapping[str, int]
    added_at: Micros
    path: str | None = None
    project: str | None = None
    domain: str | None = None
    branch: str | None = None
    title: str | None = None
    parent: str | None = None
    error: str | None = None
    started_at: Micros | None = None
    ended_at: Micros | None = None
    batch: str | None = None


class CarriedTurn(NamedTuple):
    """One record of the session with a uid; ``raw`` is what the host wrote, ``text`` is None where it is no turn."""

    session: str
    position: int
    number: int | None
    kind: str
    key: str | None
    role: str
    text: str | None
    raw: bytes | None
    metadata: Mapping[str, Any]
    trust: Trust
    at: Micros | None
    added_at: Micros
    batch: str | None


class CarriedSegment(NamedTuple):
    """A saved segment with its text; ``session`` is the uid of the one that it belongs to."""

    row: SegmentRow
    session: str | None
    text: str
