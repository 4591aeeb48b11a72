"""Copies of a store that went their own ways: whatever they did, every order of merging ends in one belief."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import permutations
from pathlib import Path

import apsw
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from tests.laws.depth import DEEP, examples

from omoide import Memory
from omoide.errors import InvalidInputError
from omoide.testing import FakeClock

START = datetime(2026, 6, 1, 12, tzinfo=UTC)
GAPS = st.sampled_from([0, 0, 0.000001, 1, 3600])
STARTS = st.sampled_from([None, None, -86400 * 30, -3600, 3600, 86400])
LENGTHS = st.sampled_from([None, None, 1800, 86400 * 2])
VERBS = [
    "remember",
    "revise",
    "revise",
    "update",
    "forget",
    "restore",
    "supersede",
    "confirm",
    "reject",
    "mark",
    "source",
]
Rows = list[tuple[object, ...]]


@dataclass(frozen=True)
class Deed:
    """One thing done in one copy; ``pick`` chooses among the memories that are there."""

    verb: str
    gap: float
    pick: int
    start: float | None
    length: float | None


DEEDS = st.builds(Deed, st.sampled_from(VERBS), GAPS, st.integers(0, 5), STARTS, LENGTHS)
HISTORIES = st.lists(DEEDS, max_size=6)


class Copy:
    """One copy of a store and the clock beside it; opened when it is first used."""

    def __init__(self, path: Path, at: datetime, name: str, pause: int) -> None:
        self.path, self.name, self.clock, self.pause, self.said = path, name, FakeClock(at), pause, 0
        self._mem: Memory | None = None
        self._reader: apsw.Connection | None = None

    @property
    def mem(self) -> Memory:
        """The open store."""
        if self._mem is None:
            self._mem = Memory(self.path, clock=self.clock, embedder="none", door_trust="stated")
        return self._mem

    def ask(self, sql: str) -> Rows:
        """Ask the open store's file."""
        if self._reader is None:
            self._reader = apsw.Connection(str(self.mem.path), flags=apsw.SQLITE_OPEN_READONLY)
        return self._reader.execute(sql).fetchall()

    def close(self) -> None:
        """Close it; it may be opened again."""
        if self._reader is not None:
            self._reader.close()
        if self._mem is not None:
            self._mem.close()
        self._mem = self._reader = None

    def play(self, deeds: Sequence[Deed]) -> None:
        """Do what was drawn; what cannot be done is left out."""
        for deed in deeds:
            self.clock.advance(deed.gap)
            self.said += 1
            try:
                self.do(self.mem, deed)
            except InvalidInputError:
                continue

    def do(self, mem: Memory, deed: Deed) -> None:
        """Do one thing; the order of uids is one order everywhere."""
        text = f"{self.name}{self.said} 言葉"
        now = self.clock.now()
        start = None if deed.start is None else now + timedelta(seconds=deed.start)
        end = None if deed.length is None else (start or now) + timedelta(seconds=deed.length)
        ids = [int(str(row[0])) for row in self.ask("SELECT id FROM memory ORDER BY uid")]
        if deed.verb == "remember" or not ids:
            mem.remember(text, valid_from=start, valid_to=end, subject="user", source=self.name)
            return
        memory_id = ids[deed.pick % len(ids)]
        deeds: dict[str, Callable[[], object]] = {
            "revise": lambda: mem.revise(memory_id, text, valid_from=start, valid_to=end),
            "update": lambda: mem.update(memory_id, text=text),
            "forget": lambda: mem.forget(memory_id),
            "restore": lambda: mem.restore(memory_id),
            "supersede": lambda: mem.supersede([memory_id], text, valid_from=start),
            "confirm": lambda: mem.confirm(memory_id, source=self.name),
            "reject": lambda: mem.reject(memory_id),
            "mark": lambda: mem.dispute(memory_id, reason=text),
            "source": lambda: mem.forget(source=self.name),
        }
        deeds[deed.verb]()

    def merge(self, other: Copy) -> None:
        """Take another copy in, at the last instant at which one of both was written, or some time after it."""
        self.clock.set(self.meets(other))
        self.mem.merge_from(other.path)

    def meets(self, other: Copy) -> datetime:
        """When this copy would take the other in."""
        return max(self.clock.now(), other.clock.now()) + timedelta(seconds=self.pause)

    def twin(self, path: Path, name: str) -> Copy:
        """Return a copy of the closed file."""
        self.close()
        shutil.copy(self.path, path)
        return Copy(path, self.clock.now(), name, self.pause)

    def believed(self) -> Rows:
        """Return every open piece, the state of its memory and the evidence, by uid."""
        pieces = self.ask(
            "SELECT m.uid, c.text, v.valid_from, v.valid_to, v.trust, m.pinned, m.archived, m.disputed FROM version v"
            " JOIN memory m ON m.id = v.memory_id JOIN content c ON c.content_id = v.content_id"
            " WHERE v.known_to IS NULL ORDER BY 1, 3, 2",
        )
        return pieces + self.ask(
            "SELECT m.uid, e.source, e.at, e.cause, e.withdrawn_at FROM evidence e JOIN memory m ON m.id = e.memory_id"
            " ORDER BY 1, 3, 2, 4, 5",
        )

    def told(self) -> set[tuple[object, ...]]:
        """Return what ``why`` tells by uid and original times: every text, interval and when it was first known."""
        return set(
            self.ask(
                "SELECT m.uid, c.text, v.valid_from, v.valid_to, ifnull(v.origin ->> 'known_from', v.known_from),"
                " v.cause FROM version v"
                " JOIN memory m ON m.id = v.memory_id JOIN content c ON c.content_id = v.content_id"
                " WHERE v.cause <> 'merge'",
            )
        )

    def conflicting(self) -> set[object]:
        """Return the uids of the memories that were edited in two copies."""
        sql = "SELECT m.uid FROM link l JOIN memory m ON m.id = l.from_id WHERE l.kind = 'diverged'"
        return {row[0] for row in self.ask(sql)}

    def history(self) -> Rows:
        """Return every event and every version."""
        return self.ask("SELECT * FROM event") + self.ask("SELECT * FROM version")

    def visible(self, at: datetime) -> list[tuple[int, str]]:
        """Return what was believed as of a time."""
        return sorted((record.id, record.text) for record in self.mem.list(as_of=at))


