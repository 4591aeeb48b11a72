from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from omoide.text.signature import content_terms, signature, similarity


@pytest.mark.parametrize(
    "left, right",
    [
        ("The user prefers dark mode.", "user prefers the dark mode"),
        ("likes cats and dogs", "Likes dogs and cats!"),
        ("Le café est fermé", "le cafe, est ferme"),
        ("東京タワー", "東京タワー。"),
        ("dark  dark mode", "mode dark"),
    ],
)
def test_order_case_accents_and_small_words_do_not_count(left: str, right: str) -> None:
    assert signature(left) == signature(right)


@pytest.mark.parametrize(
    "left, right",
    [
        ("runs on v1", "runs on v2"),
        ("version 1.2.3", "version 1.2.4"),
        ("meets on 2026-05-01", "meets on 2026-05-02"),
        ("likes dark mode", "does not like dark mode"),
        ("mag Hunde", "mag keine Hunde"),
        ("aime les chiens", "n'aime pas les chiens"),
        ("喜欢喝茶", "不喜欢喝茶"),
        ("lives in Osaka", "lives in Tokyo"),
    ],
)
def test_numbers_negations_and_values_count(left: str, right: str) -> None:
    assert signature(left) != signature(right)
    assert similarity(content_terms(left), content_terms(right)) < 0.75


def test_a_signature_has_sixteen_bytes() -> None:
    assert {len(signature(text)) for text in ("", "a", "日本語", "\ud800", "the")} == {16}


def test_a_text_of_small_words_keeps_them() -> None:
    assert signature("to be or not to be") != signature("who are you")


def test_similarity_is_the_share_of_common_terms() -> None:
    assert similarity(["a", "b", "c"], ["b", "c", "d"]) == 0.5


def test_similarity_is_halved_when_numbers_differ() -> None:
    assert similarity({"a", "b", "v1"}, {"a", "b", "v2"}) == 0.25


def test_nothing_is_similar_only_to_nothing() -> None:
    assert (similarity([], []), similarity([], ["a"])) == (1.0, 0.0)


@given(st.frozensets(st.text(max_size=3)), st.frozensets(st.text(max_size=3)))
def test_similarity_is_symmetric_and_one_only_for_equals(left: frozenset[str], right: frozenset[str]) -> None:
    value = similarity(left, right)
    assert value == similarity(right, left)
    assert (value == 1.0) == (left == right)
