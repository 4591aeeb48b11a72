from __future__ import annotations

import pytest

from omoide.text.matter import in_common, words_of


@pytest.mark.parametrize(
    "one, other, low, high",
    [
        ("田中さんは大阪に住んでいる", "田中さんは先月東京に引っ越しました", 0.4, 1),
        ("日本ではコンビニ払いが全体の四割を占める。", "日本の返品率は一パーセント未満である。", 0.01, 0.2),
        ("電話番号は1234です", "電話番号は9999です、会社は同じです", 0.5, 1),
        ("本番のデプロイ先はHerokuです", "デプロイ先を6月1日にFlyへ移しました", 0.5, 1),
        ("我住在北京", "仓库有三万本存书", 0, 0),
        ("ＡＰＩキーの有効期限", "APIキーの期限", 0.9, 1),
    ],
)
def test_words_are_pairs_of_ideographs_or_katakana_and_runs(one: str, other: str, low: float, high: float) -> None:
    words, others = words_of(one), words_of(other)
    share = in_common(words, others)
    assert share is not None
    assert low <= share <= high
    assert share == in_common(others, words)


@pytest.mark.parametrize("other", ["Aiko lives in Osaka", "", "これはまだです", "Il habite à 大阪 depuis un an"])
def test_a_text_with_spaces_or_without_words_says_nothing(other: str) -> None:
    assert in_common(words_of("田中さんは大阪に住んでいる"), words_of(other)) is None
