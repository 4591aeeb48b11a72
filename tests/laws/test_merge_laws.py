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

pytestmark = pytest.mark.timeout(0 if DEEP else 900)
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
    """One copy of a store and the clock beside it."""

    def __init__(self, path: Path, at: datetime, name: str) -> None:
        self.path, self.name, self.clock, self.said = path, name, FakeClock(at), 0

    @contextmanager
    def opened(self) -> Iterator[Memory]:
        """Open it for a moment."""
        with Memory(self.path, clock=self.clock, embedder="none", door_trust="stated") as mem:
            yield mem

    def play(self, deeds: Sequence[Deed]) -> None:
        """Do what was drawn; what cannot be done is left out."""
        with self.opened() as mem:
            for deed in deeds:
                self.clock.advance(deed.gap)
                self.said += 1
                try:
                    self.do(mem, deed)
                except InvalidInputError:
                    continue

    def do(self, mem: Memory, deed: Deed) -> None:
        """Do one thing."""
        text = f"{self.name}{self.said} 言葉"
        now = self.clock.now()
        start = None if deed.start is None else now + timedelta(seconds=deed.start)
        end = None if deed.length is None else (start or now) + timedelta(seconds=deed.length)
        ids = identities(self.path)
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
        """Take another copy in, some time after both were written."""
        self.clock.set(max(self.clock.now(), other.clock.now()) + timedelta(seconds=1))
        with self.opened() as mem:
            mem.merge_from(other.path)

    def twin(self, path: Path, name: str) -> Copy:
        """Return a copy of the closed file."""
        shutil.copy(self.path, path)
        return Copy(path, self.clock.now(), name)


def rows(path: Path, sql: str) -> list[tuple[object, ...]]:
    """Ask a closed store."""
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    try:
        return connection.execute(sql).fetchall()
    finally:
        connection.close()


def identities(path: Path) -> list[int]:
    """Return the ids of all memories, in the order of their uids, which is one order everywhere."""
    return [int(str(row[0])) for row in rows(path, "SELECT id FROM memory ORDER BY uid")]


def believed(path: Path) -> list[tuple[object, ...]]:
    """Return every open piece, the state of its memory and the evidence, by uid."""
    pieces = rows(
        path,
        "SELECT m.uid, c.text, v.valid_from, v.valid_to, v.trust, m.pinned, m.archived, m.disputed FROM version v"
        " JOIN memory m ON m.id = v.memory_id JOIN content c ON c.content_id = v.content_id"
        " WHERE v.known_to IS NULL ORDER BY 1, 3, 2",
    )
    return pieces + rows(
        path,
        "SELECT m.uid, e.source, e.at, e.cause, e.withdrawn_at FROM evidence e JOIN memory m ON m.id = e.memory_id"
        " ORDER BY 1, 3, 2, 4, 5",
    )


def said(path: Path) -> set[tuple[object, ...]]:
    """Return what ``why`` tells by uid and original times: every text, interval and when it was first known."""
    return set(
        rows(
            path,
            "SELECT m.uid, c.text, v.valid_from, v.valid_to, ifnull(v.origin ->> 'known_from', v.known_from), v.cause"
            " FROM version v JOIN memory m ON m.id = v.memory_id JOIN content c ON c.content_id = v.content_id"
            " WHERE v.cause <> 'merge'",
        )
    )


