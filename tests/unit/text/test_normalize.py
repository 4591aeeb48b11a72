from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from omoide.errors import InvalidInputError
from omoide.text.normalize import check_text, fold, normalise

# Characters whose normal forms interact: case pairs, composed and combining marks, half-width kana, jamo.
TRICKY = (
    "aeиіуſıİßŉǆΐᾳςかﾊﾟ\u3099\u0301\u0306\u0308\u0345\u20dd\u200d\u200b\ufe0f"
    "각각กำاأ\u0654ةی\u05bc½⁄ﬀ\u0958Å\ufe77\u0640"
)


@pytest.mark.parametrize(
    "left, right",
    [
        ("Straße", "STRASSE"),
        ("café", "cafe\u0301"),
        ("café", "cafe"),
        ("Äpfel", "apfel"),
        ("ＡＢＣ１", "abc1"),
        ("ｶﾅ", "カナ"),
        ("ｶﾞｷﾞ", "ガギ"),
        ("Œuvre", "oeuvre"),
        ("Łódź", "lodz"),
        ("İstanbul", "istanbul"),
        ("Việt Nam", "viet nam"),
        ("ёлка", "елка"),
        ("ΣΊΣΥΦΟΣ", "σίσυφος"),
        ("שָׁלוֹם", "שלום"),
        ("مُحَمَّد", "محمد"),
        ("أحمد", "احمد"),
        ("٣٤", "34"),
        ("👍🏽", "👍"),
        ("don’t", "don't"),
        ("co\u00adoperate", "cooperate"),
        ("한국", "\u1112\u1161\u11ab\u1100\u116e\u11a8"),
    ],
)
def test_fold_brings_spellings_together(left: str, right: str) -> None:
    assert fold(left) == fold(right)


@pytest.mark.parametrize(
    "left, right", [("か", "が"), ("は", "ぱ"), ("ア", "あ"), ("й", "и"), ("ห", "หั"), ("ト", "ド")]
)
def test_fold_keeps_letters_apart(left: str, right: str) -> None:
    assert fold(left) != fold(right)


@pytest.mark.parametrize(
    "left, right", [("a  b\r\nc", " a b c "), ("cafe\u0301", "café"), ("a\u3000b", "a b"), ("a\tb\n", "a b")]
)
def test_normalise_ignores_white_space_and_composition(left: str, right: str) -> None:
    assert normalise(left) == normalise(right)


def test_normalise_keeps_case_and_width() -> None:
    assert len({normalise(text) for text in ("ABC", "abc", "ＡＢＣ")}) == 3


def test_fold_is_idempotent_for_every_single_character() -> None:
    folded = {fold(chr(point)) for point in range(0x80, 0x3_0000)}
    assert [text for text in folded if fold(text) != text] == []


@given(st.one_of(st.text(), st.text(st.sampled_from(TRICKY), max_size=8)))
def test_fold_is_idempotent(text: str) -> None:
    assert fold(fold(text)) == fold(text)


@given(st.text(st.characters()))
def test_normalise_is_idempotent(text: str) -> None:
    assert normalise(normalise(text)) == normalise(text)


@pytest.mark.parametrize("text", ["a", "日本", "a\0b", "\u200b", "👩‍👩‍👧", "x" * 1_000_000])
def test_check_text_returns_any_visible_text_unchanged(text: str) -> None:
    assert check_text(text) is text


@pytest.mark.parametrize(
    "value, words",
    [
        (None, "must be a str, not NoneType"),
        (5, "must be a str, not int"),
        (b"x", "decode bytes"),
        ("", "blank"),
        (" \n\u3000", "blank"),
        ("ok \ud800", r"'\\ud800' at character 3"),
    ],
)
def test_check_text_names_the_argument_and_the_remedy(value: object, words: str) -> None:
    with pytest.raises(InvalidInputError, match=f"^summary .*{words}") as caught:
        check_text(value, "summary")
    assert caught.value.value is value
