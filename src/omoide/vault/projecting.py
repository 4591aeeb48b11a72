"""The notes of memories as they should be: what to write after some memories changed."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from omoide.errors import InvalidInputError
from omoide.model import bitemporal
from omoide.model.records import Claim, Row, State
from omoide.model.time import Micros
from omoide.store.sqlite.notes import NoteRow, Notes
from omoide.store.sqlite.transaction import Read
from omoide.store.sqlite.transfer.relating import Relating
from omoide.vault import layout
from omoide.vault.fields import ENDED, shown
from omoide.vault.files import HIDDEN, INDEX_NOTE, FileWrite, hash_of
from omoide.vault.frontmatter import Note, parse, render, same_body
from omoide.vault.memory_md import listing, placed
from omoide.vault.settings import read_settings
from omoide.vault.types import FOLDER, TypeBook, Types

_CHANGES: Final = frozenset(("revise", "update", "dedupe"))
"""Causes by which a memory says something else than before; all others add, end or bring back."""


class Projector:
    """Plans the files of one vault."""

    def __init__(self, root: str | os.PathLike[str]) -> None:
        self.types = TypeBook(Path(root) / HIDDEN / FOLDER)

    def plan(self, tx: Read, memory_ids: Sequence[int], notes: Notes, root: Path) -> list[FileWrite]:
        """Return what to write so that the notes of some memories say what the store believes.

        A note that somebody changed since it was last read is left out; the next sweep takes it in.

        Raises:
            InvalidInputError: a new memory lacks a field that its type requires, or its folder is a link.
        """
        ids = list(dict.fromkeys([*memory_ids, *notes.due(tx.now)]))
        return _Planning(tx, notes, root, self.types.current()).run(ids)

    def twin(self, tx: Read, namespace: str, claim: Claim, valid_from: Micros) -> int | None:
        """Return the memory that one with the same key revises, where its type asks for that; None for a new one.

        It is looked for where its note was put: one that a person moved away is not found.
        """
        kind = self.types.current().of(claim.kind, claim.metadata)
        key = layout.key_of(kind, claim, valid_from) if kind.mode == "upsert" else None
        if key is None:
            return None
        folder = "/".join(layout.folders(kind, claim, namespace, valid_from))
        rows = Notes(tx.connection).beginning(f"{folder}/{layout.stem_of(kind, claim, valid_from)}")
        for id in sorted(Relating(tx.connection).ids_of([row.uid for row in rows]).values()):
            state = tx.memories.get(id)
            said = None if state is None or state.ended is not None else spoken(tx, state)
            if said is not None and layout.key_of(kind, said.claim, said.valid_from) == key:
                return id
        return None

    def listing(self, tx: Read, root: Path) -> FileWrite | None:
        """Return MEMORY.md as it is to be, None where it is so already or belongs to somebody else."""
        settings = read_settings(root)
        ns = tx.namespaces.id(settings.namespace)
        if ns is None or settings.budget <= 0:
            return None
        data = _read(root, INDEX_NOTE)
        try:
            existing = None if data is None else data.decode("utf-8")
        except UnicodeDecodeError:
            return None
        new = placed(existing, listing(tx, ns, settings.budget))
        if new is None or new == existing:
            return None
        return FileWrite(INDEX_NOTE, None if data is None else hash_of(data), new.encode("utf-8"))


class _Planning:
    """One plan, inside one transaction."""

    def __init__(self, tx: Read, notes: Notes, root: Path, types: Types) -> None:
        self._tx, self._notes, self._root, self._types = tx, notes, root, types
        self._given: set[str] = set()

    def run(self, memory_ids: Sequence[int]) -> list[FileWrite]:
        states = self._tx.memories.many(memory_ids)
        known = self._notes.many([state.uid for state in states.values()])
        writes: list[FileWrite] = []
        for memory_id in memory_ids:
            state = states.get(memory_id)
            row = None if state is None else spoken(self._tx, state)
            if state is not None and row is not None:
                write = self._of(state, row, known.get(state.uid))
                writes += [] if write is None else [write]
        return writes

    def _of(self, state: State, row: Row, note: NoteRow | None) -> FileWrite | None:
        fields = fields_of(self._tx, state, row, self._types)
        if note is None:  # one that ended and has none had it taken away by a person
            return self._new(state, row, fields) if state.ended is None else None
        data = _read(self._root, note.path)
        if data is None or hash_of(data) != note.hash:
            self._notes.look_again_at(note.path)
            return None
        old = parse(data, ours=True)
        fields["was"] = _former_ids(old, state.id)
        self._check_mode(row, note)
        new = render(old, fields, old.body if same_body(old.body, row.claim.text) else row.claim.text)
        path = self._path(note, state)
        if path == note.path and new == data:
            self._notes.put(state.uid, path, note.hash, row.version_id)  # what a later edit is compared with
            return None
        if path == note.path:
            return FileWrite(path, note.hash, new, None, state.uid, row.version_id, note.version)
        return FileWrite(path, None, new, note.path, state.uid, row.version_id, note.version)

    def _check_mode(self, row: Row, note: NoteRow) -> None:
        kind = self._types.of(row.claim.kind, row.claim.metadata)
        if kind.mode != "add_only" or row.cause not in _CHANGES or note.version is None:
            return
        said = self._tx.versions.by_ids([note.version]).get(note.version)
        if said is not None and not same_body(said.claim.text, row.claim.text):
            told = f"memories of type {kind.name} are never changed in this vault, its mode is add_only"
            raise InvalidInputError(f"{told}; remember another one, or forget this one", value=row.memory_id)

    def _new(self, state: State, row: Row, fields: dict[str, Any]) -> FileWrite:
        kind = self._types.of(row.claim.kind, row.claim.metadata)
        missing = [name for name in kind.required if not layout.value_of(name, row.claim, row.valid_from)]
        if missing and row.cause == "remember":
            told = "; ".join(f"{name} is required" for name in missing)
            raise InvalidInputError(f"a memory of type {kind.name} cannot be kept in this vault: {told}", value=missing)
        path = layout.place(kind, row.claim, row.namespace, row.valid_from, state.uid, self._taken)
        self._refuse_links(path)
        self._given.add(layout.same_name(path))
        return FileWrite(path, None, render(None, fields, row.claim.text), None, state.uid, row.version_id)

    def _path(self, note: NoteRow, state: State) -> str:
        """The note of a memory that ended goes to the archive, and comes back with it; nothing else moves a note."""
        wanted = note.path
        if state.ended is not None:
            wanted = layout.archived(note.path)
        elif layout.is_archived(note.path) and self._had_ended(note):
            wanted = layout.unarchived(note.path)
        if wanted == note.path:
            return wanted
        free = layout.beside(wanted, state.uid, self._taken)
        self._given.add(layout.same_name(free))
        return free

    def _refuse_links(self, path: str) -> None:
        """What lies behind a link is not looked at, so a note written there would count as taken away."""
        place = self._root
        for part in path.split("/")[:-1]:
            place /= part
            if place.is_symlink():
                raise InvalidInputError(f"{place} is a link; put a folder in its place for notes", value=str(place))

    def _had_ended(self, note: NoteRow) -> bool:
        said = self._tx.versions.by_ids([note.version]).get(note.version) if note.version is not None else None
        return said is not None and said.closed_cause in ENDED

    def _taken(self, path: str) -> bool:
        if layout.same_name(path) in self._given or self._notes.at(path) is not None:
            return True
        return os.path.lexists(self._root / path)


def fields_of(tx: Read, state: State, row: Row, types: Types) -> dict[str, Any]:
    """Return what the note of a memory shows of a version."""
    replaced = [
        link.to_id
        for link in tx.relations.links(state.id)
        if link.kind == "supersedes" and link.from_id == state.id and link.ended_at is None
    ]
    return shown(row, state, types.of(row.claim.kind, row.claim.metadata), supersedes=sorted(replaced))


def spoken(tx: Read, state: State) -> Row | None:
    """Return the version that the note of a memory says: the piece meant now, or the last one believed."""
    rows = tx.versions.of_memory(state.id)
    pieces = [row for row in rows if row.open]
    if pieces:
        return bitemporal.meant(pieces, tx.now)
    return max(rows, key=lambda row: (row.known_to, row.valid_from, row.version_id), default=None)


def _former_ids(note: Note, id: int) -> list[int]:
    """Where another copy of the vault gave the memory another id, its note keeps that one beside the one here."""
    was = note.fields.get("was")
    ids = [*(was if isinstance(was, list) else [was]), note.fields.get("id")]
    return list(dict.fromkeys(each for each in ids if type(each) is int and each != id))


def _read(root: Path, path: str) -> bytes | None:
    try:
        return (root / path).read_bytes()
    except OSError:
        return None
