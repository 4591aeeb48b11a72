"""The steps of one memory of another system, told as versions that any store can take in."""

from __future__ import annotations

import hashlib
import uuid
from dataclasses import replace

from omoide.migrate.values import Brought, Edit, Ending
from omoide.model.carried import CarriedEnd, CarriedMemory, CarriedState, CarriedVersion
from omoide.model.lineage import KEPT, End, Stamp
from omoide.model.records import Claim
from omoide.model.time import FOREVER, Micros
from omoide.model.walk import version_key

DOOR = "import"
REF = "ref"
"""The key of a version's origin under which the id lies that it has in its source."""


def uid_of(system: str, key: tuple[str, ...]) -> str:
    """Return the uid of a memory of another system, the same at every import: UUID version 8 (RFC 9562)."""
    parts = "".join(f"{len(part)}:{part}" for part in (system, *key))
    raw = bytearray(hashlib.blake2b(parts.encode("utf-8"), digest_size=16, person=b"omoide-migrate").digest())
    raw[6], raw[8] = 0x80 | raw[6] & 0x0F, 0x80 | raw[8] & 0x3F
    return str(uuid.UUID(bytes=bytes(raw)))


def carried(uid: str, namespace: str, brought: Brought, now: Micros) -> CarriedMemory:
    """Return a memory with the history that its steps make; what has no time is known from ``now``.

    Raises:
        ValueError: it has no statement.
    """
    telling = _Telling(uid, now, latest=now if brought.live else FOREVER)
    for event, step in enumerate(brought.steps, 1):
        if isinstance(step, Edit):
            telling.put(event, step)
        else:
            telling.end(event, step)
    if not telling.versions:
        raise ValueError("a memory needs a statement")
    made = telling.versions[0].said
    state = CarriedState(
        created_at=made, pinned=brought.pinned, archived=brought.archived,
        changed_at=telling.latest if brought.pinned or brought.archived else None,
        ended=telling.ended[0] if telling.ended else None, ended_by=telling.ended[1] if telling.ended else None,
    )  # fmt: skip
    return CarriedMemory(0, uid, namespace, state, tuple(telling.versions), tuple(telling.ends))


class _Telling:
    """The versions and endings after each step, as omoide's own verbs would have written them."""

    def __init__(self, uid: str, now: Micros, *, latest: Micros) -> None:
        self._uid, self._now, self._latest = uid, now, latest
        self._top: Stamp | None = None
        self._open: list[int] = []
        self._refs: dict[str, bytes] = {}
        self.versions: list[CarriedVersion] = []
        self.ends: list[CarriedEnd] = []

    @property
    def latest(self) -> Micros:
        """When the last step became known."""
        return self._now if self._top is None else self._top[0]

    @property
    def ended(self) -> tuple[str, int] | None:
        """The cause and the event that ended the last belief, None while there is one."""
        if self._open:
            return None
        last = max(self.versions, key=lambda version: version.closed_by or 0)
        return last.closed_cause or "forget", last.closed_by or 0

    def put(self, event: int, edit: Edit) -> None:
        """Believe a statement on its interval, in the place of what was believed there."""
        stamp = self._next(self._now if edit.at is None else edit.at)
        start = _start(edit, stamp, self._latest)
        end = _end(edit, start)
        cause = edit.cause if self.versions else "remember"
        key = version_key(self._uid, stamp, cause, edit.claim, start, end)
        for number in self._overlapping(start, end):
            self._close(number, event, cause, stamp, (start, end))
        self._add(CarriedVersion(
            key=key, root=key, stamp=stamp, claim=edit.claim, valid_from=start, valid_to=end, said=stamp[0],
            known_from=stamp[0], known_to=FOREVER, cause=cause, actor=edit.actor, door=DOOR,
            observed_at=edit.observed_at, batch=None, opened_by=event, closed_by=None, closed_cause=None,
            origin={REF: edit.ref},
        ))  # fmt: skip
        self._refs[edit.ref] = key

    def end(self, event: int, ending: Ending) -> None:
        """Give up what was believed, or one statement of it."""
        root = None if ending.ref is None else self._refs.get(ending.ref)
        chosen = [number for number in self._open if root is None or self.versions[number].root == root]
        if ending.since is not None:
            chosen = [number for number in chosen if self.versions[number].valid_to > ending.since]
        if not chosen:
            return
        stamp = self._next(ending.at)
        for number in chosen:
            old = self.versions[number]
            cut = old.valid_from if ending.since is None else max(ending.since, old.valid_from)
            self.ends.append(CarriedEnd(End(old.root, cut, old.valid_to, stamp, ending.cause), event))
            self._close(number, event, ending.cause, stamp, (cut, old.valid_to))

    def _overlapping(self, start: Micros, end: Micros) -> list[int]:
        return [
            number
            for number in self._open
            if self.versions[number].valid_from < end and start < self.versions[number].valid_to
        ]

    def _close(self, number: int, event: int, cause: str, stamp: Stamp, gone: tuple[Micros, Micros]) -> None:
        """End a version in known time and keep of it what lies outside ``gone``."""
        old = self.versions[number]
        self.versions[number] = replace(old, known_to=stamp[0], closed_by=event, closed_cause=cause)
        self._open.remove(number)
        for start, end in ((old.valid_from, min(gone[0], old.valid_to)), (max(gone[1], old.valid_from), old.valid_to)):
            if start < end:
                self._add(replace(
                    old, key=version_key(self._uid, stamp, KEPT, old.claim, start, end), stamp=stamp, valid_from=start,
                    valid_to=end, said=stamp[0], known_from=stamp[0], cause=KEPT, opened_by=event,
                ))  # fmt: skip

    def _add(self, version: CarriedVersion) -> None:
        self._open.append(len(self.versions))
        self.versions.append(version)

    def _next(self, at: Micros) -> Stamp:
        self._top = after(self._top, at)
        return self._top


