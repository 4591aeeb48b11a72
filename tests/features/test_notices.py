from __future__ import annotations

import pytest

from omoide import Memory
from omoide.testing import FakeClock, count_statements


def noticed(got: object) -> set[int]:
    """Return every id that the notices of a write name."""
    return {i for notice in getattr(got, "notices", ()) for i in notice.ids}


@pytest.mark.parametrize(
    "first, second",
    [
        ("The nightly backup runs at two in the morning", "the nightly backup runs at two in the morning."),
        (
            "the billing service retries failed invoices three times",
            "billing service retries failed invoices three times",
        ),
        ("毎朝九時にデプロイを実行する", "毎朝九時にデプロイを実行する。"),
    ],
)
def test_a_near_duplicate_is_noticed(mem: Memory, first: str, second: str) -> None:
    """A text that says almost the same in the same words is stored, with a notice that names the other."""
    one = mem.remember(first, subject="svc")
    two = mem.remember(second, subject="svc")
    assert two != one
    assert one in noticed(two)


def test_other_numbers_are_no_duplicate(mem: Memory) -> None:
    """Texts that differ in a version number are not called duplicates."""
    mem.remember("the api runs version v1", subject="svc", predicate="changelog 1")
    two = mem.remember("the api runs version v2", subject="svc", predicate="changelog 2")
    assert not [n for n in two.notices if "duplicate" in n.code]


def test_an_unrelated_text_gives_no_notice(mem: Memory) -> None:
    """A text about something else is stored without a remark."""
    mem.remember("the nightly backup runs at two", subject="svc")
    assert mem.remember("cats sleep a lot", subject="pets").notices == ()


def test_a_contradiction_is_noticed(mem: Memory) -> None:
    """Another value for the same subject and predicate is stored, with a notice that names the first."""
    one = mem.remember("prefers Vim", subject="user", predicate="editor")
    two = mem.remember("prefers Helix", subject="user", predicate="editor")
    assert one != two
    assert one in noticed(two)


@pytest.mark.parametrize("first, second", [("home", "HOME"), ("Ｈｏｍｅ", "home"), ("à propos", "À PROPOS")])
def test_the_case_and_width_of_a_predicate_do_not_count(mem: Memory, first: str, second: str) -> None:
    """A contradiction is noticed, and an exclusive predicate watched, however the predicate is written."""
    mem.exclusive(first.title())
    one = mem.remember("Kyoto", subject="user", predicate=first)
    two = mem.remember("Nara", subject="user", predicate=second)
    mem.remember("Kobe", subject="user", predicate="homes")
    assert [(notice.code, notice.ids) for notice in two.notices] == [("contradiction", (one,))]
    found = [(conflict.kind, conflict.ids) for conflict in mem.conflicts()]
    assert found == [("contradiction", (one, two)), ("exclusive", (one, two))]


def test_a_property_is_found_in_any_case(mem: Memory, clock: FakeClock) -> None:
    """Questions narrowed to a property find it however it was written, now and in the past."""
    ids = {int(mem.remember("Kyoto", subject="user", predicate=each)) for each in ("home", "Home", "HOME")}
    mem.remember("Kyoto", subject="user", predicate="homes")
    then = clock.now()
    clock.advance(60)
    for hits in (mem.recall(predicate="hOme"), mem.recall("Kyoto", predicate="hOme", as_of=then)):
        assert {hit.id for hit in hits} == ids


def test_the_same_words_about_another_subject_are_no_duplicate(mem: Memory) -> None:
    """Two people may live in one town; a text without a subject and one under another name are compared."""
    one = mem.remember("lives in Osaka", subject="Ann")
    two = mem.remember("lives in Osaka.", subject="Ben")
    assert two.notices == ()
    assert noticed(mem.remember("lives in  Osaka!", subject="ANN")) == {one}
    mem.alias_subject("Benjamin", of="Ben")
    assert noticed(mem.remember("lives in Osaka!", subject="Benjamin")) == {two}
    assert {one, two} <= noticed(mem.remember("lives in Osaka!"))


def test_a_corrected_value_is_noticed(mem: Memory, clock: FakeClock) -> None:
    """A value that was corrected before is stored, with a notice that names the correction."""
    one = mem.remember("born in 1980", subject="user")
    clock.advance(60)
    mem.update(one, text="born in 1981")
    clock.advance(60)
    two = mem.remember("born in 1980", subject="user")
    assert one in noticed(two)


def test_notices_say_something(mem: Memory) -> None:
    """A notice has a stable code and a sentence."""
    mem.remember("prefers Vim", subject="user", predicate="editor")
    for notice in mem.remember("prefers Helix", subject="user", predicate="editor").notices:
        assert notice.code
        assert notice.message


def test_looking_for_them_costs_the_same_at_any_size(mem: Memory) -> None:
    """The number of statements of a write with notices does not grow with the subject's memories."""

    def cost(n: int) -> int:
        with count_statements(mem) as work:
            mem.remember(f"the backup of host {n} runs", subject="svc")
        return work.statements

    small = min(cost(n) for n in range(3))
    with mem.bulk():
        for n in range(1500):
            mem.remember(f"the backup of disk {n} is kept for {n} days", subject="svc")
    assert min(cost(n) for n in range(3, 6)) <= small + 5


def test_a_settled_contradiction_is_no_conflict(mem: Memory, clock: FakeClock) -> None:
    """It is listed while two memories say different things about one time, and again when they come to do so."""
    one = mem.remember("prefers Vim", subject="user", predicate="editor", valid_from="2026-01-01")
    two = mem.remember("prefers Helix", subject="user", predicate="editor", valid_from="2026-03-01")
    assert [conflict.ids for conflict in mem.conflicts()] == [(one, two)]
    clock.advance(60)
    mem.revise(one, "prefers Helix", valid_from="2026-03-01")
    assert mem.conflicts() == []
    clock.advance(60)
    mem.revise(one, "prefers Emacs", valid_from="2026-04-01")
    assert [conflict.ids for conflict in mem.conflicts()] == [(one, two)]
