"""Which versions a read is about, as a value that any store can carry out."""

from __future__ import annotations

from dataclasses import dataclass

from omoide.model.filter import Filter
from omoide.model.time import Micros


@dataclass(frozen=True, slots=True)
class Moment:
    """A point on each axis; ``past`` says that ranking must not look at today's state."""

    valid_at: Micros
    known_at: Micros
    past: bool = False


@dataclass(frozen=True, slots=True)
class Selection:
    """Every part that is given has to hold.

    ``moment`` None means open pieces at any valid time. ``project`` matches memories of the project or of
    none. ``since`` and ``until`` ask for an overlap with the valid interval. ``source_prefix`` ends in a mark
    of punctuation.
    """

    namespace: str
    moment: Moment | None = None
    subjects: tuple[str, ...] | None = None
    predicate: str | None = None
    kinds: tuple[str, ...] | None = None
    trusts: tuple[str, ...] | None = None
    tags: tuple[str, ...] | None = None
    project: str | None = None
    source: str | None = None
    source_prefix: str | None = None
    where: Filter | None = None
    since: Micros | None = None
    until: Micros | None = None
    archived: bool = True
    retracted: bool = False

    @property
    def needs_rows(self) -> bool:
        """Whether a part of it can only be judged on the rows, not on the columns in memory."""
        parts = (self.subjects, self.predicate, self.tags, self.source, self.source_prefix, self.where)
        return any(part is not None for part in parts)
