"""What adapters of key-value interfaces write and read: changes and entries."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

BLANK: Final = "(blank)"
"""Stands in the store for a text without a visible character."""


@dataclass(frozen=True, slots=True)
class Change:
    """One write: ``text`` None removes the entry.

    Entries of one ``group`` have one source and are read together. ``was`` is the key that the entry had before.
    """

    namespace: str
    key: str
    text: str | None
    data: Mapping[str, Any]
    group: str | None = None
    was: str | None = None


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry as it stands; ``seen_at`` is when it was last written or touched."""

    id: int
    namespace: str
    key: str
    text: str
    data: dict[str, Any]
    created_at: datetime
    updated_at: datetime
    seen_at: datetime
    score: float | None = None


def entry_of(
    id: int, namespace: str, text: str, metadata: Mapping[str, Any], made: datetime, known: datetime, seen: datetime,
    score: float | None = None,
) -> Entry:  # fmt: skip
    """Return what is stored as an entry: the key and the blank text out of the metadata."""
    data = dict(metadata)
    data.pop("adapter", None)
    key = str(data.pop("key", ""))
    return Entry(id, namespace, key, str(data.pop("blank", text)), data, made, known, seen, score)
