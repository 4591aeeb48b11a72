from __future__ import annotations

import pytest

from omoide.text.language import detect
from omoide.text.tense import tense_of


@pytest.mark.parametrize(
    "text, tense",
    [
        ("Where do I currently live?", "now"),
        ("How many pages have I read so far?", "now"),
        ("What is my phone number?", "present"),
        ("Where did we meet?", "past"),
        ("What was my previous address?", "earlier"),
        ("What did I drive before I moved?", "earlier"),
        ("Où est-ce que j'habite maintenant ?", "now"),
        ("Quel est mon numéro ?", "present"),
        ("Quelle était la capitale ?", "past"),
        ("Quel était mon ancien numéro ?", "earlier"),
        ("今どこに住んでいますか", "now"),
        ("どこに住んでいますか", "present"),
        ("どこで会いましたか", "past"),
        ("以前はどこに住んでいましたか", "earlier"),
        ("前の電話番号は？", "earlier"),
        ("あなたの名前は？", "present"),
        ("今年の予算はいくらですか", "present"),
        ("我现在住在哪里？", "now"),
        ("我以前住在哪里？", "earlier"),
        ("Wo wohne ich jetzt?", "now"),
        ("¿Dónde vivía antes?", "earlier"),
        ("tea", "unsaid"),
        ("", "unsaid"),
        ("نمبر کیا ہے", "unsaid"),
    ],
)
def test_a_question_says_when(text: str, tense: str) -> None:
    assert tense_of(text, detect(text)) == tense
