from __future__ import annotations

import uuid
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta, timezone
from typing import Any

import pytest

from omoide import Memory
from omoide.errors import AccessDeniedError, InvalidInputError
from omoide.testing import FakeClock

NOON = datetime(2026, 6, 1, 12, tzinfo=UTC)


def test_returns_an_int_with_notices(mem: Memory) -> None:
    """The answer is an int that also carries the notices of the write."""
    got = mem.remember("lives in Osaka")
    assert isinstance(got, int)
    assert got > 0
    assert got.notices == ()


def test_ids_are_never_reused(mem: Memory) -> None:
    """The id of a forgotten memory is not given to another one."""
    first = mem.remember("one")
    mem.forget(first)
    second = mem.remember("two")
    mem.purge(second)
    third = mem.remember("three")
    assert len({first, second, third}) == 3
    assert first < second < third


def test_ids_are_unique_across_namespaces(opened: Callable[..., Memory]) -> None:
    """Two namespaces of one store never give the same id."""
    a, b = opened("a"), opened("b")
    ids = [handle.remember(f"{handle.namespace} {n}") for n in range(3) for handle in (a, b)]
    assert len(set(ids)) == 6


def test_uid_is_a_uuid_of_version_7(mem: Memory) -> None:
    """Every memory has a global id, a UUIDv7 of its own."""
    uids = []
    for text in ("one", "two"):
        record = mem.get(mem.remember(text))
        assert record is not None
        uids.append(record.uid)
    assert [uuid.UUID(uid).version for uid in uids] == [7, 7]
    assert uids[0] != uids[1]


@pytest.mark.parametrize(
    "text",
    [
        "  padded  ",
        "line one\r\nline two\n",
        "a\tb",
        "e\u0301 is not \u00e9",
        "ｆｕｌｌ　ｗｉｄｔｈ",
        "a\0b",
        "🗼👩‍👩‍👧",
        "שלום עולם",
    ],
)
def test_text_comes_back_exactly(mem: Memory, text: str) -> None:
    """``get`` returns the text exactly as it was given."""
    record = mem.get(mem.remember(text))
    assert record is not None
    assert record.text == text


def test_every_argument_is_stored_and_returned(mem: Memory) -> None:
    """What a memory was given, ``get`` gives back."""
    memory_id = mem.remember(
        "lives in Osaka",
        subject="user",
        predicate="home",
        kind="profile",
        source="session-2026-06-01",
        observed_at="2026-05-30T08:00:00Z",
        valid_from="2026-01-10",
        valid_to="2026-12-31",
        confidence=0.9,
        basis="told",
        importance="high",
        tags=["home", "geo"],
        cites=["README.md@a1b2c3"],
        triggers=["src/billing/*"],
        project="github.com/acme/app",
        metadata={"a": 1, "b": {"c": [True, None, "x"]}},
        pinned=True,
    )
    got = mem.get(memory_id)
    assert got is not None
    assert (got.id, got.namespace, got.text) == (memory_id, "default", "lives in Osaka")
    assert (got.subject, got.predicate, got.kind) == ("user", "home", "profile")
    assert got.source == "session-2026-06-01"
    assert got.provenance is not None
    assert got.provenance.observed_at == datetime(2026, 5, 30, 8, tzinfo=UTC)
    assert got.valid_from == datetime(2026, 1, 10, tzinfo=UTC)
    assert got.valid_to == datetime(2026, 12, 31, tzinfo=UTC)
    assert (got.confidence, got.basis, got.importance) == (0.9, "told", "high")
    assert got.tags == ("home", "geo")
    assert got.cites == ("README.md@a1b2c3",)
    assert got.triggers == ("src/billing/*",)
    assert got.project == "github.com/acme/app"
    assert got.metadata == {"a": 1, "b": {"c": [True, None, "x"]}}
    assert got.pinned
    assert got.known_from == NOON


