"""What is remembered of the matter of a conversation, shown under handles so that nothing is noted twice."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from omoide.sleep.night import Night
from omoide.verbs.asking.asked import Ask
from omoide.verbs.recall import find

_MOST: Final = 8
_ASKED: Final = 2_000
"""Characters of the conversation that are searched for."""


class Known(NamedTuple):
    """One memory under a handle."""

    handle: str
    id: int
    since: str
    text: str


def known_about(night: Night, turns: Sequence[Any]) -> list[Known]:
    """Return memories that answer to what a conversation is about, found by keyword; turns of it left out."""
    query = " ".join(turn.text for turn in turns)[:_ASKED]
    if not query.strip():
        return []
    shown = {turn.memory for turn in turns if turn.memory is not None}
    ask = Ask(
        query=query, k=_MOST + len(shown), scope=night.ctx.scope(None), use_vectors=False,
    )  # fmt: skip
    hits = find(night.ctx, ask, query)
    fresh = [hit for hit in hits if hit.id not in shown and "role" not in hit.metadata][:_MOST]
    return [
        Known(f"K{number}", int(hit.id), hit.valid_from.strftime("%Y-%m-%d") if hit.valid_from else "", hit.text[:600])
        for number, hit in enumerate(fresh, 1)
    ]
