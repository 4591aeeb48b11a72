"""Time words of a question raise what lies near the time they name, and hide nothing."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from omoide import Index, Memory
from omoide.errors import InvalidInputError
from omoide.testing import FakeClock, FakeEmbedder

Opener = Callable[..., Memory]

NOW = "2026-06-17T15:30:00Z"  # a Wednesday
DAYS = {"a": "2025-07-20", "b": "2026-03-12", "c": "2026-06-10", "d": "2026-06-16"}


@pytest.fixture
def dinners(opened: Opener) -> Memory:
    """Four memories that differ in their dates only, written in an order that helps none of the tests."""
    mem = opened(clock=FakeClock(NOW))
    for name in "cadb":
        mem.remember("dinner with the whole team", subject=name, observed_at=DAYS[name])
    return mem


def first(mem: Memory, question: str, **options: Any) -> str | None:
    return mem.recall(question, **options)[0].subject


@pytest.mark.parametrize(
    "question,wanted",
    [
        ("the dinner last week", "c"), ("the dinner yesterday", "d"), ("our dinner in March", "b"),
        ("dinner before 2026", "a"), ("dinner three months ago", "b"), ("dinner last summer", "a"),
        ("dinner between May 2025 and August 2025", "a"), ("dinner on 12 March 2026", "b"), ("dinner 2026-06-10", "c"),
        ("le dinner de la semaine dernière", "c"), ("dinner avant-hier ou hier", "d"), ("dinner en mars dernier", "b"),
        ("先週の dinner", "c"), ("昨日の dinner", "d"), ("去年の夏の dinner", "a"), ("3ヶ月前の dinner", "b"),
    ],
)  # fmt: skip
def test_what_was_told_at_the_named_time_comes_first(dinners: Memory, question: str, wanted: str) -> None:
    assert first(dinners, question) == wanted


def test_nothing_is_hidden(dinners: Memory) -> None:
    assert {hit.subject for hit in dinners.recall("the dinner last week")} == set(DAYS)


def test_what_lies_nearer_ranks_higher(dinners: Memory) -> None:
    assert [hit.subject for hit in dinners.recall("dinner on 9 June 2026", k=2)] == ["c", "d"]


def test_the_raise_is_a_part_of_the_score(dinners: Memory) -> None:
    parts = [hit.explain()["time"] for hit in dinners.recall("the dinner last week")]
    assert parts[0] > 0
    assert parts == sorted(parts, reverse=True)
    assert json.loads(json.dumps(parts)) == parts


def test_the_answer_tells_what_it_understood(dinners: Memory) -> None:
    (found,) = dinners.recall("the dinner last week").when
    assert found.phrase == "last week"
    assert (found.start, found.end) == (datetime(2026, 6, 8, tzinfo=UTC), datetime(2026, 6, 15, tzinfo=UTC))


def test_an_open_end_is_none(dinners: Memory) -> None:
    assert dinners.recall("dinner before 2026").when[0].start is None


def test_a_question_without_time_words_is_as_before(dinners: Memory) -> None:
    hits = dinners.recall("may I ask about the dinner?")
    assert hits.when == ()
    assert "time" not in hits[0].explain()


def test_last_week_is_the_week_before_the_asked_time(opened: Opener) -> None:
    """``as_of`` moves the clock that "last week" is seen from."""
    clock = FakeClock("2026-01-05T00:00:00Z")
    mem = opened(clock=clock)
    mem.remember("dinner with the whole team", subject="old", observed_at="2026-01-01")
    clock.set("2026-06-17T15:30:00Z")
    mem.remember("dinner with the whole team", subject="new", observed_at="2026-06-10")
    assert first(mem, "the dinner last week") == "new"
    assert first(mem, "the dinner last week", valid_at="2026-01-08") == "old"
    assert mem.recall("the dinner last week", as_of="2026-01-08").when[0].start == datetime(2025, 12, 29, tzinfo=UTC)


def test_a_day_begins_where_the_user_is(opened: Opener) -> None:
    mem = opened(clock=FakeClock("2026-06-17T15:30:00Z"), timezone="Asia/Tokyo")
    mem.remember("dinner with the whole team")
    assert mem.recall("dinner today").when[0].start == datetime(2026, 6, 17, 15, tzinfo=UTC)


def test_an_unknown_zone_is_told(opened: Opener) -> None:
    with pytest.raises(InvalidInputError, match="timezone"):
        opened(timezone="Mars/Olympus")


def test_a_memory_that_held_for_a_while_is_near_every_day_of_it(opened: Opener) -> None:
    mem = opened(clock=FakeClock(NOW))
    mem.remember("holiday by the sea", subject="one", valid_from="2026-06-01", valid_to="2026-07-01")
    mem.remember("holiday by the sea", subject="two", valid_from="2026-05-01")
    assert first(mem, "our holiday last week") == "one"


def test_dates_in_the_metadata_count(opened: Opener) -> None:
    mem = opened(clock=FakeClock(NOW))
    mem.remember(
        "invoice from the printer", subject="old", metadata={"date": "2026-02-01", "nr": 7, "note": "2026-13-99"}
    )
    mem.remember("invoice from the printer", subject="march", metadata={"date": "2026-03-09"})
    mem.remember("invoice from the printer", subject="none")
    assert first(mem, "the invoice in March") == "march"


def test_when_it_was_observed_counts_beside_since_when_it_holds(opened: Opener) -> None:
    mem = opened(clock=FakeClock(NOW))
    mem.remember("lives in Osaka", subject="ann", valid_from="2020-01-01", observed_at="2026-03-05")
    mem.remember("lives in Osaka", subject="bob", valid_from="2020-01-01", observed_at="2026-05-05")
    assert first(mem, "who told in March to live in Osaka?") == "ann"


def test_a_match_from_the_named_time_is_a_candidate_beside_hundreds_of_better_ones(opened: Opener) -> None:
    mem = opened(clock=FakeClock(NOW), embedder=FakeEmbedder(16))
    with mem.bulk():
        for n in range(300):
            mem.remember(f"tea tea tea tea number {n}", observed_at="2025-01-01")
        mem.remember(
            "a long walk, and some tea at the end of it when everybody was back home", observed_at="2026-06-09"
        )
    assert any("long walk" in hit.text for hit in mem.recall("tea last week", k=50))
    assert not any("long walk" in hit.text for hit in mem.recall("tea", k=50))


def test_a_filter_still_filters(dinners: Memory) -> None:
    assert [hit.subject for hit in dinners.recall("the dinner last week", subject="a")] == ["a"]
    assert dinners.recall("the dinner last week", until="2026-01-01")[0].subject == "a"


def test_the_dates_of_files_count(indexed: Callable[..., Index], tmp_path: Path) -> None:
    folder = tmp_path / "notes"
    folder.mkdir()
    for name, day in {"old.md": "2025-11-03", "march.md": "2026-03-09", "late.md": "2026-06-10"}.items():
        (folder / name).write_text(f"how to deploy the server, as of {name}", encoding="utf-8")
        moment = datetime.fromisoformat(f"{day}T12:00:00+00:00").timestamp()
        os.utime(folder / name, (moment, moment))
    index = indexed(clock=FakeClock(NOW))
    index.add_files(folder)
    assert "march.md" in index.search("how did we deploy the server in March?")[0].text
    assert "late.md" in index.search("comment deploy le server la semaine dernière ?")[0].text
    assert len(index.search("how did we deploy the server in March?")) == 3