def test_defaults(mem: Memory) -> None:
    """Without more, a memory is a fact of medium importance, full confidence, observed, valid from now on."""
    got = mem.get(mem.remember("plain"))
    assert got is not None
    assert (got.kind, got.importance, got.confidence, got.trust) == ("fact", "medium", 1.0, "observed")
    assert (got.valid_from, got.valid_to, got.known_from, got.known_to) == (NOON, None, NOON, None)
    assert (got.subject, got.predicate, got.source, got.metadata, got.tags) == (None, None, None, {}, ())
    assert not got.pinned
    assert not got.archived


def test_valid_from_defaults_to_when_it_was_observed(mem: Memory) -> None:
    """Without ``valid_from`` a memory holds from ``observed_at``."""
    got = mem.get(mem.remember("saw a heron", observed_at="2026-05-01T06:00:00Z"))
    assert got is not None
    assert got.valid_from == datetime(2026, 5, 1, 6, tzinfo=UTC)
    assert got.known_from == NOON


@pytest.mark.parametrize(
    "given, meant",
    [
        ("2026-01-10", datetime(2026, 1, 10, tzinfo=UTC)),
        ("2026-01-10T09:30", datetime(2026, 1, 10, 9, 30, tzinfo=UTC)),
        ("2026-01-10 09:30:15", datetime(2026, 1, 10, 9, 30, 15, tzinfo=UTC)),
        ("2026-01-10T09:30:15.123456Z", datetime(2026, 1, 10, 9, 30, 15, 123456, tzinfo=UTC)),
        ("2026-01-10T09:30:15z", datetime(2026, 1, 10, 9, 30, 15, tzinfo=UTC)),
        ("2026-01-10T09:30:00+09:00", datetime(2026, 1, 10, 0, 30, tzinfo=UTC)),
        (datetime(2026, 1, 10, 9, 30), datetime(2026, 1, 10, 9, 30, tzinfo=UTC)),  # noqa: DTZ001
        (datetime(2026, 1, 10, 9, tzinfo=timezone(timedelta(hours=9))), datetime(2026, 1, 10, tzinfo=UTC)),
        (date(2026, 1, 10), datetime(2026, 1, 10, tzinfo=UTC)),
    ],
)
def test_times_in(mem: Memory, given: Any, meant: datetime) -> None:
    """A time is ISO 8601, a datetime or a date; without an offset UTC; a date is its midnight."""
    got = mem.get(mem.remember("dated", valid_from=given))
    assert got is not None
    assert got.valid_from == meant
    assert got.valid_from.tzinfo is not None
    assert got.valid_from.utcoffset() == timedelta(0)


@pytest.mark.parametrize(
    "nonsense",
    [
        "2026-02-30",
        "2026-06-31",
        "2026-13-01",
        "2026-99-99T99:99:99.999Z",
        "yesterday-ish",
        "",
        "2026-01-10T25:00",
        5,
    ],
)
def test_a_nonsense_date_is_an_error(mem: Memory, nonsense: Any) -> None:
    """A time that no calendar has is refused, and nothing is stored."""
    with pytest.raises(InvalidInputError):
        mem.remember("dated", valid_from=nonsense)
    assert mem.list() == []


@pytest.mark.parametrize("text", [None, 5, b"bytes", "", "   ", "\n\t \u3000", ["x"]])
def test_no_text_is_an_error(mem: Memory, text: Any) -> None:
    """What is not a text with something in it is refused, and nothing is stored."""
    with pytest.raises(InvalidInputError):
        mem.remember(text)
    assert mem.list() == []


def test_half_a_surrogate_pair_is_an_error(mem: Memory) -> None:
    """A text that cannot be written as UTF-8 gets a typed error, and the next write works."""
    with pytest.raises(InvalidInputError):
        mem.remember("broken \ud800")
    assert mem.remember("whole")


