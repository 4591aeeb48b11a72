"""What comes into a vault from outside this copy of its database: edits of files, lines of other writers."""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

from omoide.errors import StoreBusyError
from omoide.model.clock import micros_of
from omoide.model.forks import ForkLock
from omoide.model.records import Voice
from omoide.model.time import Micros
from omoide.store.sqlite import elsewhere
from omoide.store.sqlite.notes import LINE, HeldRow, NoteRow, Notes, SeenRow
from omoide.store.sqlite.store import SqliteStore
from omoide.store.sqlite.transfer.changes import pass_over
from omoide.store.sqlite.transfer.relating import Relating
from omoide.vault import coming, logs, outbox, scan
from omoide.vault.files import INDEX_NOTE, FileWrite, hash_of
from omoide.vault.journal import Line
from omoide.vault.late import Latecomers
from omoide.vault.logs import Journal
from omoide.vault.outbox import Order
from omoide.vault.place import Place
from omoide.vault.replaying import HELD, LOST, TIP, build, fetch, index, noted, replay, wait_for
from omoide.vault.scan import Changes

if TYPE_CHECKING:
    from omoide.vault.store import VaultStore

OWED: Final = "owed"
"""Files that another program kept from being written, as the outbox has them."""
_VOICE: Final = Voice(door="maintenance")
_AHEAD: Final = 24 * 3600 * 1_000_000
"""Microseconds by which the known time of other copies may be ahead of the clock here to be followed."""
_MANY: Final = 64
"""So many files are looked at again at each call before it is written down that they have not changed."""


