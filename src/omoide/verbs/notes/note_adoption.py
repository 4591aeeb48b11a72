"""Notes that people write as memories: taken in under their own uid, or given one."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Protocol, TypeVar

from omoide.errors import InvalidInputError, RejectedValueError
from omoide.model import bitemporal
from omoide.model.records import Claim, State
from omoide.model.relations import purged_memory
from omoide.model.time import FOREVER, Micros
from omoide.model.uids import uuid7
from omoide.store.sqlite.transaction import Write
from omoide.vault.damage import DamagedNoteError
from omoide.vault.fields import read_fields
from omoide.vault.frontmatter import Note
from omoide.vault.scan import uid_of
from omoide.vault.types import Types
from omoide.verbs import gate, notices
from omoide.verbs.context import Context
from omoide.verbs.drafts import draft_claim


class Said(Protocol):
    """Something that holds a note."""

    @property
    def note(self) -> Note:
        """The note."""
        ...


Named = TypeVar("Named", bound=Said)

_FAR: Final = 1_000_000
"""How far beyond the last id one that a note names may lie: a slip of the hand must not use them all up."""


@dataclass(frozen=True, slots=True)
class Draft:
    """What a note says as a new memory."""

    claim: Claim
    valid_from: Micros | None
    valid_to: Micros
    pinned: bool


def is_offered(note: Note, types: Types) -> bool:
    """Say whether a note is written to be a memory: it names a type of ours, and what it is about or who it is."""
    if types.named(note.fields.get("type")) is None:
        return False
    subject = note.fields.get("subject")
    ours = uid_of(note) is not None and isinstance(note.fields.get("id"), int)
    return ours or (isinstance(subject, str) and bool(subject.strip()))


def in_order(notes: Iterable[Named]) -> list[Named]:
    """Return notes in the order in which they are taken in, so that each can keep the id that it names.

    Of two that name one id, as those of two clones may, the one with the earlier uid keeps it. The others, and those
    that name none, come last: the ids that they are given are then nobody's.
    """
    first: list[Named] = []
    last: list[Named] = []
    taken: set[int] = set()
    for said in sorted(notes, key=_id_and_uid):
        id, _ = _id_and_uid(said)
        (last if id in taken or id < 1 else first).append(said)
        taken.add(id)
    return [*first, *last]


def _id_and_uid(said: Said) -> tuple[int, str]:
    id = said.note.fields.get("id")
    return (id if isinstance(id, int) else 0), uid_of(said.note) or ""


def namespace_of(note: Note) -> str:
    """Return the namespace that a note names."""
    name = note.fields.get("namespace")
    return name if isinstance(name, str) and name.strip() else "default"


def draft(note: Note, types: Types) -> Draft:
    """Return what a note says.

    Raises:
        DamagedNoteError: a field cannot be taken; the message has a sentence for each.
    """
    read = read_fields(note.fields, types)
    if read.problems:
        raise DamagedNoteError("invalid", "; ".join(f"{each.field} {each.message}" for each in read.problems))
    try:
        claim = draft_claim(note.body.strip("\r\n"), door_trust="observed", **read.claim)
    except InvalidInputError as error:
        raise DamagedNoteError("invalid", error.message) from error
    return Draft(claim, read.valid_from, FOREVER if read.valid_to is None else read.valid_to, read.pinned)


def adopt(ctx: Context, tx: Write, note: Note, types: Types, uid: str | None) -> State:
    """Make the memory of a note, with the id it names where that is free; return its state.

    Raises:
        DamagedNoteError: a field cannot be taken.
        RejectedValueError: its value was rejected or purged, or the memory that it was.
    """
    if uid is not None and tx.relations.is_purged(purged_memory(uid)):
        raise RejectedValueError(
            "the memory of this note was purged; delete the file, or its uid to say it anew", value=uid
        )
    made, namespace = draft(note, types), namespace_of(note)
    start = tx.now if made.valid_from is None else made.valid_from
    bitemporal.check_interval(start, made.valid_to)
    keys = gate.admit(tx, namespace, made.claim)
    prepared = ctx.embedding.again(tx, made.claim)
    scope = ctx.policy.write_scope(namespace, namespace)
    found = notices.before_insert(tx, scope, made.claim, prepared, start, made.valid_to, gate.twins_of(tx, keys))
    state = tx.new_memory(uid or uuid7(tx.now), namespace, pinned=made.pinned, id=_free_id(tx, note, uid))
    tx.open_version(
        state, made.claim, prepared, valid_from=start, valid_to=made.valid_to, cause="remember", same=keys[0]
    )
    notices.link_conflicts(tx, state.id, found)
    if note.fields.get("status") == "archived":
        tx.set_state(state, archived=1)
    replaced = _replaced(tx, note, namespace)
    for id in replaced:
        tx.relations.add_link("supersedes", state.id, id, at=tx.now, event=tx.seq)
    tx.log("supersede" if replaced else "remember", namespace, [state.id, *replaced])
    return state


def _replaced(tx: Write, note: Note, namespace: str) -> list[int]:
    """The memories that a note says it took the place of, as far as they are here."""
    ids = note.fields.get("supersedes")
    named = [id for id in ids if isinstance(id, int) and not isinstance(id, bool)] if isinstance(ids, list) else []
    states = tx.memories.many(named)
    return [id for id in named if id in states and states[id].namespace == namespace]


def _free_id(tx: Write, note: Note, uid: str | None) -> int | None:
    """The id that a note names goes with its uid: without one it is a copy's."""
    id = note.fields.get("id")
    if uid is None or not isinstance(id, int) or isinstance(id, bool) or id < 1:
        return None
    last = tx.memories.last_id
    return id if last < id <= last + _FAR else None