@pytest.mark.parametrize(
    "wrong",
    [
        {"kind": "rumour"},
        {"importance": "huge"},
        {"importance": 0},
        {"importance": 11},
        {"confidence": -0.1},
        {"confidence": 1.1},
        {"confidence": float("nan")},
        {"trust": "absolute"},
        {"metadata": [1]},
        {"metadata": "x"},
        {"metadata": {"x": float("nan")}},
        {"tags": [42]},
        {"source": 5},
        {"source": "  "},
        {"subject": " "},
        {"valid_from": "2026-06-02", "valid_to": "2026-06-01"},
        {"valid_from": "2026-06-02", "valid_to": "2026-06-02"},
        {"valid_to": "2026-05-01"},
    ],
)
def test_a_wrong_argument_is_an_error(mem: Memory, wrong: dict[str, Any]) -> None:
    """An argument that cannot be meant is refused, and nothing is stored."""
    with pytest.raises(InvalidInputError):
        mem.remember("fine", **wrong)
    assert mem.list() == []


def test_metadata_that_is_not_json_is_an_error(mem: Memory) -> None:
    """Metadata that JSON cannot hold is refused, and the store goes on."""
    with pytest.raises((InvalidInputError, TypeError)):
        mem.remember("fine", metadata={"x": {1, 2}})
    assert mem.list() == []
    assert mem.remember("fine")


@pytest.mark.parametrize("importance", ["critical", "high", "medium", "low", 1, 5, 10])
def test_importance_is_a_word_or_one_to_ten(mem: Memory, importance: str | int) -> None:
    """Importance comes back as it was given."""
    got = mem.get(mem.remember("weighty", importance=importance))
    assert got is not None
    assert got.importance == importance


@pytest.mark.parametrize(
    "kind",
    [
        "fact",
        "preference",
        "decision",
        "procedure",
        "event",
        "experience",
        "entity",
        "profile",
        "reference",
        "note",
    ],
)
def test_the_kinds(mem: Memory, kind: str) -> None:
    """Every kind of the list is taken and given back."""
    got = mem.get(mem.remember("of a kind", kind=kind))
    assert got is not None
    assert got.kind == kind


def test_a_megabyte_is_a_memory(mem: Memory) -> None:
    """A text of a megabyte is stored whole and found by a word at its end."""
    text = "filler " * 150_000 + "needle-7731"
    memory_id = mem.remember(text)
    record = mem.get(memory_id)
    assert record is not None
    assert record.text == text
    assert [hit.id for hit in mem.recall("needle-7731")] == [memory_id]


def test_a_turn_keeps_role_and_session(mem: Memory) -> None:
    """``remember_turn`` puts role and session into the metadata; the session wins, a given role wins."""
    plain = mem.get(mem.remember_turn("user", "hello there", session_id="s-1"))
    assert plain is not None
    assert plain.text == "hello there"
    assert plain.metadata == {"role": "user", "session_id": "s-1"}
    given = {"role": "critic", "session_id": "other", "n": 1}
    own = mem.get(mem.remember_turn("user", "hello again", session_id="s-1", metadata=given))
    assert own is not None
    assert own.metadata == {"role": "critic", "session_id": "s-1", "n": 1}


def test_turns_never_collapse(mem: Memory) -> None:
    """The same turn said twice is two memories."""
    assert mem.remember_turn("user", "yes") != mem.remember_turn("user", "yes")


def test_remember_into_a_foreign_namespace_is_denied(mem: Memory) -> None:
    """Without a grant, writing elsewhere is refused and nothing is written."""
    with pytest.raises(AccessDeniedError):
        mem.remember("secret", namespace="other")
    assert mem.stats()["default"]["count"] == 0


def test_known_time_never_runs_backwards(mem: Memory, clock: FakeClock) -> None:
    """When the clock is turned back, known time stays at the last known time."""
    mem.remember("first")
    clock.set("2026-05-01")
    got = mem.get(mem.remember("second"))
    assert got is not None
    assert got.known_from == NOON
    assert {hit.text for hit in mem.recall(None)} == {"first", "second"}
