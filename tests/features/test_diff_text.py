from __future__ import annotations

from collections.abc import Callable

import pytest

from omoide import Memory
from omoide.errors import AccessDeniedError, InvalidInputError
from omoide.testing import FakeClock

SINCE = "2026-06-01T12:00:00Z"


@pytest.fixture
def changed(mem: Memory, clock: FakeClock) -> Memory:
    """A store in which one memory was learned, one revised and one forgotten since ``SINCE``."""
    clock.set("2026-05-01")
    home = mem.remember("lives in\nOsaka", subject="user", predicate="home", valid_from="2026-01-10")
    tea = mem.remember("お茶が好き", subject="太郎", source="session-1")
    clock.set("2026-06-02T08:30:00.250Z")
    mem.revise(home, "lives in Tokyo", valid_from="2026-06-01", valid_to="2026-09-01", source="chat 7")
    mem.forget(tea)
    mem.remember("le port ouvre à six heures")
    return mem


def test_every_change_is_a_line(changed: Memory) -> None:
    """Learned, revised and retracted are told with times and sources, each entry on lines of its own."""
    assert changed.diff_text(SINCE).splitlines() == [
        "What changed from 2026-06-01T12:00:00Z to 2026-06-02T08:30:00Z",
        "",
        "Learned (1)",
        "  + #3 le port ouvre à six heures (from 2026-06-02T08:30:00Z)",
        "",
        "Revised (1)",
        "  ~ #1 user home: lives in Osaka",
        "    → user home: lives in Tokyo (from 2026-06-01 to 2026-09-01; source: chat 7)",
        "",
        "Retracted (1)",
        "  - #2 太郎: お茶が好き (from 2026-05-01; source: session-1)",
    ]


def test_a_superseded_memory_is_told_with_its_successor(mem: Memory, clock: FakeClock) -> None:
    """What took the place of a memory is told as a revision of it."""
    old = mem.remember("A")
    clock.advance(1)
    since = clock.now()
    new = mem.supersede([old], "B")
    assert f"~ #{new} A\n    → B" in mem.diff_text(since)


def test_nothing_is_told_as_nothing(mem: Memory) -> None:
    """A window without changes says so for each kind."""
    assert mem.diff_text(SINCE).count("nothing") == 3


@pytest.mark.parametrize(
    "language, phrases",
    [
        (
            "fr",
            ["Ce qui a changé", "Appris (1)", "Révisé (1)", "Retiré (1)", "user home : lives in", "source : chat 7"],
        ),
        ("ja", ["までの変化", "新しく知ったこと（1）", "改めたこと（1）", "取り消したこと（1）", "太郎：お茶が好き"]),
    ],
)
def test_in_other_languages(changed: Memory, language: str, phrases: list[str]) -> None:
    """The phrases are in the language asked for, the beliefs in their own."""
    told = changed.diff_text(SINCE, language=language)
    assert [phrase for phrase in phrases if phrase not in told] == []


def test_an_unknown_language_is_an_error(mem: Memory) -> None:
    """A language without phrases is refused, and the error names those there are."""
    with pytest.raises(InvalidInputError, match="en, fr, ja"):
        mem.diff_text(SINCE, language="tlh")


def test_it_takes_what_diff_takes(changed: Memory, clock: FakeClock) -> None:
    """Window and subject restrict it as they restrict ``diff``."""
    told = changed.diff_text("2026-04-01", "2026-05-15", subject="ＵＳＥＲ")
    assert "lives in Osaka" in told
    assert "Tokyo" not in told
    assert "お茶" not in told


def test_another_namespace_is_not_told(changed: Memory, opened: Callable[..., Memory]) -> None:
    """A namespace that may not be read is not told of."""
    with pytest.raises(AccessDeniedError):
        opened("other").diff_text(SINCE, namespaces=["default"])
    assert "Osaka" not in opened("other").diff_text("2026-01-01")


async def test_async_twin(changed: Memory) -> None:
    assert await changed.adiff_text(SINCE) == changed.diff_text(SINCE)
