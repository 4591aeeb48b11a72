"""What a reader of another system yields: memories with their steps, links between them, and what it left out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from omoide.model.records import Claim
from omoide.model.time import FOREVER, Micros
from omoide.types import Trust
from omoide.verbs.drafts import draft_claim


@dataclass(frozen=True, slots=True)
class Edit:
    """What the source said of a memory from ``at`` on; ``ref`` is the id that this statement has there.

    ``at`` None: the source keeps no time. ``valid_from`` None is ``observed_at``, else ``at``; ``valid_to`` is not
    included.
    """

    at: Micros | None
    claim: Claim
    ref: str
    valid_from: Micros | None = None
    valid_to: Micros = FOREVER
    observed_at: Micros | None = None
    actor: str | None = None
    cause: str = "revise"


@dataclass(frozen=True, slots=True)
class Ending:
    """The source gave a belief up at ``at``, from ``since`` in the world on; ``ref`` None is all it says.

    ``cause`` is forget or supersede.
    """

    at: Micros
    cause: str = "forget"
    since: Micros | None = None
    ref: str | None = None


Step = Edit | Ending


@dataclass(frozen=True, slots=True)
class Brought:
    """One memory of the source; ``key`` tells it from every other one, there and in other stores of its kind.

    ``live``: the source keeps the present only, so that a later look may bring an edit. ``scope`` is the namespace
    or user it belongs to there, None where there is no such thing.
    """

    key: tuple[str, ...]
    steps: tuple[Step, ...]
    scope: str | None = None
    live: bool = False
    pinned: bool = False
    archived: bool = False

    @property
    def ref(self) -> str:
        """The id that its latest statement has in the source."""
        return next((step.ref for step in reversed(self.steps) if isinstance(step, Edit)), "")


@dataclass(frozen=True, slots=True)
class Tie:
    """A relation between two memories, named by their keys; ``kind`` is one of omoide's.

    ``at`` None: since ever. It tells one relation from another, so that it must not move.
    """

    kind: str
    start: tuple[str, ...]
    end: tuple[str, ...]
    at: Micros | None
    reason: str | None = None


def said(text: object, trust: Trust = "observed", **labels: Any) -> Claim:
    """Return a claim; labels that are blank or None are left out.

    Raises:
        InvalidInputError: a part that cannot be accepted.
    """
    given = {name: value for name, value in labels.items() if not _blank(value)}
    return draft_claim(text, door_trust=trust, **given)


def _blank(value: object) -> bool:
    return value is None or value in ((), []) or (isinstance(value, str) and not value.strip())