class Table:
    """The copies of one example, in a folder of their own."""

    def __init__(self, folder: Path, pause: int) -> None:
        self.folder, self.copies = folder, [Copy(folder / "base.db", START, "base", pause)]

    @property
    def base(self) -> Copy:
        """The store that all copies were made from."""
        return self.copies[0]

    def twin(self, of: Copy, name: str) -> Copy:
        """Put one more copy on the table."""
        self.copies.append(of.twin(self.folder / f"{len(self.copies)}.db", name))
        return self.copies[-1]

    def diverge(self, common: Sequence[Deed], histories: Sequence[Sequence[Deed]]) -> list[Copy]:
        """Play a common history and let copies go on from there, each in its own way."""
        self.base.play([Deed("remember", 0, 0, None, None), *common])
        copies = [self.twin(self.base, f"c{at}_") for at in range(len(histories))]
        for copy, history in zip(copies, histories, strict=True):
            copy.play(history)
        return copies


@contextmanager
def laid(pause: int) -> Iterator[Table]:
    """Lay a table and clear it; ``pause``: seconds between the last write and a merge."""
    with tempfile.TemporaryDirectory(prefix="omoide-merge-") as folder:
        table = Table(Path(folder), pause)
        try:
            yield table
        finally:
            for copy in table.copies:
                copy.close()


def every_order_of_merging_ends_the_same(table: Table, copies: Sequence[Copy]) -> None:
    """Current answers and the history by original times do not depend on the order."""
    ends = []
    for order in permutations(copies):
        merged = table.twin(table.base, "m")
        for copy in order:
            merged.merge(copy)
        ends.append((merged.believed(), merged.told()))
        merged.close()
    assert all(end == ends[0] for end in ends)


def the_past_of_the_taking_store_stays(left: Copy, right: Copy) -> None:
    """What was visible at any time before the merge is visible at that time after it."""
    times = [START + timedelta(seconds=gap) for gap in (0, 1, 3600, 7200)] + [left.clock.now()]
    times = [at for at in times if at < left.meets(right)]
    before = [left.visible(at) for at in times]
    left.merge(right)
    assert [left.visible(at) for at in times] == before


def a_second_merge_does_nothing(left: Copy, right: Copy) -> None:
    """What was taken in is known; the store is sound and its chain whole."""
    before = left.history()
    report = left.mem.merge_from(right.path)
    assert (report.batch, report.added, report.changed) == (None, (), ())
    assert left.mem.integrity_check() == []
    assert left.mem.verify() == []
    assert left.history() == before


def both_sides_end_the_same(left: Copy, right: Copy) -> None:
    """Each of two copies that took the other in believes the same, and lists the same conflicts."""
    assert left.believed() == right.believed()
    assert left.told() == right.told()
    assert left.conflicting() == right.conflicting()


def an_edit_after_a_merge_counts(left: Copy, right: Copy, later: Sequence[Deed]) -> None:
    """What is done after a merge has seen what came with it; taking the other copy in again changes nothing."""
    left.play(later)
    before = left.believed()
    left.merge(right)
    assert left.believed() == before
    right.merge(left)
    assert right.believed() == before


@pytest.mark.timeout(0 if DEEP else 900)
@settings(
    max_examples=examples(15, 1000), deadline=None, derandomize=not DEEP, report_multiple_bugs=False,
    suppress_health_check=list(HealthCheck), phases=list(Phase) if DEEP else [Phase.generate],
)  # fmt: skip
@given(
    common=HISTORIES, histories=st.lists(HISTORIES, min_size=2, max_size=3), later=HISTORIES, pause=st.integers(0, 1)
)
def test_copies_that_went_their_own_ways_end_in_one_belief(
    common: list[Deed], histories: list[list[Deed]], later: list[Deed], pause: int
) -> None:
    """Every law of merging holds after every history; the stores of one history serve all of them."""
    with laid(pause) as table:
        copies = table.diverge(common, histories)
        left, right = copies[:2]
        mirror, other_side = table.twin(left, "x"), table.twin(right, "y")
        every_order_of_merging_ends_the_same(table, copies)
        the_past_of_the_taking_store_stays(left, right)
        a_second_merge_does_nothing(left, right)
        other_side.merge(mirror)
        both_sides_end_the_same(left, other_side)
        an_edit_after_a_merge_counts(left, right, later)
