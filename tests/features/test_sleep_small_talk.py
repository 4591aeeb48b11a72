"""Small talk has many numbers in it and few that anything replaces: what looks like an update there, and is none."""

from __future__ import annotations

import pytest

from omoide import Memory
from omoide.testing import FakeClock

DAY = 86_400.0


def proposed(mem: Memory) -> list[tuple[int, ...]]:
    mem.sleep()
    return [each.ids for each in mem.proposals(kind="supersede")]


@pytest.mark.parametrize(
    "old,new",
    [
        pytest.param("I read for the exam every day", "It is nice that every minute I read counts now", id="each-that"),
        pytest.param("The course has 5 classes now", "The course doesn't have 6 classes now", id="denied"),
        pytest.param("La réunion a 5 invités maintenant", "La réunion n'a pas 6 invités maintenant", id="denied-fr"),
        pytest.param("会議の予算は今500万円です", "会議の予算は今600万円ではありません", id="denied-ja"),
        pytest.param("会議の参加者は今5人です", "会議の参加者は今6人ではありません", id="denied-people-ja"),
        pytest.param("昨日は友達3人と会った", "今日は友達5人と会った", id="two-days-ja"),
        pytest.param("I have lived on the coast for 2 years now", "I now live 3 hours from the coast", id="far-away"),
        pytest.param("The shop sold 40 records already", "The shop sold records already in 1990", id="year"),
        pytest.param("I watched 4 films of the series already", "I watched a third of the series already", id="part"),
        pytest.param("I have 3 marathons behind me now", "You said you have 4 marathons behind you now", id="yours"),
        pytest.param("I started 4 games now", "Everyone has started 5 games now", id="everyones"),
        pytest.param("My friend lowered me 100 feet", "My friend lowered me down 120 feet", id="lowered-somebody"),
        pytest.param("Sent: Monday, March 3, 2025 9:16", "Sent: Tuesday, March 4, 2025 7:13", id="stamp"),
        pytest.param("won 5 times tied 4 times", "won 5 times tied 2 times", id="listing"),
        pytest.param("Check a known BLAKE2 checksum of a file", "Check a known BLAKE3 checksum of a file", id="name"),
        pytest.param("My plan is to start filming soon", "My plan is to ask Reddit", id="to-do"),
        pytest.param("My major is IT", "My major is Information Technology", id="initials"),
        pytest.param("I work at one", "I work at a bank", id="pointing"),
    ],
)
def test_what_only_looks_like_it_is_not_proposed(mem: Memory, clock: FakeClock, old: str, new: str) -> None:
    mem.remember(old)
    clock.advance(DAY)
    mem.remember(new)
    assert proposed(mem) == []


@pytest.mark.parametrize(
    "old,new",
    [
        ("My major is Physics", "My major is Chemistry"),
        ("I have 3 marathons behind me now", "I have 4 marathons behind me now"),
        ("The commute takes 40 minutes from home", "The commute now takes 25 minutes from home"),
        ("会議の予算は今500万円です", "会議の予算は今600万円です"),
        ("会議の参加者は今5人です", "会議の参加者は今8人です"),
        ("これまでに本を5冊読みました", "これまでに本を8冊読みました"),
        ("Le club compte 40 membres", "Le club compte désormais 55 membres"),
        ("The standup is at 9:30", "The standup has been moved to 10:15"),
    ],
)
def test_what_takes_its_place_still_is(mem: Memory, clock: FakeClock, old: str, new: str) -> None:
    first = mem.remember(old)
    clock.advance(DAY)
    second = mem.remember(new)
    assert proposed(mem) == [(first, second)]


@pytest.mark.parametrize("word,found", [("chess", False), ("badminton", True)])
def test_one_word_that_other_texts_share_too_is_no_evidence(
    mem: Memory, clock: FakeClock, word: str, *, found: bool
) -> None:
    """That two texts share "chess" says little where others do too; nothing else has "badminton" in it."""
    for place in ("Asuke", "Biei", "Chino", "Date", "Ebino"):
        mem.remember(f"A chess puzzle from {place}")
        mem.remember(f"The dog of {place} barked again")
    for name in "abcdefghijklmnopqrst":
        mem.remember(f"Postcard {name * 3} went out")
    first = mem.remember(f"{word.title()} takes 20% of my evenings")
    clock.advance(DAY)
    second = mem.remember(f"By now {word} has 30% of me")
    assert proposed(mem) == ([(first, second)] if found else [])


def test_parts_of_one_text_do_not_replace_each_other(mem: Memory, clock: FakeClock) -> None:
    """Paragraphs of a letter are of one moment; the later in it is no later statement."""
    for text in ("The harbour fund was raised to 40 euros", "The harbour fund was raised to 90 euros"):
        mem.remember(text, observed_at="2026-01-01T09:00:00Z")
    assert proposed(mem) == []


def test_what_is_withheld_is_counted_and_said(mem: Memory, clock: FakeClock) -> None:
    mem.remember("The garden party has 5 guests")
    clock.advance(DAY)
    mem.remember("That garden party has got 6 guests")
    report = mem.sleep()
    assert report.proposed == ()
    assert [each.withheld for each in report.passes if each.name == "updates"] == [1]
    assert any("not sure enough" in reason for reason in report.reasons)
