from __future__ import annotations

from collections.abc import Iterator

import pytest

from omoide.text.typos import suggestions

VOCABULARY = [
    "kubernet",
    "receiv",
    "recip",
    "deploy",
    "колбас",
    "москв",
    "タワーズ",
    "タワマン",
    "cat",
    "cart",
    "1.2.3",
    "東京",
]


@pytest.mark.parametrize(
    "term, best",
    [
        ("kubernte", "kubernet"),
        ("reciev", "receiv"),
        ("depoly", "deploy"),
        ("dploy", "deploy"),
        ("колбаз", "колбас"),
        ("мосвк", "москв"),
        ("タワーヅ", "タワーズ"),
        ("xeceiv", "receiv"),
    ],
)
def test_the_word_that_was_meant_is_first(term: str, best: str) -> None:
    assert suggestions(term, VOCABULARY)[0][0] == best


@pytest.mark.parametrize("term", ["", "c", "cta", "1.2.4", "v2beta", "東京", "zzzzzz", "deploy"])
def test_short_words_numbers_and_strangers_have_no_suggestion(term: str) -> None:
    assert suggestions(term, VOCABULARY) == []


def test_nearer_words_come_first_and_the_number_is_bounded() -> None:
    words = ["mountains", "mountain", "fountain", "mountaineer", "mounting"]
    assert suggestions("moutnain", words) == [("mountain", 1), ("mountains", 2)]
    assert suggestions("moutnain", words, limit=1) == [("mountain", 1)]


def test_a_vocabulary_may_be_asked_by_first_letter_and_length() -> None:
    asked: list[tuple[str, int, int]] = []

    def lookup(first: str, shortest: int, longest: int) -> Iterator[str]:
        asked.append((first, shortest, longest))
        return (word for word in VOCABULARY if word.startswith(first) and shortest <= len(word) <= longest)

    assert suggestions("depoly", lookup) == [("deploy", 1)]
    assert asked == [("d", 5, 7)]


def test_other_first_letters_are_tried_only_when_nothing_is_near() -> None:
    assert suggestions("deplox", ["deploy", "reploy"]) == [("deploy", 1)]
