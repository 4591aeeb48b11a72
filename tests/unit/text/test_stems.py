from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from omoide.text.normalize import fold
from omoide.text.stems import stem


@pytest.mark.parametrize(
    "left, right",
    [
        ("running", "run"),
        ("prefers", "preferred"),
        ("studies", "study"),
        ("maisons", "maison"),
        ("préférées", "préféré"),
        ("Zeitungen", "Zeitung"),
        ("Katzen", "Katze"),
        ("rojos", "roja"),
        ("libri", "libro"),
        ("corações", "coração"),
        ("кошки", "кошка"),
        ("المكتبة", "مكتبة"),
        ("والكتاب", "كتاب"),
        ("ספרים", "ספר"),
        ("किताबें", "किताब"),
    ],
)
def test_inflections_share_a_stem(left: str, right: str) -> None:
    assert stem(fold(left)) == stem(fold(right))


@pytest.mark.parametrize(
    "left, right",
    [("pasta", "past"), ("china", "chin"), ("listen", "list"), ("committee", "commit"), ("party", "part")],
)
def test_other_words_keep_their_own(left: str, right: str) -> None:
    assert stem(left) != stem(right)


@pytest.mark.parametrize("word", ["", "v2", "1.2.3", "x" * 41, "שלום", "ქართული", "東京"])
def test_what_has_no_endings_is_its_own_stem(word: str) -> None:
    assert stem(word) == word


@given(st.text(st.characters(categories=("L", "M")), min_size=1))
def test_a_stem_is_never_empty(word: str) -> None:
    assert stem(word)
