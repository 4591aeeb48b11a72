"""Conversations as rows: sessions, the turns they consist of, and segments that were saved on purpose."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from itertools import accumulate, islice
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from omoide.errors import InvalidInputError
from omoide.model.filter import Filter
from omoide.model.records import Claim, digest
from omoide.model.segments import SEGMENT_KINDS
from omoide.model.time import Micros
from omoide.types import Trust

KIND: Final = "event"
"""The kind of memory that a turn or segment counts as, for its half-life in the ranking."""
SAVED: Final = "saved"
"""The host of a session that is only known from segments that were saved."""
LONGEST_STEM: Final = 48
OPENING: Final = 6
"""Turns that tell a purged conversation from others that begin alike."""
NOTHING: Final[Mapping[str, Any]] = MappingProxyType({})
_UNFIT: Final = re.compile(r"[^\w.]+")
_EDGES: Final = "-._"


class SegmentRow(NamedTuple):
    """One stored segment without its text; ``ord`` is its place in the index."""

    number: int
    namespace: str
    segment_id: str
    session_id: int | None
    ord: int
    kind: str
    summary: str
    tags: tuple[str, ...]
    project: str | None
    domain: str | None
    entities: Mapping[str, tuple[str, ...]]
    importance: int
    lines: int
    archived: bool
    archived_at: Micros | None
    restored_at: Micros | None
    replaced_by: str | None
    uses: float
    used_at: Micros | None
    metadata: Mapping[str, Any]
    actor: str | None
    door: str
    trust: Trust
    batch: str | None
    at: Micros


class SessionRow(NamedTuple):
    """One stored session."""

    session_id: int
    uid: str
    namespace: str
    host: str
    name: str
    path: str | None
    position: int
    mark: str | None
    project: str | None
    domain: str | None
    branch: str | None
    title: str | None
    parent: str | None
    status: str
    error: str | None
    counts: Mapping[str, int]
    started_at: Micros | None
    ended_at: Micros | None
    added_at: Micros
    batch: str | None


class TurnRow(NamedTuple):
    """One stored turn with its text."""

    turn_id: int
    session_id: int
    ord: int
    number: int
    role: str
    text: str
    metadata: Mapping[str, Any]
    trust: Trust
    at: Micros | None
    added_at: Micros
    batch: str | None


class Wanted(NamedTuple):
    """Which turns and segments are meant, beyond what the columns of the index tell.

    ``exact_project``: those of no project do not count. ``entity`` is folded.
    """

    kinds: tuple[str, ...] | None = None
    roles: tuple[str, ...] | None = None
    domain: str | None = None
    entity: str | None = None
    tags: tuple[str, ...] | None = None
    session: str | None = None
    where: Filter | None = None
    exact_project: bool = False

    @property
    def needs_rows(self) -> bool:
        """Whether rows have to be asked."""
        return any(part is not None for part in self[:7])


def segment_claim(text: str, summary: str | None, tags: tuple[str, ...], domain: str | None) -> Claim:
    """Return what is searched of a segment: its text is embedded, its summary and labels are found by keyword."""
    labels = tags if domain is None else (*tags, domain)
    return Claim(text, abstract=summary or None, tags=labels, kind=KIND)


def turn_claim(text: str) -> Claim:
    """Return what is searched of a turn."""
    return Claim(text, kind=KIND)


def check_segment_kind(kind: object) -> str:
    """Return the kind of a segment.

    Raises:
        InvalidInputError: none of ``SEGMENT_KINDS``.
    """
    if isinstance(kind, str) and kind in SEGMENT_KINDS:
        return kind
    hint = "; what holds beyond its session goes to Memory.remember" if kind == "insight" else ""
    raise InvalidInputError(f"kind must be one of {', '.join(SEGMENT_KINDS)}, not {kind!r}{hint}", value=kind)


def stem_of(day: str, project: str | None, kind: str) -> str:
    """Return what the ids of segments saved on one day for one project begin with.

    Letters and digits of any script stay; all else becomes a hyphen.
    """
    name = unicodedata.normalize("NFKC", project or kind).replace("\\", "/").rstrip("/").rpartition("/")[2]
    slug = _UNFIT.sub("-", name).strip(_EDGES)[:LONGEST_STEM].strip(_EDGES) or kind
    return f"{day}_{slug}"


def segment_name(stem: str, serial: int) -> str:
    """Return a readable id."""
    return f"{stem}_{serial:03}"


def purged_segment(namespace: str, segment_id: str) -> bytes:
    """Return the mark under which the readable id of a purged segment is not used again."""
    return digest("purged segment", namespace, segment_id)


def used_segment(namespace: str, segment_id: str) -> bytes:
    """Return the mark under which the readable id of a segment that was taken back is not used again."""
    return digest("used segment", namespace, segment_id)


def purged_text(namespace: str, text: bytes) -> bytes:
    """Return the mark under which the text of a purged segment, by its digest, is not taken in from elsewhere."""
    return digest("purged segment text", namespace, text.hex())


def purged_session(namespace: str, host: str, name: str) -> bytes:
    """Return the mark under which a purged session is not taken in again."""
    return digest("purged session", namespace, host, name)


def openings(turns: Iterable[str]) -> list[str]:
    """Return what stands for the first turn, the first two and so on, by what tells each apart."""
    steps = accumulate(islice(turns, OPENING), lambda before, turn: digest(before, turn).hex(), initial="")
    return list(steps)[1:]


def purged_opening(namespace: str, opening: str) -> bytes:
    """Return the mark under which a file that is the beginning of a purged session is not taken in."""
    return digest("purged opening", namespace, opening)


def purged_whole(namespace: str, opening: str) -> bytes:
    """Return the mark under which a file that begins with all of a short purged session is not taken in."""
    return digest("purged whole", namespace, opening)


def purged_path(namespace: str, host: str, path: str) -> bytes:
    """Return the mark under which the file of a purged session, which nothing else names, is not taken in again."""
    return digest("purged path", namespace, host, path)


def purged_marks(namespace: str, host: str, name: str, path: str | None, turns: Iterable[str]) -> list[bytes]:
    """Return the marks of a purged session: its name, its file, and how it and a copy of its end begin."""
    spoken = list(turns)
    chain = openings(spoken)
    later = [openings(spoken[at : at + OPENING])[-1] for at in range(1, len(spoken) - OPENING + 1)]
    marks = [purged_session(namespace, host, name), *(purged_opening(namespace, each) for each in chain + later)]
    marks += [purged_path(namespace, host, path)] if path else []
    return marks + ([purged_whole(namespace, chain[-1])] if 1 < len(chain) < OPENING else [])


def turn_name(session: str, number: int) -> str:
    """Return the id under which a turn is read: its session and its place in it."""
    return f"{session}#{number}"


def turn_of(name: str) -> tuple[str, int] | None:
    """Return session and place that the id of a turn names, or None when it names no turn."""
    session, mark, number = name.rpartition("#")
    return (session, int(number)) if mark and session and number.isascii() and number.isdigit() else None
