"""Plain and numbered words are analysed by a short cut; its terms are those of the rules for everything."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from omoide.text.tokens import analyze, chunk_terms

LETTERS = st.text("abcdefghijklmnopqrstuvwxyz", min_size=1, max_size=40)
WORDS = st.builds(lambda first, rest: first + rest, st.sampled_from("aZéT"), LETTERS) | LETTERS
TAILS = st.sampled_from(["", ".", ",", ";", ":", "!", "?", "..", "'s", "-"]) | st.text("0123456789", max_size=30)


@given(word=WORDS, tail=TAILS)
@example(word="Employees", tail=".")
@example(word="preferees", tail="")
@example(word="Zeitungen", tail=",")
@example(word="v", tail="2")
@example(word="Room", tail="0042")
def test_the_short_cut_gives_what_the_rules_give(word: str, tail: str) -> None:
    """Whatever stands at the end of a word, asked twice, so that remembered terms are seen too."""
    expected = [term for group, _ in chunk_terms(word + tail) for term in group]
    assert analyze(word + tail) == expected
    assert analyze(word + tail) == expected
