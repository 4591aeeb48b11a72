"""The past does not change; random histories are in ``tests/laws/test_time_laws.py``."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta

import pytest

from omoide import Memory
from omoide.testing import FakeClock
from omoide.testing.oracle import Forgotten, Oracle, Remembered, Restored, Revised

Opener = Callable[..., Memory]
Grid = dict[tuple[datetime, datetime], list[tuple[int, str]]]
TICK = timedelta(microseconds=1)


def ask(mem: Memory, known: list[datetime], valid: list[datetime]) -> Grid:
    """Ask every pair of known and valid time."""
    return {
        (k, v): sorted((h.id, h.text) for h in mem.recall(None, k=99, known_at=k, valid_at=v))
        for k in known
        for v in valid
    }


@pytest.fixture
def history(opened: Opener, clock: FakeClock) -> tuple[Memory, list[int], list[datetime]]:
    """Four memories of four days, one revised, one with an end."""
    mem = opened(door_trust="stated")
    start = clock.now()
    ids: list[int] = [
        mem.remember(f"note {n}", subject="user", source=f"s-{n}", valid_from=start - timedelta(days=n))
        for n in range(3)
    ]
    clock.advance(86_400)
    ids.append(mem.remember("short", valid_to=start + timedelta(days=3)))
    mem.revise(ids[0], "note 0, revised", valid_from=start + timedelta(days=2))
    clock.advance(86_400)
    marks = [start + timedelta(days=n) + d for n in range(-3, 5) for d in (-TICK, timedelta(0), TICK)]
    return mem, ids, marks


CHANGES: dict[str, Callable[[Memory, list[int], datetime], object]] = {
    "backdated revise": lambda m, i, t: m.revise(i[0], "X", valid_from=t - timedelta(days=9)),
    "middle revise": lambda m, i, t: m.revise(i[1], "X", valid_from=t, valid_to=t + TICK),
    "update": lambda m, i, _t: m.update(i[2], text="X"),
    "update of metadata": lambda m, i, _t: m.update(i[2], metadata={"x": 1}),
    "forget": lambda m, i, _t: m.forget(i[1]),
    "forget by source": lambda m, _i, _t: m.forget(source="s-2"),
    "forget by subject": lambda m, _i, _t: m.forget(subject="user"),
    "forget and restore": lambda m, i, _t: (m.forget(i[0]), m.restore(i[0])),
    "supersede": lambda m, i, t: m.supersede(i[:2], "X", valid_from=t - timedelta(days=9)),
    "reject": lambda m, i, _t: m.reject(i[3], reason="no"),
    "confirm": lambda m, i, _t: m.confirm(i[0]),
    "dispute": lambda m, i, _t: m.dispute(i[0], reason="?"),
    "repeat": lambda m, _i, _t: m.remember("note 2", subject="user", source="s-9"),
    "backdated remember": lambda m, _i, t: m.remember("X", valid_from=t - timedelta(days=99)),
    "archive": lambda m, _i, _t: m.forget_older_than(0),
    "rebuild": lambda m, _i, _t: m.rebuild(),
}


@pytest.mark.parametrize("change", list(CHANGES))
def test_no_verb_changes_it(history: tuple[Memory, list[int], list[datetime]], clock: FakeClock, change: str) -> None:
    """Every answer about a time that is over is given again after the change."""
    mem, ids, marks = history
    known = [mark for mark in marks if mark < clock.now()]
    before = ask(mem, known, marks)
    clock.advance(1)
    CHANGES[change](mem, ids, known[12])
    clock.advance(1)
    assert ask(mem, known, marks) == before


def test_it_is_the_replay_of_what_was_known(opened: Opener, clock: FakeClock) -> None:
    """A scripted history and its replay agree at every pair of times."""
    mem, oracle = opened(), Oracle()
    start = clock.now()
    a = mem.remember("A")
    oracle.record(Remembered(clock.now(), a, "A"))
    clock.advance(60)
    mem.revise(a, "B", valid_from=start - timedelta(days=1), valid_to=start + timedelta(seconds=30))
    oracle.record(Revised(clock.now(), a, "B", start - timedelta(days=1), start + timedelta(seconds=30)))
    clock.advance(60)
    mem.forget(a)
    oracle.record(Forgotten(clock.now(), a))
    clock.advance(60)
    mem.restore(a)
    oracle.record(Restored(clock.now(), a))
    marks = [start + timedelta(seconds=s) + d for s in (-86_400, 0, 30, 60, 120, 180) for d in (-TICK, TICK * 0, TICK)]
    known = [mark for mark in marks if mark <= clock.now()]
    for (k, v), got in ask(mem, known, marks).items():
        assert got == sorted(oracle.visible(valid_at=v, known_at=k))
