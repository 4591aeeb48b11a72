"""A store whose truth is a folder: each write leaves a line in a log and its notes, each call looks at the folder."""

from __future__ import annotations

import json
import tempfile
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Final

from omoide.errors import StoreBusyError
from omoide.model.policy import Scope, WriteScope
from omoide.model.records import Voice
from omoide.ports import Clock
from omoide.store.sqlite.connection import BUSY_TIMEOUT
from omoide.store.sqlite.indexing import following
from omoide.store.sqlite.mutex import Mutex
from omoide.store.sqlite.notes import Notes
from omoide.store.sqlite.store import SqliteStore
from omoide.store.sqlite.transaction import Read, Write
from omoide.vault import archive, begun, extent, logs, outbox
from omoide.vault.compacting import clear_away
from omoide.vault.hooks import Hooks
from omoide.vault.intake import Intake
from omoide.vault.line import Delivery, Draft, Shaping
from omoide.vault.lister import Lister
from omoide.vault.logs import Signature
from omoide.vault.pen import Pen
from omoide.vault.place import Place
from omoide.vault.replaying import ERASED, INODE, LOGS, STALE, WRITER, build, clean, fetch, in_step, index, is_sound
from omoide.vault.watching import Watcher

_JOURNAL_MODE: Final = "NORMAL"
"""The log is on the disk before a write is acknowledged; what the database lacks after a power cut comes from it."""
PATIENCE: Final = 1.0
"""Seconds that a call waits for another process before it goes on with what it knows of the folder."""
_BEHIND: Final = "another process holds the vault; edits of its files are not taken in yet"
_VOICE: Final = Voice(door="maintenance")


class _Here(threading.local):
    """How deep this thread is inside the store."""

    depth = 0


