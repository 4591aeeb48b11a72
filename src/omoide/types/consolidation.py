"""What consolidation tells: a change that is proposed, what one run did, what was decided."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Proposal:
    """A change that a pass suggests and a person or a policy decides.

    ``kind``: merge, supersede, split, generalise, archive, delete, reject, retitle. ``ids``: the memories it is
    about; of merge the first stays, of supersede the first gives way to the second. ``before`` and ``after`` say in
    texts what would change. ``state``: open, accepted, refused, stale (the memories changed meanwhile).
    ``advice``: what a reasoner thinks of it, None when none was asked.
    """

    id: str
    namespace: str
    kind: str
    ids: tuple[int, ...]
    reason: str
    before: tuple[str, ...]
    after: tuple[str, ...]
    evidence: tuple[str, ...]
    score: float
    state: str
    made_at: datetime
    run: str | None = None
    decided_at: datetime | None = None
    decided_by: str | None = None
    batch: str | None = None
    advice: str | None = None


@dataclass(frozen=True, slots=True)
class PassReport:
    """What one pass of a run did: how many things it changed, proposed and left out, and how long it took."""

    name: str
    changed: int = 0
    proposed: int = 0
    withheld: int = 0
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class SleepReport:
    """What one run did.

    ``state``: done, partial (out of time; the next run goes on), busy (another one is running), not_due,
    off (the settings of the store say so).
    ``undo``: the batch that takes back what it changed, None when it changed nothing that can be taken back.
    ``settings``: the fingerprint of what it ran with. ``extracted``: new memories from conversations.
    ``cost``: calls, characters asked and answered, failures of the reasoner. ``reasons``: what was left out and why.
    """

    namespace: str
    state: str
    run: str | None = None
    undo: str | None = None
    settings: str = ""
    started_at: datetime | None = None
    ended_at: datetime | None = None
    passes: tuple[PassReport, ...] = ()
    proposed: tuple[Proposal, ...] = ()
    accepted: tuple[str, ...] = ()
    extracted: tuple[int, ...] = ()
    cost: Mapping[str, int] = field(default_factory=dict)
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Decision:
    """What became of proposals that were accepted or refused: ids; ``batch`` is what ``undo`` takes."""

    decided: tuple[str, ...] = ()
    batch: str | None = None
    changed: tuple[int, ...] = ()
    failed: Mapping[str, str] = field(default_factory=dict)
