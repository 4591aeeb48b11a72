"""Random histories against the reference model: what was believed when, by every road to it."""

from __future__ import annotations

import random
import shutil
import sys
from datetime import datetime, timedelta

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import initialize, invariant, precondition, rule
from tests.laws.depth import DEEP, examples
from tests.laws.histories import (
    GAPS,
    LENGTHS,
    OFFSETS,
    PICK,
    REFUSED,
    SOURCES,
    SUBJECTS,
    TICK,
    Histories,
    dump,
)

from omoide.errors import InvalidInputError, RejectedValueError
from omoide.testing.conformity import bounds, diff_findings, recall_findings, version_findings, visible
from omoide.testing.oracle import (
    Belief,
    Forgotten,
    Rejected,
    Remembered,
    Repeated,
    Restored,
    Revised,
    SourceForgotten,
    Superseded,
    Unrejected,
    Updated,
)


class TimeLaws(Histories):
    """Every verb as a rule, every reading as a check."""

    # -- writes ---------------------------------------------------------------------------------

    @initialize()
    def begin(self) -> None:
        """Start every history with one memory."""
        self.remember_new(timedelta(0), "user", "s1", timedelta(days=-30), None)

    @rule(gap=GAPS, subject=SUBJECTS, source=SOURCES, offset=OFFSETS, length=LENGTHS)
    def remember_new(
        self, gap: timedelta, subject: str | None, source: str | None, offset: timedelta, length: timedelta | None
    ) -> None:
        """Say something new, now, backdated or planned, for ever or for a while."""
        now = self.pass_time(gap)
        start = now + offset
        end = None if length is None else start + length
        self.say(self.new_text(), subject, source, start, end)

    @rule(gap=GAPS, subject=SUBJECTS, source=SOURCES, pick=PICK)
    def remember_used(self, gap: timedelta, subject: str | None, source: str | None, pick: int) -> None:
        """Say something that was said before: a repeat, a corrected or a rejected value, or new here."""
        self.pass_time(gap)
        self.say(self.texts[pick % len(self.texts)], subject, source, None, None)

    def say(
        self, text: str, subject: str | None, source: str | None, start: datetime | None, end: datetime | None
    ) -> None:
        """Remember, and expect what the oracle says: refused, a repeat, or a new memory."""
        now = self.now()
        new = Remembered(now, 0, text, start, end, subject, None, source)
        if new.piece().key in self.oracle.latest.rejected:
            with pytest.raises(RejectedValueError):
                self.mem.remember(text, subject=subject, source=source, valid_from=start, valid_to=end)
            return
        same = self.oracle.holding(text, subject, start or now, end)
        got = self.mem.remember(text, subject=subject, source=source, valid_from=start, valid_to=end)
        if same:
            assert got in same
            self.oracle.record(Repeated(now, int(got), source))
        else:
            assert got not in self.oracle.latest.beliefs, "an id was used twice"
            self.focus = int(got)
            self.oracle.record(Remembered(now, int(got), text, start, end, subject, None, source))

    @precondition(lambda self: self.oracle.latest.live())
    @rule(gap=GAPS, pick=PICK, source=SOURCES)
    def repeat(self, gap: timedelta, pick: int, source: str | None) -> None:
        """Say a piece again over its own interval, in other white space."""
        self.pass_time(gap)
        belief = self.belief(self.pick_live(pick))
        piece = belief.pieces[pick % len(belief.pieces)]
        source = source if belief.sources else None
        self.say(f" {piece.text}\r\n", piece.subject, source, piece.valid_from, piece.valid_to)

    @precondition(lambda self: self.corrected)
    @rule(gap=GAPS, pick=PICK)
    def say_corrected_value(self, gap: timedelta, pick: int) -> None:
        """Report a corrected value that was observed before its correction: evidence, no change."""
        self.pass_time(gap)
        memory_id, piece, at = self.corrected[pick % len(self.corrected)]
        believed = {p.key for b in self.oracle.latest.beliefs.values() for p in b.pieces}
        if piece.key in believed | self.oracle.latest.rejected or not self.belief(memory_id).pieces:
            return
        if self.oracle.ever_held(piece.key) != {memory_id}:
            return
        got = self.mem.remember(piece.text, subject=piece.subject, observed_at=at - TICK)
        assert got == memory_id
        assert got.notices

    @precondition(lambda self: self.oracle.latest.live())
    @rule(gap=GAPS, pick=PICK, offset=st.none() | OFFSETS, length=LENGTHS, at_bound=st.booleans())
    def revise(
        self, gap: timedelta, pick: int, offset: timedelta | None, length: timedelta | None, at_bound: bool
    ) -> None:
        """Replace a belief: from now, backdated, planned, in the middle, at a bound or in a gap."""
        now = self.pass_time(gap)
        memory_id = self.pick_live(pick)
        belief = self.belief(memory_id)
        bounds = [b for p in belief.pieces for b in (p.valid_from, p.valid_to) if b is not None]
        base = bounds[pick % len(bounds)] if at_bound else now
        start = None if offset is None else base + offset
        asked = Revised(now, memory_id, self.new_text(), start)
        end = None if length is None else asked.start(belief) + length
        self.mem.revise(memory_id, asked.text, valid_from=start, valid_to=end)
        self.oracle.record(Revised(now, memory_id, asked.text, start, end))

    @precondition(lambda self: self.oracle.events)
    @rule(gap=GAPS, pick=PICK)
    def update(self, gap: timedelta, pick: int) -> None:
        """Correct the piece of today; a forgotten memory is left alone."""
        now = self.pass_time(gap)
        memory_id = self.pick_any(pick)
        text = self.new_text()
        piece = self.belief(memory_id).piece_at(now)
        self.mem.update(memory_id, text=text)
        if piece is not None:
            self.oracle.record(Updated(now, memory_id, text))
            self.corrected.append((memory_id, piece, now))

    @precondition(lambda self: self.oracle.latest.live())
    @rule(gap=GAPS, picks=st.lists(PICK, min_size=1, max_size=2), offset=st.none() | OFFSETS)
    def supersede(self, gap: timedelta, picks: list[int], offset: timedelta | None) -> None:
        """Put one new memory in the place of one or two."""
        now = self.pass_time(gap)
        start = now if offset is None else now + offset
        chosen = {self.pick_live(pick) for pick in picks}
        olds = [i for i in sorted(chosen) if self.belief(i).reaches_beyond(start)]
        if not olds:
            return
        text = self.new_text()
        given = None if offset is None else start
        got = self.mem.supersede(olds, text, subject="merged", source="s2", valid_from=given)
        new = Remembered(now, int(got), text, given, None, "merged", None, "s2")
        self.oracle.record(Superseded(new, tuple(olds)))

    @precondition(lambda self: self.oracle.events)
    @rule(gap=GAPS, pick=PICK)
    def forget(self, gap: timedelta, pick: int) -> None:
        """Forget one memory; a second time changes nothing."""
        now = self.pass_time(gap)
        memory_id = self.pick_any(pick)
        self.mem.forget(memory_id)
        self.oracle.record(Forgotten(now, memory_id))

    @rule(gap=GAPS, source=st.sampled_from(["s1", "s2 "]))
    def forget_source(self, gap: timedelta, source: str) -> None:
        """Withdraw a source."""
        now = self.pass_time(gap)
        self.mem.forget(source=source)
        self.oracle.record(SourceForgotten(now, source))

    @rule(gap=GAPS, subject=st.sampled_from(["user", "東京", "nobody"]))
    def forget_subject(self, gap: timedelta, subject: str) -> None:
        """Forget all of a subject."""
        now = self.pass_time(gap)
        self.mem.forget(subject=subject)
        self.oracle.record(Forgotten(now, None, subject))

    @precondition(lambda self: self.oracle.events)
    @rule(gap=GAPS, pick=PICK)
    def restore(self, gap: timedelta, pick: int) -> None:
        """Bring a memory back, where DESIGN leaves one reading only."""
        now = self.pass_time(gap)
        ids = [i for i in self.oracle.latest.beliefs if self.one_reading(i)]
        if not ids:
            return
        memory_id = ids[pick % len(ids)]
        refused = {p.key for p in self.belief(memory_id).ended} & self.oracle.latest.rejected
        if refused:
            with pytest.raises(InvalidInputError):
                self.mem.restore(memory_id)
            return
        belief = self.belief(memory_id)
        self.reopened |= {c.successor for c in belief.cuts if self.belief(c.successor).forgotten}
        self.mem.restore(memory_id)
        self.oracle.record(Restored(now, memory_id))

    def one_reading(self, memory_id: int) -> bool:
        """Whether what restoring this memory means is beyond doubt."""
        belief = self.belief(memory_id)
        if memory_id in self.touched_by_reject | self.reopened | self.cut_by_the_erased:
            return False
        if any(c.successor in self.touched_by_reject for c in belief.cuts):
            return False
        refused = [p.key in self.oracle.latest.rejected for p in belief.ended]
        if any(refused) and not all(refused):
            return False
        gone = [p for c in belief.cuts if self.belief(c.successor).forgotten for p in c.pieces]
        back = [*belief.pieces, *belief.ended, *gone]
        return not any(a is not b and a.without(b.valid_from, b.valid_to) != (a,) for a in back for b in back)

    @precondition(lambda self: self.oracle.latest.live())
    @rule(gap=GAPS, pick=PICK)
    def reject(self, gap: timedelta, pick: int) -> None:
        """Refuse the value that a memory holds."""
        now = self.pass_time(gap)
        memory_id = self.pick_live(pick)
        before = self.oracle.latest
        self.mem.reject(memory_id, reason="not so")
        after = self.oracle.record(Rejected(now, memory_id))
        self.touched_by_reject |= {
            i for i, belief in before.beliefs.items() if belief.pieces != after.beliefs[i].pieces
        }

    @precondition(lambda self: self.oracle.latest.rejected)
    @rule(gap=GAPS, pick=PICK)
    def unreject(self, gap: timedelta, pick: int) -> None:
        """Allow a value again."""
        now = self.pass_time(gap)
        keys = sorted(self.oracle.latest.rejected, key=lambda k: (k.folded, k.subject or ""))
        key = keys[pick % len(keys)]
        self.mem.unreject(key.folded.upper(), subject=key.subject, predicate=key.predicate)
        self.oracle.record(Unrejected(now, key))

    @precondition(lambda self: self.oracle.latest.live())
    @rule(gap=GAPS, pick=PICK, verb=st.sampled_from(["confirm", "dispute"]))
    def mark(self, gap: timedelta, pick: int, verb: str) -> None:
        """Confirm or dispute: nothing that was visible changes."""
        self.pass_time(gap)
        memory_id = self.pick_live(pick)
        if verb == "confirm":
            self.mem.confirm(memory_id)
        else:
            self.mem.dispute(memory_id, reason="hm")

    @precondition(lambda self: len(self.oracle.latest.beliefs) > 1)
    @rule(gap=GAPS, pick=PICK)
    def purge(self, gap: timedelta, pick: int) -> None:
        """Erase a memory: it is gone from every answer about any time, and nothing else is."""
        now = self.pass_time(gap)
        memory_id = self.pick_any(pick)
        self.cut_by_the_erased |= {i for i, b in self.oracle.latest.beliefs.items() if memory_id in _successors(b)}
        receipt = self.mem.purge(memory_id)
        assert list(receipt.purged_ids) == [memory_id]
        self.oracle.erase(now, memory_id)
        self.erase(memory_id)

    # -- what must not matter -------------------------------------------------------------------

    @precondition(lambda self: self.oracle.events)
    @rule(pick=PICK, wrong=st.sampled_from(sorted(REFUSED)))
    def fail(self, pick: int, wrong: str) -> None:
        """A refused call leaves every row of the file as it was."""
        memory_id = self.pick_any(pick)
        if wrong == "forgotten" and not self.belief(memory_id).forgotten:
            return
        before = dump(self.path)
        error, call = REFUSED[wrong]
        with pytest.raises(error):
            call(self.mem, memory_id, self.now())
        assert dump(self.path) == before

    @rule(which=st.integers(0, 1), closed=st.booleans())
    def switch(self, which: int, closed: bool) -> None:
        """Go on with one of the handles, as it is or closed and opened again."""
        self.which = which
        if closed:
            self.mem.close()
            self.handles[which] = self.open()

    def just_wrote(self) -> bool:
        """Whether the store has surely kept the present clock reading."""
        last = self.oracle.events[-1] if self.oracle.events else None
        return isinstance(last, Remembered | Revised) and last.at == self.reading

    @rule(back=st.sampled_from([TICK, timedelta(hours=1)]))
    @precondition(lambda self: self.just_wrote())
    def turn_clock_back(self, back: timedelta) -> None:
        """A clock that runs backwards changes nothing that is known."""
        self.reading -= back
        self.clock.set(self.reading)

    @precondition(lambda self: self.oracle.events)
    @rule(pick=PICK, other=PICK)
    def ask(self, pick: int, other: int) -> None:
        """Ask about a past that is over, and keep the answer."""
        known = [e.at + d for e in self.oracle.events for d in (-TICK, timedelta(0), TICK)]
        known = [k for k in known if k < self.now()]
        if not known:
            return
        valid = bounds(self.oracle)
        pair = (valid[other % len(valid)], known[pick % len(known)])
        self.asked.setdefault(pair, visible(self.mem, valid_at=pair[0], known_at=pair[1]))

    # -- what must hold -------------------------------------------------------------------------

    @invariant()
    def current_is_replay(self) -> None:
        """What is recalled now is the replay of everything, seen now."""
        now = self.now()
        hits = self.mem.recall(None, k=10_000)
        assert sorted((h.id, h.text) for h in hits) == sorted(self.oracle.visible(valid_at=now, known_at=now))

    def teardown(self) -> None:
        """Check the whole history, then throw the store away."""
        try:
            if self.oracle.events and sys.exc_info()[0] is None:
                assert version_findings(self.mem, self.oracle) == []
                self.check_by_recall()
                self.check_answers_given()
                self.check_diff()
                assert self.mem.integrity_check() == []
        finally:
            for handle in self.handles:
                handle.close()
            shutil.rmtree(self.folder)

    def check_by_recall(self) -> None:
        """A sample of pairs, asked through recall, agrees; so does the diagonal, filtered by subject."""
        chance = random.Random(len(self.oracle.events))
        known = [k for e in self.oracle.events for k in (e.at - TICK, e.at) if k <= self.now()]
        valid = bounds(self.oracle)
        pairs = [(chance.choice(valid), chance.choice(known)) for _ in range(12)]
        assert recall_findings(self.mem, self.oracle, pairs) == []
        for _, k in pairs:
            hits = self.mem.recall(None, k=10_000, as_of=k, subject="user")
            users = {i for i, b in self.oracle.world(k).beliefs.items() if _subject(b) == "user"}
            expected = {(i, t) for i, t in self.oracle.visible(valid_at=k, known_at=k) if i in users}
            assert {(h.id, h.text) for h in hits} == expected

    def check_answers_given(self) -> None:
        """Every answer about a past that was over is given again."""
        for (valid_at, known_at), answer in self.asked.items():
            assert visible(self.mem, valid_at=valid_at, known_at=known_at) == answer

    def check_diff(self) -> None:
        """Windows of known time report exactly the events inside them."""
        chance = random.Random(len(self.oracle.events))
        marks = [e.at + d for e in self.oracle.events for d in (timedelta(0), TICK)]
        windows: list[tuple[datetime, datetime | None]] = [(chance.choice(marks[::2]), None)]
        for _ in range(4):
            since, until = sorted(chance.choices(marks, k=2))
            if since < until <= self.now():
                windows.append((since, until))
        for window in windows:
            assert diff_findings(self.mem, self.oracle, *window) == []


def _successors(belief: Belief) -> set[int]:
    return {cut.successor for cut in belief.cuts}


def _subject(belief: Belief) -> str | None:
    return next((p.subject for p in belief.pieces), None)


TestTimeLaws = TimeLaws.TestCase
TestTimeLaws.settings = settings(
    max_examples=examples(300, 1000),
    stateful_step_count=50 if DEEP else 30,
    deadline=None,
    derandomize=not DEEP,
    database=None,
    suppress_health_check=list(HealthCheck),
)
TestTimeLaws = pytest.mark.timeout(0 if DEEP else 900)(TestTimeLaws)
