"""What a session is shown by itself, apart from what it has before it already."""

from __future__ import annotations

from omoide.beside import shown, traces
from omoide.capture.outputs import MOST_CHARACTERS
from omoide.serve.briefing import Block, composed, headed
from omoide.serve.messages.speech import Speech, language_of
from omoide.store.sqlite.glance import Glance, glance

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from omoide.capture.choice import Choice
    from omoide.capture.event import Event

    Row = dict[str, Any]

LOOKED_AT = 200
NAMED = 5
"""Sessions that were left, named at most."""


class Shown:
    """A block for the model, and the sessions that it names."""

    __slots__ = ("block", "sessions")

    def __init__(self, block: Block, sessions: list[str] | None = None) -> None:
        self.block = block
        self.sessions = sessions or []


def starting(event: Event, chosen: Choice, store: str, namespace: str, *, sessions: bool) -> Shown:
    """Return what a session is shown at its start or after a compaction; ``sessions``: name those that were left.

    Raises:
        StoreError: the store cannot be read.
    """
    look = glance(store, namespace, chosen.project, LOOKED_AT)
    left = _lost(store, namespace, event.session, chosen.recover) if sessions else []
    return Shown(_block(event, store, look, left, chosen.budget), [row["session"] for row in left])


def fitting(event: Event, rows: list[Row], store: str, budget: int) -> Shown:
    """Return the memories that were found for a prompt."""
    return Shown(_block(event, store, Glance(rows), [], budget))


def coming_up(rows: list[Row], budget: int) -> Shown:
    """Return the memories that a file or a command brought up."""
    return Shown(headed(Speech(language_of())("hook.triggers"), rows, budget))


def _block(event: Event, store: str, look: Glance, left: list[Row], budget: int) -> Block:
    known = shown.seen(store, event.session).versions if event.session else set()
    fresh = Glance([row for row in look.rows if row["version_id"] not in known], look.proposals)
    return composed(fresh, left, budget, Speech(language_of()), MOST_CHARACTERS)


def _lost(store: str, namespace: str, session: str, recover: str) -> list[Row]:
    """Return the sessions to name: all with ``list``, else those whose transcript is gone; the others are captured."""
    if recover == "off":
        return []
    rows = [traces.row_of(trace) for trace in traces.left(store, namespace, but=session)]
    return [row for row in rows if recover == "list" or not row["there"]][:NAMED]
