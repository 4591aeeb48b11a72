"""Whatever a batch does, its undo puts every belief and every answer back, and the past keeps both."""

from __future__ import annotations

import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.laws.depth import DEEP, examples

from omoide import Memory
from omoide.errors import InvalidInputError
from omoide.testing import FakeClock
from omoide.testing.conformity import visible

START = datetime(2026, 6, 1, 12, tzinfo=UTC)
DAY = timedelta(days=1)
VERBS = (
    "remember", "repeat", "revise", "revise", "update", "supersede", "forget", "restore", "reject", "unreject",
    "confirm", "dispute",
)  # fmt: skip
STEP = st.tuples(
    st.sampled_from(VERBS), st.integers(0, 10**6), st.sampled_from([-40, -3, 0, 2, 30]), st.sampled_from([None, 1, 20])
)
QUESTION = " ".join(f"word{number}" for number in range(1, 25))
Pieces = dict[int, list[tuple[str, datetime, datetime | None, str]]]


class Player:
    """Plays steps on a store, every text new, a minute between them."""

    def __init__(self, mem: Memory, clock: FakeClock) -> None:
        self.mem, self.clock = mem, clock
        self.ids: list[int] = []
        self.said = 0

    def play(self, verb: str, pick: int, offset: int, length: int | None) -> None:
        """Play one step; one that is refused changes nothing."""
        self.clock.advance(60)
        start = START + offset * DAY
        end = None if length is None else start + length * DAY
        self.said += 1
        text = f"word{self.said}"
        try:
            self._play(verb, self.ids[pick % len(self.ids)] if self.ids else 0, text, start, end)
        except InvalidInputError:
            return

    def _play(self, verb: str, memory_id: int, text: str, start: datetime, end: datetime | None) -> None:
        mem = self.mem
        if verb == "remember" or not memory_id:
            self.ids.append(int(mem.remember(text, subject="user", source="s", valid_from=start, valid_to=end)))
        elif verb == "repeat":
            record = mem.get(memory_id)
            if record is not None:
                mem.remember(record.text, subject=record.subject, source="t", valid_from=record.valid_from)
        elif verb == "revise":
            mem.revise(memory_id, text, valid_from=start, valid_to=end)
        elif verb == "update":
            mem.update(memory_id, text=text)
        elif verb == "supersede":
            self.ids.append(int(mem.supersede([memory_id], text, valid_from=start)))
        elif verb == "unreject":
            for version in mem.why(memory_id).versions:
                mem.unreject(version.text, subject=version.subject)
        else:
            getattr(mem, verb)(memory_id)


def believed(mem: Memory, ids: list[int]) -> Pieces:
    """Return the open pieces of memories, those that touch and say the same joined."""
    return {memory_id: pieces for memory_id in ids if (pieces := _pieces(mem, memory_id))}


def _pieces(mem: Memory, memory_id: int) -> list[tuple[str, datetime, datetime | None, str]]:
    joined: list[tuple[str, datetime, datetime | None, str]] = []
    for version in sorted(mem.why(memory_id).versions, key=lambda version: version.valid_from):
        if version.known_to is not None:
            continue
        piece = (version.text, version.valid_from, version.valid_to, version.trust)
        if joined and joined[-1][0] == piece[0] and joined[-1][2] == piece[1] and joined[-1][3] == piece[3]:
            joined[-1] = (piece[0], joined[-1][1], piece[2], piece[3])
        else:
            joined.append(piece)
    return joined


def answered(mem: Memory) -> list[tuple[int, float, float | None]]:
    """Return what a question about everything finds, best first, with its scores."""
    return [(hit.id, hit.score, hit.bm25_score) for hit in mem.recall(QUESTION, k=40)]


@pytest.mark.timeout(0 if DEEP else 120)
@settings(max_examples=examples(50, 1000), derandomize=not DEEP, suppress_health_check=list(HealthCheck))
@given(before=st.lists(STEP, min_size=1, max_size=12), inside=st.lists(STEP, min_size=1, max_size=12))
def test_undo_puts_every_belief_back(
    before: list[tuple[str, int, int, int | None]], inside: list[tuple[str, int, int, int | None]]
) -> None:
    """After a batch and its undo the beliefs are those of before, a second undo does nothing, the past stays.

    Questions are answered as by a copy that never saw the batch, asked at the same time: age counts in the order.
    """
    with tempfile.TemporaryDirectory() as folder:
        clock = FakeClock(START)
        with Memory(Path(folder) / "agents.db", clock=clock, embedder="none", door_trust="stated") as mem:
            player = Player(mem, clock)
            for step in before:
                player.play(*step)
            known = list(player.ids)
            then, shown, untouched = clock.now(), believed(mem, known), Path(folder) / "untouched.db"
            mem.backup(untouched)
            clock.advance(60)
            with mem.batch() as batch:
                for step in inside:
                    player.play(*step)
            between = clock.now()
            past = visible(mem, valid_at=START, known_at=between)
            clock.advance(60)
            report = mem.undo(batch)
            assert report.skipped == ()
            assert believed(mem, player.ids) == shown
            with Memory(untouched, clock=clock, embedder="none", door_trust="stated") as other:
                assert answered(mem) == answered(other)
            assert mem.undo(batch).undone == ()
            assert visible(mem, valid_at=START, known_at=between) == past
            now = visible(mem, valid_at=START, known_at=clock.now())
            assert visible(mem, valid_at=START, known_at=then) == now
            assert mem.integrity_check() == []
            assert mem.verify() == []
