"""One recall as a value: what is asked, and what is noted on the way to the answer."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Self

import numpy as np
from numpy.typing import NDArray

from omoide.model.filter import Filter
from omoide.model.history import Wanted
from omoide.model.policy import Scope
from omoide.model.selection import Moment, Selection
from omoide.model.time import Micros
from omoide.store.sqlite.namespaces import MEMORIES
from omoide.text.when import TimeRange
from omoide.verbs.drafts import Moment as Given


@dataclass(frozen=True, slots=True)
class Ask:
    """One recall, its arguments checked."""

    query: str | None
    k: int
    scope: Scope
    collections: tuple[str, ...] = (MEMORIES,)
    where: Filter | None = None
    subjects: tuple[str, ...] | None = None
    predicate: str | None = None
    kinds: tuple[str, ...] | None = None
    trusts: tuple[str, ...] = ("derived", "observed", "stated")
    tags: tuple[str, ...] | None = None
    project: str | None = None
    as_of: Given | None = None
    valid_at: Given | None = None
    known_at: Given | None = None
    since: Micros | None = None
    until: Micros | None = None
    include_archived: bool = False
    include_retracted: bool = False
    use_bm25: bool = True
    use_vectors: bool = True
    min_similarity: float | None = None
    recency_weight: float = 0.0
    half_life: float = 604_800.0
    budget_ms: float | None = None
    max_tokens: int | None = None
    abstain: bool = False
    rerank: bool = False
    wanted: Wanted = field(default_factory=Wanted)
    vector: NDArray[np.float32] | None = field(default=None, compare=False)
    """The question as a unit vector, when it came as one."""

    def selection(self, namespace: str, moment: Moment) -> Selection:
        """Return the part of the question that rows decide."""
        whole = self.since is None and self.until is None
        return Selection(
            namespace=namespace, moment=moment if whole else None, subjects=self.subjects, predicate=self.predicate,
            kinds=self.kinds, trusts=self.trusts, tags=self.tags, project=self.project, where=self.where,
            since=self.since, until=self.until, archived=self.include_archived or moment.past,
            retracted=self.include_retracted,
        )  # fmt: skip


@dataclass(slots=True)
class Course:
    """What one recall gathers on its way; ``pool`` is how many candidates a leg may bring."""

    pool: int
    timings: dict[str, float] = field(default_factory=dict)
    reasons: list[str] = field(default_factory=list)
    below: int = 0
    pending: int = 0
    language: str | None = None
    """The language of the question, where it is known already."""
    when: tuple[TimeRange, ...] = ()
    truncated: bool = False
    full: bool = False
    """Whether some space may hold candidates beyond the pool."""

    @property
    def used_up(self) -> bool:
        """Whether repeats of facts may have used the pool up, so that a larger one holds more answers.

        What a token budget or a threshold left out would be left out of a larger pool too.
        """
        return self.full and not self.truncated and not self.below

    def again(self, pool: int, reasons: list[str]) -> Self:
        """Return the course of another try."""
        return type(self)(pool, self.timings, list(reasons), language=self.language)
