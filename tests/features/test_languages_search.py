from __future__ import annotations

import pytest

from omoide import Memory


@pytest.fixture
def noisy(mem: Memory) -> Memory:
    """A store with some notes on other things in several languages."""
    for n in range(20):
        mem.remember(f"filler note number {n} about gardens and weather")
    for text in (
        "猫が好きです",
        "我喜欢喝茶",
        "le jardin est grand",
        "der Garten ist groß",
        "고양이를 좋아한다",
    ):
        mem.remember(text)
    return mem


def first(mem: Memory, query: str) -> str | None:
    """Return the best text for a query."""
    hits = mem.recall(query)
    return hits[0].text if hits else None


@pytest.mark.parametrize(
    "text, query",
    [
        # questions and forms of words
        ("the user prefers dark mode", "what mode does the user prefer"),
        ("the user prefers dark mode", "preference for darkness prefer"),
        ("she was running every morning", "run"),
        ("deploys happen on Friday", "when do we deploy?"),
        ("the studies were published", "study"),
        # Japanese, Chinese, Korean: any run of two characters, single ones too
        ("東京タワーに行きました", "東京"),
        ("東京タワーに行きました", "タワー"),
        ("东京塔用深色模式", "深色模式"),
        ("今天讨论了部署方案，决定用蓝绿发布", "部署方案"),
        ("今天讨论了部署方案，决定用蓝绿发布", "蓝绿"),
        ("今日は成語しりとりをした", "しりとり"),
        ("오늘 끝말잇기 게임을 했다", "끝말잇기"),
        ("鯛を釣った", "鯛"),
        ("毎朝九時にデプロイを実行する", "デプロイはいつ実行しますか"),
        # width and accents
        ("ＡＰＩキーは金庫にある", "APIキー"),
        ("ｶﾀｶﾅのメモ", "カタカナ"),
        ("Straße nach Köln", "strasse"),
        ("Straße nach Köln", "koln"),
        ("le café est fermé", "cafe ferme"),
        ("Äpfel und Birnen", "apfel"),
        ("les développeurs préfèrent le thé", "développeur préfère"),
        ("naïve résumé", "naive resume"),
        # scripts without spaces, from right to left, with points
        ("ฉันชอบกินข้าวผัดที่บ้าน", "ข้าวผัด"),
        ("שלום עולם מירושלים", "עולם"),
        ("مرحبا بالعالم من القاهرة", "القاهرة"),
        ("Москва слезам не верит", "москва"),
        ("Αθήνα το καλοκαίρι", "αθηνα"),
        # identifiers and marks
        ("call parseHttpResponse in net_utils", "parse http response"),
        ("call parseHttpResponse in net_utils", "parseHttpResponse"),
        ("call parseHttpResponse in net_utils", "net_utils"),
        ("call parseHttpResponse in net_utils", "utils"),
        ("C++ build of node.js v20", "C++"),
        ("C++ build of node.js v20", "node.js"),
        ("throughput 3 GB/s on BENCH-100821", "BENCH-100821"),
        ("throughput 3 GB/s on BENCH-100821", "GB/s"),
        ("error E0308 in src/billing/retry.rs:42", "src/billing/retry.rs"),
        ("party 🎉 on Sunday", "🎉"),
        # a typing error in a word that matches nothing
        ("the kubernetes cluster is in Osaka", "kuberntes cluster"),
        ("the kubernetes cluster is in Osaka", "kubernets"),
    ],
)
def test_finds(noisy: Memory, text: str, query: str) -> None:
    """The text that answers is first, in any script, by keywords alone."""
    noisy.remember(text)
    assert first(noisy, query) == text


def test_common_words_alone_do_not_answer(mem: Memory) -> None:
    """Stop words do not make a text an answer to a question about something else."""
    mem.remember("the cat is on the mat")
    mem.remember("deploys happen on Friday")
    assert first(mem, "what is the day of the deploy on the calendar") == "deploys happen on Friday"


def test_a_question_of_stop_words_still_finds_its_text(mem: Memory) -> None:
    """A text made of common words is found by them."""
    mem.remember("to be or not to be")
    mem.remember("filler about gardens")
    assert first(mem, "to be or not to be") == "to be or not to be"


def test_the_rarer_word_weighs_more(mem: Memory) -> None:
    """A rare word of the question decides over a common one."""
    for n in range(20):
        mem.remember(f"service number {n} is up")
    mem.remember("the zeppelin is down")
    assert first(mem, "is the zeppelin service up") == "the zeppelin is down"


def test_half_a_question_is_enough(mem: Memory) -> None:
    """A text that has only some of the words is found."""
    mem.remember("invoices are sent on the first of the month")
    assert first(mem, "on which weekday do customers receive invoices by mail") == (
        "invoices are sent on the first of the month"
    )


def test_nothing_shared_nothing_found(mem: Memory) -> None:
    """By keywords alone, a question without a common term finds nothing."""
    mem.remember("invoices are sent on the first of the month")
    assert mem.recall("zebra quantum") == []
    assert mem.recall("シマウマ") == []


def test_a_phrase_in_order_beats_its_characters_scattered(mem: Memory) -> None:
    """A Japanese phrase as a whole comes before texts that share only some of its characters."""
    mem.remember("京都の東にある塔")
    mem.remember("東京タワーに行きました")
    mem.remember("東の京の都")
    assert first(mem, "東京タワー") == "東京タワーに行きました"
