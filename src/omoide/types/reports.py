"""What verbs report that look after many memories at once: frozen values, like those of ``types``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


class Subjects(dict[str, int]):
    """How many memories hold about each subject, most first; ``aliases`` are its other names, folded."""

    def __init__(
        self, counts: Mapping[str, int] | None = None, aliases: Mapping[str, tuple[str, ...]] | None = None
    ) -> None:
        super().__init__(counts or {})
        self.aliases: dict[str, tuple[str, ...]] = dict(aliases or {})


@dataclass(frozen=True, slots=True)
class UndoReport:
    """What an undo took back: memories, documents, and by name sessions and segments.

    ``skipped`` are the memories that were edited since.
    """

    undone: tuple[int, ...] = ()
    skipped: tuple[int, ...] = ()
    documents: tuple[int, ...] = ()
    conversations: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SourcesReport:
    """What a look at cited files, commits and addresses found: ids of memories by their worst citation.

    ``elsewhere`` belong to other repositories and were left alone; ``reasons`` say what could not be looked at.
    """

    checked: int = 0
    current: tuple[int, ...] = ()
    stale: tuple[int, ...] = ()
    unresolved: tuple[int, ...] = ()
    elsewhere: tuple[int, ...] = ()
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Refusal:
    """A memory that was not taken in, by its uid, and why: ``"purged"`` or ``"rejected"``."""

    uid: str
    reason: str


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A record of another system that was not taken in, by the id it has there, and why."""

    ref: str
    reason: str


@dataclass(frozen=True, slots=True)
class IntakeReport:
    """What an import or a merge took in, or would with ``dry_run``.

    ``batch``: what ``undo`` takes, None when nothing changed. ``added``: new memories, ``changed``: those that got
    news, ``known``: how many there were already. ``conflicts``: memories that were edited in both copies.
    ``erased``: memories that were purged in the other copy. ``skipped``: namespaces that this handle may not
    write. ``chain``: what is wrong with the audit chain that an export carries. ``source``: the system it came
    from, of whose records ``read`` were read and ``left_out`` could not be taken in. ``segments``: saved parts of
    conversations.
    """

    batch: str | None
    added: tuple[int, ...] = ()
    changed: tuple[int, ...] = ()
    known: int = 0
    refused: tuple[Refusal, ...] = ()
    conflicts: tuple[int, ...] = ()
    erased: tuple[int, ...] = ()
    documents: int = 0
    turns: int = 0
    namespaces: tuple[str, ...] = ()
    skipped: tuple[str, ...] = ()
    chain: tuple[str, ...] = ()
    dry_run: bool = False
    source: str = "omoide"
    read: int = 0
    left_out: tuple[LeftOut, ...] = ()
    segments: int = 0
