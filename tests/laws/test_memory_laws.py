"""Laws that hold for any use of a memory: order of filters, size of answers, shifts of time, neighbours."""

from __future__ import annotations

import operator
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from omoide import Memory
from omoide.testing import FakeClock, FakeEmbedder

START = datetime(2026, 6, 1, 12, tzinfo=UTC)
QUICK = settings(max_examples=25, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
WORDS = ["tea", "garden", "host", "backup", "東京", "塔", "café", "runs", "running", "the"]

texts = st.lists(st.sampled_from(WORDS), min_size=1, max_size=6).map(" ".join)
subjects = st.sampled_from([None, "user", "svc"])
kinds = st.sampled_from(["fact", "event", "note"])
values = st.none() | st.booleans() | st.integers(-3, 3) | st.sampled_from([0.5, 1.0, "a", "b", "1"])
metadata = st.dictionaries(st.sampled_from(["a", "b"]), values, max_size=2)
notes = st.tuples(texts, subjects, kinds, metadata)
Step = tuple[str, int, str, int, int | None]
steps = st.tuples(
    st.sampled_from(["remember", "remember", "revise", "update", "forget", "restore"]),
    st.integers(0, 20),
    texts,
    st.integers(-5, 5),
    st.none() | st.integers(1, 5),
)


@contextmanager
def store(clock: FakeClock | None = None, embedder: Any = "none", namespace: str = "default") -> Iterator[Memory]:
    """Open a store of its own and throw it away."""
    with (
        tempfile.TemporaryDirectory() as folder,
        Memory(Path(folder) / "agents.db", namespace, clock=clock or FakeClock(START), embedder=embedder) as mem,
    ):
        yield mem


def fill(mem: Memory, rows: list[tuple[str, str | None, str, dict[str, Any]]]) -> None:
    """Remember every row."""
    for text, subject, kind, data in rows:
        mem.remember(text, subject=subject, kind=kind, metadata=data)


def apply(mem: Memory, clock: FakeClock, script: list[Step], shift: timedelta = timedelta(0)) -> list[int]:
    """Play a script: each step an hour later, times relative to its own; return the ids in order."""
    ids: list[int] = []
    for number, (verb, pick, text, offset, length) in enumerate(script):
        now = START + shift + timedelta(hours=number)
        clock.set(now)
        start = now + timedelta(days=offset)
        end = None if length is None else start + timedelta(days=length)
        if verb == "remember" or not ids:
            memory_id = int(mem.remember(f"{text} {number}", valid_from=start, valid_to=end))
            ids.append(memory_id)
            continue
        memory_id = ids[pick % len(ids)]
        if verb == "revise" and mem.get(memory_id) is not None:
            mem.revise(memory_id, f"{text} {number}", valid_from=start, valid_to=end)
        elif verb == "update":
            mem.update(memory_id, text=f"{text} {number}")
        elif verb == "forget":
            mem.forget(memory_id)
        elif verb == "restore":
            mem.restore(memory_id)
    return ids


def timeline(mem: Memory, hours: int, shift: timedelta = timedelta(0)) -> list[list[str]]:
    """Return the texts of a grid of known and valid times."""
    marks = [START + shift + timedelta(hours=h) for h in (*range(0, hours, 3), -100, 100)]
    return [sorted(hit.text for hit in mem.recall(None, k=99, known_at=k, valid_at=v)) for k in marks for v in marks]


@QUICK
@given(rows=st.lists(notes, min_size=1, max_size=15), query=texts, k=st.integers(1, 8))
def test_a_shorter_answer_is_the_beginning_of_a_longer(rows: list[Any], query: str, k: int) -> None:
    """The first k of many are what k alone would be."""
    with store(embedder=FakeEmbedder(16)) as mem:
        fill(mem, rows)
        many = [(hit.id, hit.score) for hit in mem.recall(query, k=50)]
        assert [(hit.id, hit.score) for hit in mem.recall(query, k=k)] == many[:k]


@QUICK
@given(rows=st.lists(notes, min_size=1, max_size=15), query=st.none() | texts, subject=st.sampled_from(["user", "svc"]))
def test_filters_are_sets(rows: list[Any], query: str | None, subject: str) -> None:
    """A filtered answer has exactly those of the unfiltered one that pass, and filters commute."""
    with store() as mem:
        fill(mem, rows)
        everything = mem.recall(query, k=99)
        by_subject = {hit.id for hit in mem.recall(query, k=99, subject=subject)}
        by_kind = {hit.id for hit in mem.recall(query, k=99, kinds=["event", "note"])}
        both = {hit.id for hit in mem.recall(query, k=99, subject=subject, kinds=["event", "note"])}
        assert by_subject == {hit.id for hit in everything if hit.subject == subject}
        assert by_kind == {hit.id for hit in everything if hit.kind in {"event", "note"}}
        assert both == by_subject & by_kind


COMPARE: dict[str, Callable[[Any, Any], bool]] = {
    "$gt": operator.gt,
    "$gte": operator.ge,
    "$lt": operator.lt,
    "$lte": operator.le,
}


def kind_of(value: Any) -> str:
    """Return the JSON type of a value: numbers are one type, booleans are not numbers."""
    if isinstance(value, bool):
        return "boolean"
    return "number" if isinstance(value, int | float) else type(value).__name__


def same(left: Any, right: Any) -> bool:
    """Whether two JSON values are equal and of one type."""
    return kind_of(left) == kind_of(right) and bool(left == right)


def passes(data: dict[str, Any], where: dict[str, Any]) -> bool:
    """Evaluate a filter by its definition."""
    for key, operand in where.items():
        if key == "$or":
            ok = any(passes(data, one) for one in operand)
        elif key == "$and":
            ok = all(passes(data, one) for one in operand)
        elif key == "$not":
            ok = not passes(data, operand)
        elif isinstance(operand, dict):
            ok = all(holds(data, key, op, value) for op, value in operand.items())
        else:
            ok = same(data.get(key), operand)
        if not ok:
            return False
    return True


def holds(data: dict[str, Any], key: str, op: str, value: Any) -> bool:
    """Evaluate one operator; a missing key equals None and is greater or less than nothing."""
    has = data.get(key)
    if op == "$exists":
        return (key in data) == value
    if op in {"$eq", "$ne"}:
        return same(has, value) == (op == "$eq")
    if op in {"$in", "$nin"}:
        return any(same(has, one) for one in value) == (op == "$in")
    if kind_of(has) != kind_of(value) or kind_of(has) not in {"number", "str"}:
        return False
    return COMPARE[op](has, value)


keys = st.sampled_from(["a", "b"])
ordered = st.integers(-3, 3) | st.sampled_from([0.5, "a", "b", "1"])
operators = (
    st.tuples(st.sampled_from(["$eq", "$ne"]), values)
    | st.tuples(st.sampled_from(list(COMPARE)), ordered)
    | st.tuples(st.sampled_from(["$in", "$nin"]), st.lists(values, max_size=3))
    | st.tuples(st.just("$exists"), st.booleans())
)
simple = st.tuples(keys, values | operators.map(lambda pair: {pair[0]: pair[1]})).map(lambda pair: {pair[0]: pair[1]})
filters = st.recursive(
    simple,
    lambda inner: (
        st.lists(inner, min_size=1, max_size=3).map(lambda many: {"$or": many})
        | st.lists(inner, min_size=1, max_size=3).map(lambda many: {"$and": many})
        | inner.map(lambda one: {"$not": one})
    ),
    max_leaves=4,
)


@settings(QUICK, max_examples=40)
@given(rows=st.lists(metadata, min_size=1, max_size=12), wheres=st.lists(filters, min_size=1, max_size=10))
def test_where_is_its_definition(rows: list[dict[str, Any]], wheres: list[dict[str, Any]]) -> None:
    """What a filter lets through is what its definition says, through list and recall alike."""
    with store() as mem:
        stored = {int(mem.remember(f"note {n}", metadata=data)): data for n, data in enumerate(rows)}
        for where in wheres:
            expected = {memory_id for memory_id, data in stored.items() if passes(data, where)}
            assert {record.id for record in mem.list(where=where)} == expected, where
            assert {hit.id for hit in mem.recall("note", k=99, where=where)} == expected, where


@QUICK
@given(script=st.lists(steps, min_size=2, max_size=10), days=st.sampled_from([-3650, -1, 1, 36500]))
def test_shifting_all_times_shifts_the_answers(script: list[Step], days: int) -> None:
    """The same history a while earlier or later gives the same answers, as much earlier or later."""
    shift = timedelta(days=days)
    clock, shifted = FakeClock(START), FakeClock(START + shift)
    with store(clock) as one, store(shifted) as two:
        apply(one, clock, script)
        apply(two, shifted, script, shift)
        assert timeline(one, len(script)) == timeline(two, len(script), shift)


@QUICK
@given(script=st.lists(steps, min_size=2, max_size=10), other=st.lists(steps, min_size=2, max_size=10))
def test_neighbours_change_nothing(script: list[Step], other: list[Step]) -> None:
    """What happens in another namespace of the store leaves every answer as it is."""
    clock = FakeClock(START)
    with store(clock) as alone, tempfile.TemporaryDirectory() as folder:
        apply(alone, clock, script)
        shared = FakeClock(START)
        path = Path(folder) / "agents.db"
        with (
            Memory(path, "mine", clock=shared, embedder="none") as mine,
            Memory(path, "other", clock=shared, embedder="none") as others,
        ):
            apply(mine, shared, script)
            expected = timeline(alone, len(script))
            assert timeline(mine, len(script)) == expected
            apply(others, shared, other)
            assert timeline(mine, len(script)) == expected


@QUICK
@given(script=st.lists(steps, min_size=2, max_size=12), query=texts)
def test_a_rebuilt_index_is_the_kept_one(script: list[Step], query: str) -> None:
    """After any history, a rebuild changes no answer of any leg, and nothing was out of order."""
    clock = FakeClock(START)
    with store(clock, FakeEmbedder(16)) as mem:
        apply(mem, clock, script)
        asked: list[dict[str, Any]] = [{}, {"use_bm25": False}, {"use_vectors": False}, {"as_of": START}]

        def answers() -> list[Any]:
            return [
                [(hit.id, hit.text, round(hit.score, 9)) for hit in mem.recall(query, k=20, **options)]
                for options in asked
            ]

        assert mem.integrity_check() == []
        before = answers()
        mem.rebuild()
        assert answers() == before
        assert mem.integrity_check() == []


@QUICK
@given(rows=st.lists(notes, min_size=1, max_size=15), query=texts)
def test_a_block_is_the_same_as_one_by_one(rows: list[Any], query: str) -> None:
    """Written in a block or one by one at one instant, the same memories answer the same."""
    with store(embedder=FakeEmbedder(16)) as one, store(embedder=FakeEmbedder(16)) as two:
        fill(one, rows)
        with two.bulk():
            fill(two, rows)
        got = [[(hit.text, round(hit.score, 9)) for hit in mem.recall(query, k=20)] for mem in (one, two)]
        assert got[0] == got[1]
        assert len(one.list()) == len(two.list())


@QUICK
@given(rows=st.lists(notes, min_size=1, max_size=15))
def test_saying_everything_twice_adds_nothing(rows: list[Any]) -> None:
    """A second round of the same memories gives the same ids and changes no answer."""
    with store() as mem:
        fill(mem, rows)
        before = sorted((record.id, record.text) for record in mem.list())
        fill(mem, rows)
        assert sorted((record.id, record.text) for record in mem.list()) == before


@QUICK
@given(script=st.lists(steps, min_size=2, max_size=12))
def test_every_view_counts_the_same(script: list[Step]) -> None:
    """``list``, ``stats`` and ``recall`` agree on what is current, now and as time goes on."""
    clock = FakeClock(START)
    with store(clock) as mem:
        apply(mem, clock, script)
        for _ in range(3):
            listed = {record.id for record in mem.list()}
            assert listed == {hit.id for hit in mem.recall(None, k=99)}
            assert mem.stats()["default"]["count"] == len(listed)
            clock.advance(2 * 86_400)
