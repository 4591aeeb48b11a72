"""Files of a vault that come after the lines that tell of them: no edits, and what is believed is written over them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from omoide.model.clock import micros_of
from omoide.model.records import Row, Voice
from omoide.store.sqlite.notes import NoteRow, Notes, SeenRow
from omoide.store.sqlite.transaction import Write
from omoide.store.sqlite.transfer.relating import Relating
from omoide.vault import coming, outbox
from omoide.vault.coming import Coming
from omoide.vault.files import FileWrite, hash_of
from omoide.vault.journal import Line
from omoide.vault.outbox import Order
from omoide.vault.scan import Changes, Look

if TYPE_CHECKING:
    from omoide.vault.store import VaultStore

_VOICE: Final = Voice(door="maintenance")


@dataclass(frozen=True, slots=True)
class _Late:
    look: Look
    uid: str
    old: str | None = None


class Latecomers:
    """Tells what comes late in one open store from what people did."""

    def __init__(self, store: VaultStore) -> None:
        self._store = store
        self._second: list[Look] = []
        """Files that came late where their memories have other notes by now: these go."""
        self.again: list[int] = []
        """Memories whose notes are written anew by the transaction that is at work."""

    def told(self, lines: Iterable[Line]) -> None:
        """Take note of the states of notes of which lines tell, before these are done; the caller holds the mutex."""
        told = coming.told_by(lines)
        if not told:
            return
        with self._store.writer.use() as tables:
            rows = Notes(tables.connection).many(list(told))
        root = self._store.root
        awaited = {uid: _unseen(root, states, rows.get(uid)) for uid, states in told.items()}
        coming.tell(self._store.site, awaited, micros_of(self._store.clock))

    @contextmanager
    def joining(self, lines: Iterable[Line]) -> Iterator[None]:
        """Note which files another copy wrote of memories about which, once both are joined, it told nothing new.

        It shows what holds by its own clock, where this copy believes the same and shows what holds by this one.
        """
        before = self._shown_there(lines)
        yield
        after = self._believed(before)
        same = {uid: [hash] for uid, (hash, rows) in before.items() if after.get(uid) == rows}
        coming.tell(self._store.site, same, micros_of(self._store.clock))

    def _shown_there(self, lines: Iterable[Line]) -> dict[str, tuple[str, list[Row]]]:
        """Return by uid the hash of a file that is as lines tell and not as it was here, and what is believed here."""
        told = coming.told_by(lines)
        with self._store.writer.use() as tables:
            rows = Notes(tables.connection).many(list(told))
        here = {uid: outbox.read(self._store.root / row.path) for uid, row in rows.items()}
        others = {uid: hash_of(data) for uid, data in here.items() if data is not None}
        shown = {
            uid: hash.hex() for uid, hash in others.items()
            if hash != rows[uid].hash and hash.hex() in (each for _, each in told[uid])
        }  # fmt: skip
        believed = self._believed(shown)
        return {uid: (hash, believed[uid]) for uid, hash in shown.items() if uid in believed}

    def _believed(self, uids: Collection[str]) -> dict[str, list[Row]]:
        with self._store.writer.use() as tables:
            ids = Relating(tables.connection).ids_of(list(uids))
            return {uid: tables.versions.of_memory(id) for uid, id in ids.items()}

    def take_out(self, changes: Changes) -> list[_Late]:
        """Take the files out of changes that were told of, and return them."""
        there = coming.read(self._store.site)
        if not there.told:
            return []
        late = [_Late(look, str(look.uid)) for look in (*changes.edited, *changes.created)]
        late += [_Late(move.look, str(move.look.uid), move.old) for move in changes.moved]
        with self._store.writer.use() as tables:
            known = Relating(tables.connection).ids_of(list(there.told))
        late = [each for each in late if each.uid in known and there.comes(each.uid, each.look.hash)]
        paths = {each.look.path for each in late}
        changes.edited = [look for look in changes.edited if look.path not in paths]
        changes.created = [look for look in changes.created if look.path not in paths]
        changes.moved = [move for move in changes.moved if move.look.path not in paths]
        second = [each.look for each in changes.damaged if each.look is not None]
        self._second = [look for look in second if look.uid in known and there.comes(look.uid, look.hash)]
        changes.damaged = [each for each in changes.damaged if each.look not in self._second]
        return late

    def place(self, late: list[_Late]) -> None:
        """Let the notes that came late say what is believed by now."""
        if late:
            try:
                with self._store.write(_VOICE) as tx:
                    self._found(tx, late)
            finally:
                self.again.clear()
        gone, self._second = self._second, []
        outbox.carry_out(self._store.root, [Order(FileWrite(look.path, look.hash, None), None) for look in gone])
        looks = [*(each.look for each in late), *gone]
        if looks:
            there = coming.read(self._store.site)
            for look in looks:
                there.came(str(look.uid), look.hash)
            coming.write(self._store.site, there)

    def _found(self, tx: Write, late: Iterable[_Late]) -> None:
        notes = Notes(tx.connection)
        for each in late:
            row, look = notes.of(each.uid), each.look
            before = {each.old, None if row is None else row.path} - {None, look.path}
            notes.unsee([path for path in before if path is not None])
            notes.put(each.uid, look.path, look.hash, None if row is None else row.version)
            notes.see([SeenRow(look.path, look.hash, look.stat, each.uid)])
        self.again += Relating(tx.connection).ids_of([each.uid for each in late]).values()

    def arrived(self) -> None:
        """Notes that were never here and now are, or whose memories are no more, are not waited for any longer."""
        there = coming.read(self._store.site)
        if not (there.absent or there.told):
            return
        with self._store.writer.use() as tables:
            alive = Relating(tables.connection).ids_of([*there.absent, *there.told])
            rows = Notes(tables.connection).many(there.absent)
        here = {uid for uid, row in rows.items() if (self._store.root / row.path).exists()}
        absent = [uid for uid in there.absent if uid in alive and uid not in here]
        told = {uid: states for uid, states in there.told.items() if uid in alive}
        coming.write(self._store.site, Coming(absent, told))


def _unseen(root: Path, states: list[tuple[str | None, str]], row: NoteRow | None) -> list[str]:
    """Return the states that may still come: those behind the one that is here, none where a person's edit is."""
    hashes = [hash for _, hash in states]
    path = row.path if row is not None else next((path for path, _ in reversed(states) if path is not None), None)
    data = None if path is None else outbox.read(root / path)
    here = None if data is None else hash_of(data)
    if here is not None and here.hex() in hashes:
        return hashes[hashes.index(here.hex()) + 1 :]
    return hashes if here is None or (row is not None and here == row.hash) else []