class VaultStore(SqliteStore):
    """Opens transactions on the database of a vault, in step with its files.

    ``root``: the folder. ``path``: the database in it, which can be thrown away at any time.
    """

    def __init__(
        self, root: str | Path, hooks: Hooks, *, clock: Clock | None = None, busy_timeout: float = BUSY_TIMEOUT,
        read_only: bool | None = None,
    ) -> None:  # fmt: skip
        self.site = Place(root)
        self.root = self.site.root
        self.hooks = hooks
        self.problems: tuple[str, ...] = ()
        """What cannot be read in the logs."""
        self._here = _Here()
        self._aside: tempfile.TemporaryDirectory[str] | None = None
        self._signature: Signature | None = None
        fixed = not self.site.writable if read_only is None else read_only
        self.mutex = Mutex(self.site.lock, timeout=busy_timeout)
        self._intake, self.lister, self.watcher = Intake(self), Lister(self), Watcher(self)
        self._entered, free = fixed, False
        bound = busy_timeout if self.site.inode() is None else min(PATIENCE, busy_timeout)
        if fixed:
            self._look_aside(clock)
        else:
            self.site.ensure()
            free = self._while_free(partial(self._make, clock), bound)
        super().__init__(
            str(self.site.database), clock=clock, busy_timeout=busy_timeout, read_only=fixed, durability=_JOURNAL_MODE
        )
        self._inode = self.site.inode()
        if free:
            self._while_free(self._settle_in, bound)

    @property
    def place(self) -> str:
        """The folder, as users name it."""
        return str(self.root)

    # -- transactions ------------------------------------------------------------------------------------

    @contextmanager
    def read(self, scope: Scope | None) -> Iterator[Read]:
        """Yield one consistent view of the store, after a look at the folder."""
        with self.settled(), super().read(scope) as tx:
            yield tx

    @contextmanager
    def write(self, voice: Voice, *scopes: WriteScope, wait: bool = True) -> Iterator[Write]:
        """Yield the one writer; its line is in the log, and its notes are written, before this returns.

        Raises:
            StoreBusyError: another process held the vault for longer than ``busy_timeout``.
        """
        if self.read_only:
            with super().write(voice, *scopes, wait=wait) as tx:
                yield tx
            return
        delivery: Delivery | None = None
        with self.settled(), self.mutex.hold(wait=wait):
            now = self.ready()
            with super().write(voice, *scopes, wait=wait) as tx:
                tx.now = max(tx.now, self._intake.after)
                draft = self._draft(tx, now)
                try:
                    yield tx
                    tx.finish()
                    delivery = draft.post()
                finally:
                    draft.close()
            if delivery is not None:
                self._deliver(delivery)

    @contextmanager
    def settled(self) -> Iterator[None]:
        """Look at the folder once; what this thread does inside does not look again."""
        here = self._here
        if here.depth == 0:
            here.depth += 1
            try:
                self.behind = []
                self._look()
            except StoreBusyError:  # what another process is writing is not acknowledged yet
                self.behind = [_BEHIND]
            finally:
                here.depth -= 1
        here.depth += 1
        try:
            yield
        finally:
            here.depth -= 1

    def list_what_is_owed(self) -> None:
        """Let MEMORY.md be written in a moment where a crash kept it from being so."""
        with super().read(None) as tx:
            self.lister.noticed(Notes(tx.connection))

    def look_again(self) -> None:
        """Take in what this call itself did to the files."""
        with self.settled():
            self._intake.take_edits(PATIENCE)

    @property
    def replaced(self) -> bool:
        """Whether the database that is open here is not the one of the folder any more."""
        return self.site.inode() != self._inode

    # -- keeping in step ---------------------------------------------------------------------------------

    def _look(self) -> None:
        """Bring the database in step with the folder."""
        if self.replaced and not self.read_only:
            with self.mutex.hold():
                self._reopen()
        if self.read_only:
            return
        now = logs.signature(self.root)
        if not self._is_known(now):
            with self.mutex.hold(seconds=PATIENCE):
                self.ready()
        self._intake.take_edits(PATIENCE)

    def ready(self) -> Signature:
        """Finish what a crash left and take in what other copies wrote; return how the logs look.

        The caller holds the mutex.
        """
        if self.replaced:
            self._reopen()
        if not self._entered:
            self._settle_in()
        if self._intake.taking:  # what is being taken in is known when all of it is
            return self._signature or {}
        self._finish_outbox()
        now = logs.signature(self.root)
        if not self._is_known(now):
            self._intake.take_lines()
            now = self._remember_logs(now)
            if self._intake.owes_scrub():
                self.compact()
        return self._signature or now

    def _is_known(self, now: Signature) -> bool:
        if self._signature is not None and logs.same(now, self._signature):
            return True
        with super().read(None) as tx:
            self._signature = json.loads(Notes(tx.connection).get(LOGS) or "{}")
        return logs.same(now, self._signature)

    def _remember_logs(self, read: Signature) -> Signature:
        """Take note of logs as they were when they were read; what came meanwhile is to be looked at."""
        with self.writer.use() as tables:
            notes = Notes(tables.connection)
            self._signature = logs.as_read(read, logs.signature(self.root), notes.get(WRITER))
            notes.set(LOGS, json.dumps(self._signature))
        return self._signature

    def _draft(self, tx: Write, now: Signature) -> Draft:
        turn = self._intake.keep_looks(Notes(tx.connection))
        intake = self._intake
        return Draft(tx, self.root, Shaping(self.hooks.plan, intake.arriving, intake.latecomers.again), now, turn)

    def _deliver(self, delivery: Delivery) -> None:
        """Write the files, then the lines: where the lines are, the files are."""
        self._intake.pay()
        with begun.noted(self.root, delivery) as edited:
            self._intake.owe(outbox.carry_out(self.root, delivery.orders, edited))
            archive.carry_out(self.root, delivery.additions)
            Pen(self.root, delivery.log.partition("/")[0]).write(delivery.log, delivery.lines, again=False)
        with self.writer.use() as tables:  # or files that a checkout takes away would come back
            notes = Notes(tables.connection)
            notes.delivered()
            held = notes.held()
            for write, (path, was) in ((each.write, each.before) for each in edited):  # the next look takes it in
                if write.uid is not None and was is not None:
                    notes.put(write.uid, path, was, write.old_version)
        self._signature = delivery.logs
        self._intake.wrote([order.write for order in delivery.orders], delivery.turns, held)
        if delivery.orders:
            self.lister.due(at_once=delivery.erased)

    def _finish_outbox(self) -> None:
        """Deliver what somebody committed and did not live, or had no room, to deliver."""
        begun.finish(self.root)
        with self.writer.use() as tables:  # no transaction of its own: every write asks this first
            notes = Notes(tables.connection)
            posted, writer = notes.posted(), notes.get(WRITER)
        if not posted or writer is None:
            return
        for _, _, files in posted:
            self._intake.owe(outbox.carry_out(self.root, outbox.unpack(files)))
            archive.carry_out(self.root, archive.unpacked(files))
        Pen(self.root, writer).write_again([line for _, line, _ in posted])
        with self.writer.use() as tables:
            Notes(tables.connection).delivered()

    # -- upkeep ------------------------------------------------------------------------------------------

    def scrub(self) -> tuple[str, ...]:
        """Write the logs anew without what was erased, then do so for the database; return what stood in the way."""
        if not self.read_only and not self._intake.postpones_scrub():
            self.compact()
        return super().scrub()

    def compact(self) -> None:
        """Put the present state in the place of all logs."""
        with self.settled(), self.mutex.hold():
            delivery = self.write_whole()
            with self.writer.use() as tables:
                clear_away(self.root, tables.connection, delivery)
            self._remember_logs({})

    def _forget_erased(self) -> None:
        """Take out of the logs what a deletion left there."""
        with super().read(None) as tx:
            owed = Notes(tx.connection).get(ERASED)
        if owed:
            self.scrub()

    def adopt(self) -> None:
        """Write the folder of a database that came from elsewhere: its state as lines, every memory as a note."""
        with self.settled(), self.mutex.hold():
            with super().read(None) as tx:
                spaces = [tx.namespaces.id(name) for name in tx.namespaces.all()]
                ids = [id for ns in spaces if ns is not None for id in tx.memories.of_namespace(ns)]
            self.write_whole(ids)

    def write_notes(self, ids: Sequence[int]) -> None:
        """Write the notes of some memories anew, as far as they do not say what is believed."""
        if ids:
            self._write_now(ids, whole=False)

    def write_whole(self, ids: Sequence[int] = ()) -> Delivery:
        """Write the whole state to the log, and the notes of some memories; the caller holds the mutex."""
        with self.writer.use() as tables:
            fetch(self.site, tables.connection)
        delivery = self._write_now(ids, whole=True)
        assert delivery is not None
        return delivery

    def _write_now(self, ids: Sequence[int], *, whole: bool) -> Delivery | None:
        """Post what there is to post, outside of any verb; the caller holds the mutex."""
        now = self.ready()
        with super().write(_VOICE) as tx, closing(self._draft(tx, now)) as draft:
            delivery = draft.post(whole=whole, ids=ids)
        if delivery is not None:
            self._deliver(delivery)
        return delivery

    def remake(self) -> bool:
        """Throw the database away and make it from the files; say that it could be."""
        if self.read_only:
            return False
        with self.settled(), self.mutex.hold():
            self.ready()
            self._intake.save_looks()
            with self.released():
                self.site.throw_away()
            self._reopen()
        return True

    def findings(self) -> list[str]:
        """Return what is wrong with the folder, one line each."""
        with self.settled():
            return list(dict.fromkeys([*extent.findings(self.root), *self._intake.findings(), *self.problems]))

    def reach(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return where else a purge erases, and what it cannot reach."""
        return extent.reach(self.root)

    def more_files(self) -> list[Path]:
        """Return the files beside the database that hold what the store says."""
        return list(extent.files(self.root))

    # -- the database ------------------------------------------------------------------------------------

    def _make(self, clock: Clock | None) -> None:
        """Make the database if there is none."""
        clean(self.site)
        if self._aside is None:
            begun.tidy(self.root)
        if self.site.inode() is not None and not is_sound(self.site, clock):
            self.site.throw_away()
        if self.site.inode() is None:
            self.problems = tuple(build(self.site, logs.read(self.root), self.hooks.prepare, clock=clock))

    def _look_aside(self, clock: Clock | None) -> None:
        """A vault that may not be written is read through a database elsewhere, unless it has one that is in step."""
        if self.site.inode() is not None and in_step(self.site, clock):
            return
        self._aside = tempfile.TemporaryDirectory(prefix="omoide-", ignore_cleanup_errors=True)
        self.site = Place(self.root, index=Path(self._aside.name))
        self._make(clock)

    def _settle_in(self) -> None:
        """Begin a log of one's own where the database is a copy of another one, once what that one began is done."""
        with self.mutex.hold(), self.writer.use() as tables:
            self._finish_outbox()
            notes = Notes(tables.connection)
            if notes.get(INODE) != self._inode:
                notes.set_many([(INODE, self._inode), (WRITER, None)])
            fetch(self.site, tables.connection)
            stale = notes.get(STALE)
        if stale:
            index(self, self.hooks.prepare)
        self._intake.pay()
        self._entered = True

    def _while_free(self, step: Callable[[], None], seconds: float) -> bool:
        """Do a step; with a database to go on with, a vault that another process holds is read without it."""
        try:
            with self.mutex.hold(seconds=seconds):
                step()
        except StoreBusyError:
            if self.site.inode() is None:
                raise
            return False
        return True

    def follow(self) -> bool:
        """Bring the indexes in step with rows that came from a log; say whether that could be done."""
        with super().write(_VOICE) as tx:
            done = following.follow(tx, self.hooks.prepare)
            if done:
                Notes(tx.connection).set(STALE, None)
        return done

    def _reopen(self) -> None:
        """The database was thrown away or replaced under us: make it anew and go on."""
        with self.released():
            self.site.ensure()
            self._make(self.clock)
            self._inode = self.site.inode()
            self._signature = None
            self._intake.forget()
        self._settle_in()
        self.list_what_is_owed()

    def close(self) -> None:
        """Close the connections and let go of the lock."""
        self.watcher.close()
        if not self.closed and not self.read_only:
            self.lister.close()
            self._intake.save_looks()
            with suppress(StoreBusyError):  # the next one to close does it
                self._forget_erased()
        super().close()
        self.mutex.close()
        if self._aside is not None:
            self._aside.cleanup()