class Intake:
    """Keeps one open store in step with its folder."""

    def __init__(self, store: VaultStore) -> None:
        self._store = store
        self._lock = ForkLock()
        self.latecomers = Latecomers(store)
        self._known: dict[str, SeenRow] = {}
        self._held: dict[str, str | None] = {}
        self._turn = -1
        self._looks: dict[str, SeenRow] = {}
        self._memo: scan.Memo = {}
        self.taking = False
        """Whether lines are being taken in right now."""
        self._scrub = False
        self.after: Micros = 0
        """From when on what this copy writes is known: later than what it took in, also where its clock is behind."""
        self.arriving: dict[str, NoteRow] = {}
        """The files of memories that are being taken in from another copy, by uid."""

    def forget(self) -> None:
        """Start again with another database."""
        with self._lock:
            self._known, self._held, self._turn, self._looks, self._memo = {}, {}, -1, {}, {}

    # -- edits -------------------------------------------------------------------------------------------

    def take_edits(self, seconds: float) -> None:
        """Turn what people did to the files since the last look into writes.

        Raises:
            StoreBusyError: somebody held the vault for longer than ``seconds``.
        """
        store = self._store
        if store.hooks.take_edits is None or not self._changes():
            return
        with store.mutex.hold(seconds=seconds):
            store.ready()
            self.pay()
            changes = self._changes()  # what another process was writing is written now
            if changes:
                late = self.latecomers.take_out(changes)
                try:
                    store.hooks.take_edits(changes)
                    self.latecomers.place(late)
                    self.latecomers.arrived()
                finally:
                    self.forget()  # it wrote down what it saw of the files

    def _changes(self) -> Changes:
        known, held = self._seen()
        changes = scan.sweep(self._store.root, known, held, self._memo)
        with self._lock:
            for look in changes.touched:
                self._look(SeenRow(look.path, look.hash, look.stat, look.uid))
        if len(self._looks) >= _MANY:
            self.save_looks()
        return changes

    def _seen(self) -> tuple[Mapping[str, SeenRow], Mapping[str, str | None]]:
        """Return what is known of the files, as of the last transaction of any process."""
        with self._store.read(None) as tx, self._lock:
            notes = Notes(tx.connection)
            if notes.turn != self._turn:
                self._known = {row.path: row for row in notes.seen()}
                self._turn = notes.turn
                for row in self._looks.values():
                    self._look(row)
                self._held = {row.path: row.stat for row in notes.held()}
                self._store.lister.noticed(notes)
            return dict(self._known), dict(self._held)

    def _look(self, row: SeenRow) -> None:
        there = self._known.get(row.path)
        if there is not None and there.hash == row.hash:
            self._known[row.path] = row
            if row.stat is not None and there.stat != row.stat:
                self._looks[row.path] = row

    def keep_looks(self, notes: Notes) -> int:
        """Write down how files look that were looked at since the last write; return the turn before."""
        turn = notes.turn
        with self._lock:
            rows = [row for row in self._looks.values() if self._known.get(row.path) == row]
        if rows:
            notes.see(rows)
        return turn

    def save_looks(self) -> None:
        """Write down at once how files look, unless somebody else is writing."""
        if self._store.read_only or not self._looks:
            return
        with suppress(StoreBusyError), self._store.mutex.hold(wait=False), self._store.writer.use(wait=False) as tables:
            notes = Notes(tables.connection)
            latest = self._turn == self.keep_looks(notes)
            with self._lock:
                self._looks.clear()
                if latest:  # what was written down is what this process knows: nothing to read again
                    self._turn = notes.turn

    def wrote(self, writes: Sequence[FileWrite], turns: tuple[int, int], held: Sequence[HeldRow]) -> None:
        """Take note of files that this process wrote in a transaction that changed the turn, and of those set aside."""
        with self._lock:
            self._looks.clear()
            if self._turn != turns[0]:
                return
            self._turn, self._held = turns[1], {row.path: row.stat for row in held}
            for write in (write for write in writes if write.path != INDEX_NOTE):
                if write.move_from is not None:
                    self._known.pop(write.move_from, None)
                if write.new_hash is None:
                    self._known.pop(write.path, None)
                else:
                    self._known[write.path] = SeenRow(write.path, write.new_hash, None, write.uid)

    # -- files that somebody kept open -------------------------------------------------------------------

    def owe(self, orders: Sequence[Order]) -> None:
        """Remember files that could not be written; until they are, their old state is nobody's edit."""
        if not orders:
            return
        with self._store.writer.use() as tables:
            notes = Notes(tables.connection)
            owed = [*outbox.unpack(_text(notes.get(OWED))), *orders]
            notes.set(OWED, outbox.pack(owed).decode("ascii"))
            for order in orders:
                path, was = order.before
                there = _hash_there(self._store.root / path, was)
                if there is not None or was is None:  # a new note that is not there yet was taken away by nobody
                    notes.unsee([order.write.path])
                if there is not None:
                    notes.see([SeenRow(path, there, None, order.write.uid)])
            coming.announce_new(self._store.site, orders)

    def pay(self) -> None:
        """Try again to write what could not be written."""
        with self._store.writer.use() as tables:
            notes = Notes(tables.connection)
            owed = outbox.unpack(_text(notes.get(OWED)))
            if owed:
                left = outbox.carry_out(self._store.root, owed)
                notes.set(OWED, outbox.pack(left).decode("ascii") if left else None)

    def findings(self) -> list[str]:
        """Say which notes wait for being written, one line each."""
        with self._store.writer.use() as tables:
            owed = outbox.unpack(_text(Notes(tables.connection).get(OWED)))
        paths = dict.fromkeys(order.write.path for order in owed)
        return [f"{path} could not be written yet; let it be written, the next write tries again" for path in paths]

    # -- lines of other writers --------------------------------------------------------------------------

    def take_lines(self) -> None:
        """Take in the lines that this database does not hold; the caller holds the mutex."""
        self.taking = True
        try:
            self._take_lines()
            self.latecomers.arrived()
        finally:
            self.taking = False

    def postpones_scrub(self) -> bool:
        """Say whether the logs are being read, so that what was erased leaves them afterwards."""
        self._scrub = self._scrub or self.taking
        return self.taking

    def owes_scrub(self) -> bool:
        """Say, once, whether something was erased while the logs were read."""
        owed, self._scrub = self._scrub, False
        return owed

    def _take_lines(self) -> None:
        journal = logs.read(self._store.root)
        self._store.problems = tuple(journal.problems)
        with self._store.writer.use() as tables:
            notes = Notes(tables.connection)
            tip, held = notes.get(TIP), set(notes.lines())
            lost = tip is not None and not journal.makes(tip)
            notes.set(LOST, int(lost) or None)  # now, so that no line goes on from one that is not there
        joined = False
        for head in sorted(journal.heads(), key=lambda line: -len(journal.known([line.hash]))):
            if head.hash in held and held.issuperset(line.hash for line in journal.path_to(head.hash) or ()):
                continue
            path = None if lost or tip is None else journal.path_to(head.hash, since=tip)
            if path and journal.is_whole(path, tip):
                self._forward(path, head)
                tip = head.hash
            else:
                new = [line for line in journal.path_to(head.hash) or () if line.hash not in held]
                self.latecomers.told(new)
                with self.latecomers.joining(new):
                    self._absorb(journal, head)
                joined = True
            held |= journal.holding(head.hash)
        with self._store.writer.use() as tables:
            notes = Notes(tables.connection)
            notes.set_many([(LINE + name, "") for name in held])
            fetch(self._store.site, tables.connection)
            owed = joined and notes.get(LOST)
        if owed:  # the log of this copy gave way to one that holds it all: its chain of events would be in no file
            self._store.write_whole()
        if joined and journal.problems:  # what was written meanwhile may hold what was lacking
            more = self._store.problems[len(journal.problems) :]
            self._store.problems = (*logs.read(self._store.root).problems, *more)

    def _forward(self, path: Sequence[Line], head: Line) -> None:
        """Lines that go on from where this database is are done again as they are."""
        store = self._store
        self.latecomers.told(path)
        with store.writer.use() as tables:
            notes = Notes(tables.connection)
            before = notes.many(noted(path))
            store.problems = (*store.problems, *replay(store.site, tables.connection, path, head))
            self._catch_up(tables.events.last()[1])
            tables.namespaces.forget_names()
            late = self._wait_for_files(notes, path, before)
            ids = list(Relating(tables.connection).ids_of(late).values())
        if not store.follow():
            index(store, store.hooks.prepare)
        self.forget()
        store.write_notes(ids)

    def _wait_for_files(self, notes: Notes, path: Sequence[Line], before: Mapping[str, NoteRow]) -> list[str]:
        """A note may come later than the line that tells of it; that it is still as it was is nobody's wish.

        Returns the memories whose notes say what was before these lines.
        """
        late: list[str] = []
        missing: list[NoteRow] = []
        told = coming.told_by(path)
        for uid, row in notes.many(noted(path)).items():
            there, old = outbox.read(self._store.root / row.path), before.get(uid)
            if there is not None and hash_of(there) == row.hash:
                continue
            if there is not None and hash_of(there).hex() in (hash for _, hash in told.get(uid, ())):
                notes.put(uid, row.path, hash_of(there), row.version)
                notes.see([SeenRow(row.path, hash_of(there), None, uid)])
                late.append(uid)
                continue
            was = there if old is None or old.path == row.path else outbox.read(self._store.root / old.path)
            if old is not None and was is not None and hash_of(was) == old.hash:
                notes.unsee([row.path])
                notes.put(uid, old.path, old.hash, old.version)
                notes.see([SeenRow(old.path, old.hash, None, uid)])
                late.append(uid)
            elif there is None:
                missing.append(row)
        wait_for(self._store.site, notes, missing)
        return late

    def _absorb(self, journal: Journal, head: Line) -> None:
        """Another copy went its own way: both are joined. One whose lines are not all there stays to be joined."""
        store = self._store
        if store.hooks.merge is None:
            return
        site = Place(store.root, index=store.site.index / f"{secrets.token_hex(4)}.unfinished")
        site.index.mkdir()
        try:
            build(site, journal, store.hooks.prepare, clock=store.clock, head=head)
            whole = journal.is_whole(journal.path_to(head.hash) or ())
            with self._holding(head.hash) if whole else nullcontext():
                self.arriving, last, ids, known = _notes_of(site)
                self._catch_up(known)
                with store.writer.use() as tables:  # ids that the other copy gave out are in its notes
                    pass_over(tables.connection, "memory", last)
                store.hooks.merge(site.database)
                with store.write(_VOICE) as tx:
                    elsewhere.note(tx, ids)
        finally:
            self.arriving = {}
            site.remove_index()

    def _catch_up(self, known: Micros) -> None:
        """What is written after this was seen counts as later; one wrong clock does not set those of all copies."""
        now = micros_of(self._store.clock)
        if known > now:
            self.after = max(self.after, min(known + 1, now + _AHEAD))

    @contextmanager
    def _holding(self, name: str) -> Iterator[None]:
        """Let the next line say that it holds another one, unless that could not be taken in."""
        with self._store.writer.use() as tables:
            notes = Notes(tables.connection)
            before = notes.get(HELD)
            notes.set(HELD, json.dumps([*json.loads(before or "[]"), name]))
            try:
                yield
            except BaseException:
                notes.set(HELD, before)
                raise


def _notes_of(site: Place) -> tuple[dict[str, NoteRow], int, list[tuple[int, str]], Micros]:
    """Return the files of another copy's memories by uid, the last id it gave out, ids with uids, its known time."""
    other = SqliteStore(str(site.database), read_only=True)
    try:
        with other.read(None) as tx:
            files = {row.uid: row for row in Notes(tx.connection).all()}
            return files, tx.memories.last_id, [*elsewhere.ids(tx)], tx.last[1]
    finally:
        other.close()


def _hash_there(file: Path, known: bytes | None) -> bytes | None:
    """Return the hash of a file, None without one; ``known``, what it was, where it may not be read now."""
    try:
        there = outbox.read(file)
    except OSError:
        return known
    return None if there is None else hash_of(there)


def _text(value: str | None) -> bytes:
    return (value or "[]").encode("ascii")
