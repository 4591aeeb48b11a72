"""What people did to the files of a vault, turned into revisions, memories, documents and forgotten memories."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from omoide.errors import AccessDeniedError, InvalidInputError
from omoide.model import bitemporal
from omoide.model.policy import Policy, WriteScope
from omoide.model.records import Claim, Row, State
from omoide.store.sqlite.notes import HeldRow, NoteRow, Notes, SeenRow
from omoide.store.sqlite.transaction import Read, Write
from omoide.store.sqlite.transfer.relating import Relating
from omoide.vault.damage import DamagedNoteError
from omoide.vault.fields import ENDED
from omoide.vault.files import stat_of
from omoide.vault.frontmatter import Note
from omoide.vault.projecting import Projector, fields_of, spoken
from omoide.vault.scan import Changes, Look
from omoide.vault.store import VaultStore
from omoide.vault.types import Types
from omoide.verbs import forget
from omoide.verbs.context import Context
from omoide.verbs.notes import note_adoption
from omoide.verbs.notes.note_changes import FORGOTTEN, Change, change_of
from omoide.verbs.notes.note_documents import take_documents
from omoide.verbs.revise import replace_pieces
from omoide.verbs.writing import writing

ACTOR: Final = "file"
DOOR: Final = "vault"
TOGETHER: Final = 256
"""Notes that are taken in in one transaction."""


@dataclass(frozen=True, slots=True)
class Said:
    """A note of a memory as it is now, and where it was before."""

    look: Look
    note: Note
    old: str | None = None


def take_edits(ctx: Context, projector: Projector, root: str | os.PathLike[str], changes: Changes) -> None:
    """Write down what changed in the files of a vault; what cannot be taken goes to quarantine with the reason.

    Every change is written through the same path as any verb's, by the actor ``file`` at the door ``vault``.
    """
    course = _Course(_editor(ctx), projector, Path(root))
    course.run(changes)


def _editor(ctx: Context) -> Context:
    """Whoever edits the files may edit them all, so no policy of a handle stands in the way."""
    return Context(
        ctx.store, ctx.embedding, ctx.filler, Policy.open(), ctx.namespace, actor=ACTOR, door=DOOR,
        door_trust="observed", zone=ctx.zone,
    )  # fmt: skip


class _Course:
    """One taking in of changes."""

    def __init__(self, ctx: Context, projector: Projector, root: Path) -> None:
        self._ctx, self._root = ctx, root
        self._types: Types = projector.types.current()
        self._held: list[tuple[Look, str, str]] = []
        self._adopted: list[str] = []
        self._raised: list[int] = []
        """Memories whose notes ask for more trust than a file can give."""
        self._resolved: set[str] = set()
        """Files in which somebody who saw both sides of a merge ended its conflict: what they say counts whole."""

    def run(self, changes: Changes) -> None:
        """Take in everything."""
        said, texts = self._sorted(changes)
        self._set_aside(changes)
        for portion in _portions(said):
            self._take(portion)
        if isinstance(self._ctx.store, VaultStore):
            self._ctx.store.write_notes(self._raised)
        gone = [seen.path for seen in changes.vanished if seen.uid is None]
        take_documents(self._ctx, self._root, texts, gone, self._adopted)
        self._vanish(changes)
        self._place_again(changes)
        self._hold_refused()

    def _sorted(self, changes: Changes) -> tuple[list[Said], list[tuple[Look, str | None]]]:
        """Return the notes of memories, and the texts of others."""
        moved = [(move.look, move.old) for move in changes.moved]
        looks = [*((look, None) for look in (*changes.edited, *changes.created)), *moved]
        with self._ctx.store.read(None) as tx:
            known = Relating(tx.connection).ids_of([look.uid for look, _ in looks if look.uid is not None])
        said: list[Said] = []
        texts: list[tuple[Look, str | None]] = []
        for look, old in looks:
            if look.note is not None and (look.uid in known or note_adoption.is_offered(look.note, self._types)):
                said.append(Said(look, look.note, old))
            else:
                texts.append((look, old))
        return note_adoption.in_order(said), texts

    # -- quarantine --------------------------------------------------------------------------------------

    def _set_aside(self, changes: Changes) -> None:
        gone = [*changes.mended, *(move.old for move in changes.moved)]
        if not changes.damaged and not gone:
            return
        with self._writing() as tx:
            notes = Notes(tx.connection)
            self._resolved = {row.path for row in notes.held() if row.code == "conflict"} & set(changes.mended)
            notes.release(gone)
            for each in changes.damaged:
                notes.hold(HeldRow(each.path, each.code, each.reason, each.stat, tx.now))

    def _refuse(self, look: Look, code: str, reason: str) -> None:
        self._held.append((look, code, reason))

    def _hold_refused(self) -> None:
        if not self._held:
            return
        with self._writing() as tx:
            notes = Notes(tx.connection)
            for look, code, reason in self._held:
                notes.hold(HeldRow(look.path, code, reason, _state_of(self._root, look), tx.now))

    # -- notes of memories -------------------------------------------------------------------------------

    def _take(self, portion: Sequence[Said]) -> None:
        """Take notes in in one transaction; where one is refused, the others without it."""
        claims = self._claims(portion)
        if claims:
            self._ctx.embedding.prepare(claims, self._ctx.store)
        try:
            with self._writing(portion) as tx:
                for said in portion:
                    self._take_one(tx, Notes(tx.connection), said)
        except (DamagedNoteError, InvalidInputError, AccessDeniedError) as error:
            if len(portion) == 1:
                code = error.code if isinstance(error, DamagedNoteError) else "refused"
                self._refuse(portion[0].look, code, error.message)
                return
            half = len(portion) // 2
            self._take(portion[:half])
            self._take(portion[half:])

    def _claims(self, portion: Sequence[Said]) -> list[Claim]:
        """Return what the notes say now, so that it can be embedded before the lock is taken."""
        found: list[Claim] = []
        with self._ctx.store.read(None) as tx:
            for said in portion:
                try:
                    state = state_of(tx, said.look.uid)
                    if state is None:
                        found.append(note_adoption.draft(said.note, self._types).claim)
                    else:
                        change = self._change(tx, Notes(tx.connection), said, state)
                        found += [change.claim] if change.claim is not None else []
                except (DamagedNoteError, InvalidInputError):
                    continue  # it is refused when it is taken
        return found

    def _take_one(self, tx: Write, notes: Notes, said: Said) -> None:
        look = said.look
        state = state_of(tx, look.uid)
        if state is None:
            state = note_adoption.adopt(self._ctx, tx, said.note, self._types, look.uid)
            self._record(notes, said, state, None)
            self._adopted.append(said.old or look.path)
            if said.note.fields.get("status") in FORGOTTEN:
                forget.forget_all(self._ctx, tx, state.namespace, [state.id])
            return
        known = notes.of(state.uid)
        same = known is not None and (known.hash, known.path) == (look.hash, look.path)
        if same and look.path not in self._resolved:
            notes.unsee([] if said.old is None else [said.old])
            notes.see([SeenRow(look.path, look.hash, look.stat, state.uid)])
            return
        if state.ended is not None and not said.note.fields.get("status"):
            state = self._back(tx, state)
        change = self._change(tx, notes, said, state)
        self._apply(tx, state, change)
        self._record(notes, said, state, known)
        if change.ending == "forget":
            forget.forget_all(self._ctx, tx, state.namespace, [state.id])

    def _record(self, notes: Notes, said: Said, state: State, known: NoteRow | None) -> None:
        """The file as it was found; what the store makes of it is written over exactly these bytes."""
        look = said.look
        if said.old is not None:
            notes.unsee([said.old])
        elif known is not None and known.path != look.path:
            notes.unsee([known.path])
        notes.put(state.uid, look.path, look.hash, None if known is None else known.version)
        notes.see([SeenRow(look.path, look.hash, look.stat, state.uid)])

    def _change(self, tx: Read, notes: Notes, said: Said, state: State) -> Change:
        current = spoken(tx, state)
        if current is None:
            raise DamagedNoteError("invalid", "the store has no version of its memory")
        known = notes.of(state.uid)
        base = current if said.look.path in self._resolved else self._base(tx, known, current)
        shown = fields_of(tx, state, base, self._types)
        if state.ended is None and base.closed_cause in ENDED:  # another copy's edit outlived the end that it shows
            shown["status"] = ENDED[base.closed_cause]
        change = change_of(said.note, shown, base, current, self._types)
        if state.ended is not None and change.says and change.ending is None and said.note.fields.get("status"):
            raise DamagedNoteError(
                "refused", f"its memory is {shown['status']}; take out the line status to bring it back with this text"
            )
        return change

    def _base(self, tx: Read, known: NoteRow | None, current: Row) -> Row:
        if known is None or known.version is None:
            return current
        return tx.versions.by_ids([known.version]).get(known.version, current)

    def _apply(self, tx: Write, state: State, change: Change) -> None:
        if change.says:
            self._write(tx, state, change)
        elif change.raised:
            self._raised.append(state.id)
        marks = {"pinned": change.pinned, "archived": change.archived}
        values = {name: int(mark) for name, mark in marks.items() if mark is not None}
        current = tx.memories.get(state.id)
        if values and current is not None:
            tx.set_state(current, **values)
            tx.log("update" if change.archived is None else "archive", state.namespace, [state.id])

    def _write(self, tx: Write, state: State, change: Change) -> None:
        rows = tx.versions.of_memory(state.id, only_open=True)
        if not rows:
            raise DamagedNoteError("refused", "its memory is not believed any more; restore it first")
        old = bitemporal.meant(rows, tx.now)
        claim = change.claim or old.claim
        start, end = _interval(old, change, tx.now)
        if end <= start:
            raise DamagedNoteError("invalid", "valid_to must be later than valid_from")
        op = "revise" if change.text and start > old.valid_from else "update"
        replace_pieces(self._ctx, tx, state, _cut(rows, old, start, end, change), claim, start, end, None, op)
        tx.log(op, state.namespace, [state.id])

    # -- notes that are gone, and notes that came back ---------------------------------------------------

    def _back(self, tx: Write, state: State) -> State:
        """A note that is there again, or whose status was taken out, brings its memory back."""
        forget.bring_back(self._ctx, tx, state)
        found = tx.memories.get(state.id)
        assert found is not None
        return found

    def _vanish(self, changes: Changes) -> None:
        gone = [seen for seen in changes.vanished if seen.uid is not None]
        if not gone:
            return
        ids: list[int] = []
        with self._ctx.store.read(None) as tx:
            notes = Notes(tx.connection)
            for seen in gone:
                state, known = state_of(tx, seen.uid), notes.of(str(seen.uid))
                if state is not None and known is not None and known.path == seen.path:
                    ids.append(state.id)
        self._forget(ids, [seen.path for seen in gone], [str(seen.uid) for seen in gone])

    def _place_again(self, changes: Changes) -> None:
        """A memory whose note was written over by another one gets a note elsewhere: nobody meant to forget it."""
        with self._ctx.store.read(None) as tx:
            known = Notes(tx.connection).many([str(seen.uid) for seen in changes.displaced])
            there = {row.path for row in known.values()}  # the others have their notes elsewhere by now
            displaced = [seen for seen in changes.displaced if seen.path in there]
            states = [state for seen in displaced if (state := state_of(tx, seen.uid)) is not None]
        if not states:
            return
        with self._writing_of(states) as tx:
            for state in states:
                Notes(tx.connection).drop(state.uid)
                tx.set_state(state, changed_at=tx.now)
                tx.log("update", state.namespace, [state.id])

    def _forget(self, ids: Sequence[int], paths: Sequence[str] = (), uids: Sequence[str] = ()) -> None:
        with self._ctx.store.read(None) as tx:
            states = list(tx.memories.many(list(ids)).values())
        with self._writing_of(states) as tx:
            notes = Notes(tx.connection)
            for uid, path in zip(uids, paths, strict=True):
                known = notes.of(uid)
                if known is not None and known.path == path:
                    notes.drop(uid)
            notes.unsee(paths)
            for namespace in {state.namespace for state in states}:
                forget.forget_all(
                    self._ctx, tx, namespace, [state.id for state in states if state.namespace == namespace]
                )

    # -- transactions ------------------------------------------------------------------------------------

    def _writing(self, portion: Sequence[Said] = ()) -> AbstractContextManager[Write]:
        names: set[str] = set()
        with self._ctx.store.read(None) as tx:
            for said in portion:
                state = state_of(tx, said.look.uid)
                names.add(state.namespace if state is not None else note_adoption.namespace_of(said.note))
        return writing(self._ctx, *[scope_of(name) for name in sorted(names)])

    def _writing_of(self, states: Sequence[State]) -> AbstractContextManager[Write]:
        return writing(self._ctx, *[scope_of(name) for name in sorted({state.namespace for state in states})])


def scope_of(namespace: str) -> WriteScope:
    """Return the right to write a namespace for whoever edits files."""
    return Policy.open().write_scope(namespace, namespace)


def state_of(tx: Read, uid: str | None) -> State | None:
    """Return the memory with a uid, or None."""
    if uid is None:
        return None
    found = Relating(tx.connection).ids_of([uid]).get(uid)
    return None if found is None else tx.memories.get(found)


def _interval(old: Row, change: Change, now: int) -> tuple[int, int]:
    """A new text holds from now on, as far as the note does; new labels hold wherever the old ones did."""
    start = old.valid_from
    if change.text and old.valid_from <= now < old.valid_to:
        start = now
    start = start if change.valid_from is None else change.valid_from
    return start, old.valid_to if change.valid_to is None else change.valid_to


def _cut(rows: Sequence[Row], old: Row, start: int, end: int, change: Change) -> bitemporal.Cut[Row]:
    """What a note says of its own piece is the whole piece, save what held before a new text."""
    cut = bitemporal.cut(rows, start, end)
    closed = cut.closed if old in cut.closed else (*cut.closed, old)
    kept = [each for each in cut.kept if each.piece is not old or _stays(each, start, end, change)]
    return bitemporal.Cut(closed, tuple(kept))


def _stays(part: bitemporal.Remainder[Row], start: int, end: int, change: Change) -> bool:
    if part.valid_to <= start:
        return change.valid_from is None
    return part.valid_from >= end and change.valid_to is None


def _portions(said: Sequence[Said]) -> Iterator[Sequence[Said]]:
    for first in range(0, len(said), TOGETHER):
        yield said[first : first + TOGETHER]


def _state_of(root: Path, look: Look) -> str | None:
    """The state of a refused file, so that it is looked at again once it changes."""
    try:
        return stat_of((root / look.path).stat())
    except OSError:
        return look.stat
