"""Memories read level by level, traced to their sources, judged by their use; written many at a time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from omoide.aio import twin
from omoide.deferred import deferred
from omoide.errors import InvalidInputError
from omoide.types import Hits
from omoide.types.levels import Levelled, Outcome, Traced
from omoide.verbs import drafts, recall
from omoide.verbs.asking import asks
from omoide.verbs.asking.asked import Ask
from omoide.verbs.context import Context
from omoide.verbs.drafts import Moment

if TYPE_CHECKING:
    from omoide.verbs import feedback as judged
    from omoide.verbs import levels, many, tracing
    from omoide.verbs.notes import note_trails
else:
    levels, tracing = deferred("omoide.verbs.levels"), deferred("omoide.verbs.tracing")
    note_trails = deferred("omoide.verbs.notes.note_trails")
    judged, many = deferred("omoide.verbs.feedback"), deferred("omoide.verbs.many")

ITEM: Final = frozenset(
    ("text", "subject", "predicate", "kind", "source", "observed_at", "valid_from", "valid_to", "confidence", "basis",
     "importance", "tags", "cites", "triggers", "project", "metadata", "pinned", "trust", "abstract", "idempotency_key")
)  # fmt: skip
"""What an item of ``remember_many`` may say."""


class Levels:
    """The verbs of ``Memory`` for reading a little first and more when it is worth it."""

    _ctx: Context

    remember: Any

    def read(
        self, id: int, *, level: str = "full", section: str | None = None, max_tokens: int | None = None,
        as_of: Moment | None = None,
    ) -> Levelled:  # fmt: skip
        """Return a memory as its ``"abstract"``, its ``"outline"``, one ``"section"`` or in ``"full"``.

        ``section`` is an anchor of the outline, or a heading. A budget of tokens cuts at the end of a line, and
        ``truncated`` and ``total_tokens`` say so. What was forgotten is read as it was last believed.

        Raises:
            NotFoundError: no such memory here, or no such section in it.
            InvalidInputError: an argument that cannot be accepted.
        """
        budget = asks.check_limit(max_tokens, "max_tokens")
        return levels.read(self._ctx, drafts.check_id(id), level, section, budget, as_of)

    def trace(self, id: int, *, max_tokens: int | None = None) -> list[Traced]:
        """Return every source of a memory with the words there, as far as this store holds them.

        A source that names a session, a segment or a document is followed: ``session#3-5`` to those turns,
        ``notes.md#L10-L20`` to those lines. ``max_tokens`` is for each.

        Raises:
            NotFoundError: there is no such memory here.
        """
        return tracing.trace(self._ctx, drafts.check_id(id), asks.check_limit(max_tokens, "max_tokens"))

    def feedback(self, id: int, direction: str) -> float:
        """Say that a memory was of use (``"boost"``) or was not (``"penalize"``); return its value now, 0 to 1.

        The value orders what agents are shown unasked, and what a pass puts away. It fades with time.

        Raises:
            NotFoundError: there is no such memory here.
            InvalidInputError: it was forgotten, or another direction.
        """
        return judged.feedback(self._ctx, drafts.check_id(id), direction)

    def remember_many(self, items: Sequence[Mapping[str, Any]] | str) -> list[Outcome]:
        """Remember many items, each with the arguments of ``remember``, or a text with one JSON object a line.

        Each is judged by itself: one that is refused has a ``code`` and a ``reason``, the others an ``id``.

        Raises:
            InvalidInputError: neither a list nor JSON lines, or more than 10,000 items; nothing was stored.
        """
        return many.remember_many(self.remember, items, ITEM)

    def _found(self, ask: Ask, level: str, links: int) -> Hits:
        if level not in ("full", "abstract"):
            raise InvalidInputError(f"level must be full or abstract, not {level!r}", value=level)
        whole = ask if level == "full" else replace(ask, max_tokens=None)
        hits = recall.recall(self._ctx, whole)
        if links != 0:
            hits = note_trails.along(self._ctx, whole, hits, note_trails.check_depth(links))
        return hits if level == "full" else levels.abstracts(self._ctx, hits, ask.query, ask.max_tokens)

    aread = twin(read)
    atrace = twin(trace)
    afeedback = twin(feedback)
    aremember_many = twin(remember_many)
