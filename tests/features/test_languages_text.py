"""Words of many languages find each other, whatever their case, width, accents and endings."""

from __future__ import annotations

import pytest

from omoide.text.query import analyze_query
from omoide.text.tokens import analyze

TEXTS = {
    "en": "She was running every morning and prefers dark mode",
    "fr": "Les développeuses préférées habitent près de l'église à Besançon",
    "de": "Die Straße nach Köln führt an alten Häusern und Apfelbäumen vorbei; Zeitungen lesen Katzen nicht",
    "es": "Los libros rojos están en la habitación de la niña pequeña",
    "it": "I libri rossi sono nella città di Forlì",
    "pt": "As informações sobre o coração estão na decisão",
    "ru": "Ёлки стоят в новых домах, кошки едят колбасу",
    "el": "Η γλώσσα των Ελλήνων είναι όμορφη",
    "ja": "2011年に東京タワーへ行き、ｶﾗｵｹで歌った。今日は成語しりとりをした",
    "zh": "今天讨论了部署方案，决定用蓝绿发布，5月上线",
    "ko": "오늘 서울역에서 끝말잇기 게임을 했다",
    "th": "ฉันกำลังไปกรุงเทพพรุ่งนี้",
    "km": "ខ្ញុំស្រលាញ់ភាសាខ្មែរ",
    "my": "မြန်မာစာကို လေ့လာသည်",
    "ar": "ذهبتُ إلى المكتبةِ لقراءةِ الكتابِ الجديدِ",
    "he": "הַסְּפָרִים הגיעו מירושלים",
    "hi": "मुझे हिन्दी की किताबें पसंद हैं",
    "mixed": "Ｐｙｔｈｏｎ入門をgetUserName()で読む 👍🏽 — see src/net_utils.py, v1.2.3",
}


def finds(question: str, text: str) -> bool:
    """Tell whether every term of a question matches some term of a text."""
    index = set(analyze(text))
    terms = analyze_query(question).terms
    return bool(terms) and all(
        any(known.startswith(term.text) for known in index) if term.kind == "prefix" else term.text in index
        for term in terms
    )


@pytest.mark.parametrize(
    "language, question",
    [
        ("en", "run"),
        ("en", "what does she prefer"),
        ("fr", "EGLISE"),
        ("fr", "développeuse préféré"),
        ("fr", "besancon"),
        ("de", "strasse"),
        ("de", "STRASSE nach koln"),
        ("de", "Zeitung"),
        ("de", "Katze"),
        ("de", "apfelbaumen"),
        ("es", "libro rojo"),
        ("es", "habitacion"),
        ("it", "libro"),
        ("it", "citta"),
        ("pt", "informação"),
        ("pt", "coracao"),
        ("ru", "елка"),
        ("ru", "новый дом"),
        ("ru", "КОШКА"),
        ("el", "γλωσσα"),
        ("ja", "東京"),
        ("ja", "タワー"),
        ("ja", "京"),
        ("ja", "2011年"),
        ("ja", "カラオケ"),
        ("ja", "しりとり"),
        ("ja", "歌"),
        ("ja", "た"),
        ("zh", "部署方案"),
        ("zh", "蓝绿"),
        ("zh", "5月"),
        ("zh", "线"),
        ("ko", "끝말잇기"),
        ("ko", "게임"),
        ("ko", "서울"),
        ("ko", "역"),
        ("th", "กรุงเทพ"),
        ("th", "พรุ่งนี้"),
        ("km", "ភាសា"),
        ("my", "မြန်မာ"),
        ("ar", "مكتبة"),
        ("ar", "كتاب"),
        ("ar", "المكتبه"),
        ("he", "ספר"),
        ("he", "ירושלים"),
        ("hi", "किताब"),
        ("mixed", "python"),
        ("mixed", "入門"),
        ("mixed", "get_user_name"),
        ("mixed", "user name"),
        ("mixed", "👍"),
        ("mixed", "net_utils"),
        ("mixed", "src/net_utils.py"),
        ("mixed", "1.2.3"),
        ("mixed", "v1.2.3"),
    ],
)
def test_finds(language: str, question: str) -> None:
    """A question in the same language finds the text by its words alone."""
    assert finds(question, TEXTS[language])


@pytest.mark.parametrize(
    "text, question",
    [
        ("猫が好き", "犬"),
        ("かき", "がき"),
        ("version 1.2.3", "1.2.4"),
        ("東京へ行く", "京都"),
        ("café", "cafeteria"),
        ("C is old", "C++"),
        ("ไก่", "ไข่"),
    ],
)
def test_does_not_find(text: str, question: str) -> None:
    """What only looks alike is not found."""
    assert not finds(question, text)


@pytest.mark.parametrize("language", TEXTS)
def test_each_text_finds_itself(language: str) -> None:
    """A text asked as a question matches with every term."""
    assert finds(TEXTS[language], TEXTS[language])


@pytest.mark.parametrize("language", [name for name in TEXTS if name != "mixed"])
def test_upper_case_finds_the_same(language: str) -> None:
    """Case never decides."""
    assert finds(TEXTS[language].upper(), TEXTS[language])
