from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from omoide.text.language import detect


@pytest.mark.parametrize(
    "text, language",
    [
        ("What is the name of my cat?", "en"),
        ("Quel est le nom de mon chat ?", "fr"),
        ("Wie heißt meine Katze und wo ist sie?", "de"),
        ("¿Cómo se llama el gato de mi hermana?", "es"),
        ("Come si chiama il gatto della mia amica?", "it"),
        ("Qual é o nome do gato que você tem?", "pt"),
        ("Hoe heet de kat van mijn zus en waar is hij?", "nl"),
        ("Как зовут мою кошку?", "ru"),
        ("Як звати мою кішку?", "uk"),
        ("猫の名前は何ですか", "ja"),
        ("我的猫叫什么名字", "zh"),
        ("내 고양이 이름이 뭐야", "ko"),
        ("ما اسم قطتي؟", "ar"),
        ("نام گربه من چیست", "fa"),
        ("מה שם החתול שלי", "he"),
        ("แมวของฉันชื่ออะไร", "th"),
        ("Πώς λένε τη γάτα μου;", "el"),
        ("मेरी बिल्ली का नाम क्या है", "hi"),
        ("dark mode", "und"),
        ("🎉", "und"),
        ("12:30", "und"),
        ("", "und"),
        ("東京タワー is great", "ja"),
    ],
)
def test_detects(text: str, language: str) -> None:
    assert detect(text) == language


@given(st.text(st.characters()))
def test_any_text_has_a_code(text: str) -> None:
    assert detect(text).isalpha()
