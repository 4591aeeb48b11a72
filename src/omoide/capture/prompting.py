"""What fits a prompt: the memories that a keyword search finds, without a model."""

from __future__ import annotations

import os
from typing import Any

from omoide.capture.payload import PROMPT, text
from omoide.capture.starting import ONE_THREAD

TYPE_CHECKING = False
if TYPE_CHECKING:
    from omoide.capture.choice import Choice
    from omoide.capture.event import Event

FOUND = 5
TIME_MS = 300.0
LONGEST = 4_000
"""Characters of a prompt that are searched for."""


def found_for(event: Event, chosen: Choice, store: str, namespace: str) -> list[dict[str, Any]]:
    """Return the memories that answer the prompt, as rows.

    Raises:
        StoreError: the store cannot be read.
    """
    os.environ.update(ONE_THREAD)  # a search as small as this gains nothing, and loading takes half as long
    from omoide.memory import Memory
    from omoide.model.shape import plain

    asked = text(event.payload, *PROMPT)[:LONGEST]
    with Memory(store, namespace, embedder="none", read_only=True, busy_timeout=0.5, door="hook") as memory:
        hits = memory.recall(asked, k=FOUND, project=chosen.project, budget_ms=TIME_MS, abstain=True)
    return [{**plain(hit), "importance": 0} for hit in hits]
