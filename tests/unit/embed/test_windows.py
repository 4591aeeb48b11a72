from __future__ import annotations

import pytest

from omoide.embed.windows import windows


def words(text: str) -> int:
    return len(text.split())


def cut(text: str, **options: int) -> list[str]:
    return windows(text, words, **{"max_tokens": 10, "overlap": 3, "limit": 100} | options)


NUMBERS = " ".join(str(number) for number in range(100))


@pytest.mark.parametrize("text", ["", "   ", "one", "one two three"])
def test_a_short_text_comes_back_as_it_is(text: str) -> None:
    assert cut(text) == [text]


def test_no_window_is_longer_than_asked() -> None:
    assert max(words(window) for window in cut(NUMBERS)) == 10


def test_together_the_windows_hold_the_whole_text() -> None:
    assert {word for window in cut(NUMBERS) for word in window.split()} == set(NUMBERS.split())


def test_every_window_is_a_part_of_the_text() -> None:
    assert all(window in NUMBERS for window in cut(NUMBERS))


def test_neighbours_share_the_overlap() -> None:
    first, second, *_ = cut(NUMBERS)
    assert first.split()[-3:] == second.split()[:3]


def test_what_lies_beyond_the_limit_is_left_out() -> None:
    assert cut(NUMBERS, limit=2) == cut(NUMBERS)[:2]


def test_a_text_that_fills_the_windows_exactly_has_no_empty_one() -> None:
    assert all(window.strip() for window in cut(" ".join("w" * 10)))


def test_a_text_without_blanks_is_cut_too() -> None:
    found = windows("字" * 1000, len, max_tokens=100, overlap=32, limit=50)
    assert max(map(len, found)) <= 100
    assert len(found) > 10


def test_a_text_of_blanks_after_a_word_is_one_window() -> None:
    assert len(cut("word" + " " * 10_000)) == 1
