from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from omoide.text.budget import estimate_tokens

CL100K = [
    ("The user prefers dark mode in the editor and lives in Osaka with two cats.", 16),
    ("Les dépenses des ménages représentent plus de la moitié de ces montants, contre un dixième.", 26),
    ("Die Verteidigung der Panthers erlaubte nur 308 Punkte und führte die Liga mit 24 Interceptions an.", 29),
    ("La defensa de los Panthers cedió solo 308 puntos y se clasificó sexta en la liga.", 25),
    ("Москва является столицей России и крупнейшим по численности населения городом страны.", 41),
    ("今日は友達と一緒に東京タワーに行って、夕食に寿司を食べました。", 38),
    ("今天讨论了部署方案，决定用蓝绿发布，五月上线。", 28),
    ("오늘은 날씨가 매우 좋아서 친구와 함께 공원에 갔습니다.", 33),
    ("def parse(path: str) -> dict[str, int]:\n    with open(path) as file:\n        return json.load(file)\n", 26),
    ('{"id": 17, "name": "user_17", "tags": ["a", "b"], "at": "2026-01-02T03:04:05Z"}', 41),
    ("# Release notes\n\n- Fixed the login bug\n- Added `--dry-run` to the **deploy** command\n", 24),
    ("🎉 🎂 😀 🚀 ☕ ✅", 14),
]


@pytest.mark.parametrize("text, tokens", CL100K)
def test_is_within_fifteen_percent_of_the_cl100k_tokenizer(text: str, tokens: int) -> None:
    assert estimate_tokens(text) == pytest.approx(tokens, rel=0.15)


def test_the_empty_text_costs_nothing_and_any_other_something() -> None:
    assert (estimate_tokens(""), estimate_tokens(" "), estimate_tokens("\0")) == (0, 1, 1)


def test_keys_cost_more_than_words_of_their_length() -> None:
    assert estimate_tokens("0123456789abcdef" * 4) > 2 * estimate_tokens("internationally " * 4)


@given(st.text(st.characters()), st.text(st.characters()))
def test_a_text_never_costs_less_than_a_line_of_it_less_its_accents(left: str, right: str) -> None:
    assert 2 * estimate_tokens(left + "\n" + right) >= estimate_tokens(left)
