from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from omoide.text.budget import estimate_tokens


# Counts of the cl100k vocabulary.
@pytest.mark.parametrize(
    "text, tokens",
    [
        ("The user prefers dark mode in the editor and lives in Osaka with two cats.", 16),
    ],
)
def test_is_within_fifteen_percent_of_a_real_tokenizer(text: str, tokens: int) -> None:
    assert abs(estimate_tokens(text) - tokens) <= max(1, 0.15 * tokens)


def test_the_empty_text_costs_nothing_and_any_other_something() -> None:
    assert estimate_tokens("") == 0
    assert estimate_tokens(" ") == 1


@given(st.text(st.characters()), st.text(st.characters()))
def test_a_longer_text_never_costs_less_than_its_half(left: str, right: str) -> None:
    assert estimate_tokens(left + "\n" + right) >= estimate_tokens(left) // 2