def conflicting(path: Path) -> set[object]:
    """Return the uids of the memories that were edited in two copies."""
    sql = "SELECT m.uid FROM link l JOIN memory m ON m.id = l.from_id WHERE l.kind = 'diverged'"
    return {row[0] for row in rows(path, sql)}


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder for the stores of one example."""
    with tempfile.TemporaryDirectory(prefix="omoide-merge-") as made:
        yield Path(made)


LAW = settings(
    max_examples=examples(15, 200), deadline=None, derandomize=not DEEP, report_multiple_bugs=False,
    suppress_health_check=list(HealthCheck), phases=list(Phase) if DEEP else [Phase.generate],
)  # fmt: skip


def diverged(folder: Path, common: Sequence[Deed], histories: Sequence[Sequence[Deed]]) -> list[Copy]:
    """Play a common history and let copies go on from there, each in its own way."""
    for left in folder.iterdir():
        left.unlink()
    base = Copy(folder / "base.db", START, "base")
    base.play([Deed("remember", 0, 0, None, None), *common])
    copies = [base.twin(folder / f"copy{at}.db", f"c{at}_") for at in range(len(histories))]
    for copy, history in zip(copies, histories, strict=True):
        copy.play(history)
    return [base, *copies]


@LAW
@given(common=HISTORIES, histories=st.lists(HISTORIES, min_size=2, max_size=3))
def test_every_order_of_merging_ends_the_same(folder: Path, common: list[Deed], histories: list[list[Deed]]) -> None:
    """Current answers, the history by original times, and the conflicts do not depend on the order."""
    base, *copies = diverged(folder, common, histories)
    ends = []
    for number, order in enumerate(permutations(copies)):
        merged = base.twin(folder / f"merged{number}.db", "m")
        for copy in order:
            merged.merge(copy)
        ends.append((believed(merged.path), said(merged.path)))
    assert all(end == ends[0] for end in ends)


@LAW
@given(common=HISTORIES, one=HISTORIES, other=HISTORIES)
def test_both_sides_end_the_same(folder: Path, common: list[Deed], one: list[Deed], other: list[Deed]) -> None:
    """Each of two copies that takes the other in believes the same, and lists the same conflicts."""
    _, left, right = diverged(folder, common, [one, other])
    mirror = left.twin(folder / "mirror.db", "x")
    left.merge(right)
    right.merge(mirror)
    assert believed(left.path) == believed(right.path)
    assert said(left.path) == said(right.path)
    assert conflicting(left.path) == conflicting(right.path)


@LAW
@given(common=HISTORIES, one=HISTORIES, other=HISTORIES)
def test_a_second_merge_does_nothing(folder: Path, common: list[Deed], one: list[Deed], other: list[Deed]) -> None:
    """What was taken in is known; the store is sound and its chain whole."""
    _, left, right = diverged(folder, common, [one, other])
    left.merge(right)
    before = rows(left.path, "SELECT * FROM event") + rows(left.path, "SELECT * FROM version")
    with left.opened() as mem:
        report = mem.merge_from(right.path)
        assert (report.batch, report.added, report.changed) == (None, (), ())
        assert mem.integrity_check() == []
        assert mem.verify() == []
    assert rows(left.path, "SELECT * FROM event") + rows(left.path, "SELECT * FROM version") == before


@LAW
@given(common=HISTORIES, one=HISTORIES, other=HISTORIES, later=HISTORIES)
def test_an_edit_after_a_merge_counts(
    folder: Path, common: list[Deed], one: list[Deed], other: list[Deed], later: list[Deed]
) -> None:
    """What is done after a merge has seen what came with it; taking the other copy in again changes nothing."""
    _, left, right = diverged(folder, common, [one, other])
    left.merge(right)
    left.play(later)
    before = believed(left.path)
    left.merge(right)
    assert believed(left.path) == before
    right.merge(left)
    assert believed(right.path) == before


@LAW
@given(common=HISTORIES, one=HISTORIES, other=HISTORIES)
def test_the_past_of_the_taking_store_stays(
    folder: Path, common: list[Deed], one: list[Deed], other: list[Deed]
) -> None:
    """What was visible at any time before the merge is visible at that time after it."""
    _, left, right = diverged(folder, common, [one, other])
    times = [START + timedelta(seconds=gap) for gap in (0, 1, 3600, 7200)] + [left.clock.now()]
    times = [at for at in times if at <= left.clock.now()]
    with left.opened() as mem:
        before = [answer(mem, at) for at in times]
    left.merge(right)
    with left.opened() as mem:
        assert [answer(mem, at) for at in times] == before


def answer(mem: Memory, at: datetime) -> list[tuple[int, str]]:
    """Return what was believed as of a time."""
    return sorted((record.id, record.text) for record in mem.list(as_of=at))