def top_of(memory: CarriedMemory) -> Stamp:
    """Return the latest stamp of a memory."""
    return max([each.stamp for each in memory.versions] + [item.end.stamp for item in memory.ends])


def after(top: Stamp | None, at: Micros) -> Stamp:
    """Return the stamp of what was said at ``at`` by who had seen ``top``."""
    return (at, 0) if top is None or at > top[0] else (top[0], top[1] + 1)


def news_of(uid: str, before: CarriedMemory, brought: Brought, now: Micros) -> News:
    """Return what a later look at a source brings that keeps the present of its memories.

    ``before``: the memory as this store has it. Steps that are known by their time are passed over; a statement that
    differs from the last one and has no later time is an edit of now.
    """
    theirs = [each for each in before.versions if each.edit and (each.origin or {}).get(REF) is not None]
    if not theirs:
        return [], []
    last = max(theirs, key=lambda each: each.stamp)
    later = _Later(uid, last, theirs, top_of(before), now)
    known = {item.end.stamp[0] for item in before.ends}
    edit = next(step for step in reversed(brought.steps) if isinstance(step, Edit))
    for step in brought.steps:
        if isinstance(step, Edit):
            if step is edit or (step.at or 0) > last.stamp[0]:
                later.put(step)
        elif step.at > last.stamp[0] and step.at not in known:
            later.end(step)
    return later.versions, later.ends


News = tuple[list[CarriedVersion], list[CarriedEnd]]


class _Later:
    """Edits and endings after what is known of a memory."""

    def __init__(self, uid: str, last: CarriedVersion, theirs: list[CarriedVersion], top: Stamp, now: Micros) -> None:
        self._uid, self._last, self._theirs, self._now = uid, last, theirs, now
        self._top: Stamp = top
        self.versions: list[CarriedVersion] = []
        self.ends: list[CarriedEnd] = []

    def put(self, edit: Edit) -> None:
        """Add a statement that says something else than the last one."""
        if _same(self._last, edit):
            return
        stamp = self._next(self._now if edit.at is None else edit.at)
        start = _start(edit, stamp, self._now)
        end = _end(edit, start)
        key = version_key(self._uid, stamp, "revise", edit.claim, start, end)
        self._last = replace(
            self._last, key=key, root=key, stamp=stamp, claim=edit.claim, valid_from=start, valid_to=end,
            said=stamp[0], known_from=self._now, known_to=FOREVER, cause="revise", actor=edit.actor,
            observed_at=edit.observed_at, opened_by=1, closed_by=None, closed_cause=None, origin={REF: edit.ref},
        )  # fmt: skip
        self.versions.append(self._last)

    def end(self, ending: Ending) -> None:
        """End every statement."""
        stamp = self._next(ending.at)
        for each in (*self._theirs, *self.versions):
            self.ends.append(CarriedEnd(End(each.root, each.valid_from, each.valid_to, stamp, ending.cause), 1))

    def _next(self, at: Micros) -> Stamp:
        self._top = after(self._top, at)
        return self._top


def _start(edit: Edit, stamp: Stamp, latest: Micros) -> Micros:
    """Valid from when the source says, else from when it was observed or said, or ``latest`` if that is before it."""
    if edit.valid_from is not None:
        return edit.valid_from
    return min(next(at for at in (edit.observed_at, edit.at, stamp[0]) if at is not None), latest)


def _end(edit: Edit, start: Micros) -> Micros:
    """Valid to when the source says; an end that is no later than the start is none."""
    return edit.valid_to if edit.valid_to > start else FOREVER


def _same(version: CarriedVersion, edit: Edit) -> bool:
    start = edit.valid_from
    if start is not None and (start, _end(edit, start)) != (version.valid_from, version.valid_to):
        return False
    return _untrusting(version.claim) == _untrusting(edit.claim)


def _untrusting(claim: Claim) -> Claim:
    """Return a claim as it compares: trust is the door's."""
    return replace(claim, trust="observed", metadata=dict(claim.metadata))
