"""The table on which random histories are played: two handles on one store, a clock, an oracle beside them."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import apsw
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine

from omoide import Memory
from omoide.errors import InvalidInputError, NotFoundError
from omoide.testing import FakeClock
from omoide.testing.oracle import Belief, Oracle, Piece

START = datetime(2026, 6, 1, 12, tzinfo=UTC)
TICK = timedelta(microseconds=1)
GAPS = st.sampled_from([timedelta(0), timedelta(0), TICK, timedelta(milliseconds=7), timedelta(days=1)])
OFFSETS = st.sampled_from([timedelta(days=-30), timedelta(hours=-1), -TICK, timedelta(0), TICK, timedelta(days=1)])
LENGTHS = st.sampled_from([None, None, TICK, timedelta(hours=1), timedelta(days=2), timedelta(days=40)])
SUBJECTS = st.sampled_from([None, "user", "svc-a", "東京"])
SOURCES = st.sampled_from([None, "s1", "s2", " s1 "])
PICK = st.integers(0, 10**6)
Answer = frozenset[tuple[int, str]]


REFUSED: dict[str, tuple[type[Exception], Callable[[Memory, int, datetime], object]]] = {
    "blank": (InvalidInputError, lambda mem, _, __: mem.remember(" \n\t")),
    "inverted": (InvalidInputError, lambda mem, _, now: mem.remember("x", valid_from=now, valid_to=now - TICK)),
    "missing": (NotFoundError, lambda mem, _, __: mem.revise(10**9, "nobody")),
    "both": (InvalidInputError, lambda mem, i, _: mem.forget(i, source="s1")),
    "empty": (InvalidInputError, lambda mem, _, __: mem.forget(source="  ")),
    "forgotten": (InvalidInputError, lambda mem, i, _: mem.revise(i, "after the end")),
}


def dump(path: Path) -> list[tuple[object, ...]]:
    """Return every row of every table of the file."""
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    names = [row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    rows = [(name, *row) for name in names for row in connection.execute(f'SELECT * FROM "{name}"')]
    connection.close()
    return rows


class Histories(RuleBasedStateMachine):
    """Two handles on one store, a clock that often stands still, and an oracle beside them."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(prefix="omoide-laws-"))
        self.path = self.folder / "agents.db"
        self.clock = FakeClock(START)
        self.reading = START
        self.oracle = Oracle()
        self.handles = [self.open(), self.open()]
        self.which = 0
        self.words = 0
        self.focus = 1
        self.texts: list[str] = []
        self.touched_by_reject: set[int] = set()
        self.reopened: set[int] = set()
        self.cut_by_the_erased: set[int] = set()
        self.corrected: list[tuple[int, Piece, datetime]] = []
        self.asked: dict[tuple[datetime, datetime], Answer] = {}

    def open(self) -> Memory:
        """Open one more handle on the store."""
        return Memory(self.path, clock=self.clock, embedder="none", door_trust="stated")

    @property
    def mem(self) -> Memory:
        """The handle in use."""
        return self.handles[self.which]

    def now(self) -> datetime:
        """Return the larger of the clock and the last known time."""
        last = self.oracle.events[-1].at if self.oracle.events else self.reading
        return max(self.reading, last)

    def pass_time(self, gap: timedelta) -> datetime:
        """Move the clock and return what a write would be known from."""
        self.reading = self.reading + gap
        self.clock.set(self.reading)
        return self.now()

    def new_text(self) -> str:
        """Return a text that nobody has said yet."""
        self.words += 1
        self.texts.append(f"word{self.words} 言葉{self.words}")
        return self.texts[-1]

    def belief(self, memory_id: int) -> Belief:
        """Return what the oracle holds of a memory now."""
        return self.oracle.latest.beliefs[memory_id]

    def erase(self, memory_id: int) -> None:
        """Forget what was noted about a memory that is no more."""
        self.corrected = [noted for noted in self.corrected if noted[0] != memory_id]
        self.asked = {at: frozenset(pair for pair in told if pair[0] != memory_id) for at, told in self.asked.items()}
        self.focus = next(iter(self.oracle.latest.beliefs))

    def pick_live(self, pick: int) -> int:
        """Return one memory with an open piece, often the one that was last picked."""
        ids = self.oracle.latest.live()
        if pick % 3 == 0 or self.focus not in ids:
            self.focus = ids[pick % len(ids)]
        return self.focus

    def pick_any(self, pick: int) -> int:
        """Return one memory, forgotten or not, often the one that was last picked."""
        ids = list(self.oracle.latest.beliefs)
        if pick % 3 == 0:
            self.focus = ids[pick % len(ids)]
        return self.focus
