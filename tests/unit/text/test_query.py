from __future__ import annotations

from collections.abc import Callable

import pytest

from omoide.text.query import MAX_TERMS, analyze_query

Ranker = Callable[[str, list[str]], list[str]]


def texts(question: str) -> list[str]:
    """Return the terms of a question without their weights."""
    return [term.text for term in analyze_query(question).terms]


@pytest.mark.parametrize("question", ["", " ", "\n\u3000", "!?", "( * |", "\0", "\ud800"])
def test_a_question_without_words_has_no_terms(question: str) -> None:
    assert texts(question) == []


@pytest.mark.parametrize(
    "question, kept",
    [
        ("what mode does the user prefer?", ["mode", "user", "prefer"]),
        ("quelle est la ville préférée de Paul ?", ["vill", "prefer", "paul"]),
        ("Wo wohnt die Katze?", ["wohnt", "katz"]),
        ("¿dónde vive el gato?", ["vive", "gata"]),
        ("где живёт кошка?", ["живет", "кошк"]),
        ("when did he die?", ["die"]),
        ("NOT x", ["x"]),
    ],
)
def test_closed_class_words_of_the_language_are_dropped(question: str, kept: list[str]) -> None:
    assert texts(question) == kept


@pytest.mark.parametrize("question", ["the who", "to be or not to be", "AND", "who are you", "is it"])
def test_closed_class_words_stay_when_nothing_else_is_left(question: str) -> None:
    assert texts(question) == list(dict.fromkeys(question.lower().split()))


def test_stop_words_can_be_asked_for() -> None:
    assert [term.text for term in analyze_query("the cat", stop_words=True).terms] == ["the", "cat"]


def test_terms_are_unique_and_in_order() -> None:
    assert texts("zebra apple zebra mango") == ["zebra", "appl", "manga"]


def test_a_whole_identifier_counts_more_than_its_parts() -> None:
    weights = {term.text: (term.kind, term.weight) for term in analyze_query("get_user_name").terms}
    assert weights["getusernam"] == ("identifier", 1.0)
    assert weights["user"] == ("word", 0.6)


def test_words_of_asking_count_half() -> None:
    weights = {term.text: term.weight for term in analyze_query("can you recommend a hotel").terms}
    assert weights == {"recommend": 0.5, "hotel": 1.0}


@pytest.mark.parametrize("question, kind", [("京", "prefix"), ("猫 写真", "prefix"), ("강", "prefix")])
def test_a_single_character_in_a_short_question_is_a_prefix(question: str, kind: str) -> None:
    assert analyze_query(question).terms[0].kind == kind


def test_pairs_are_bigrams() -> None:
    assert [(term.text, term.kind) for term in analyze_query("東京").terms] == [("東京", "bigram")]


def test_a_long_question_keeps_a_bounded_number_of_terms() -> None:
    query = analyze_query(" ".join(f"word{n}" for n in range(100_000)))
    assert len(query.terms) == MAX_TERMS
    assert query.truncated


def test_a_long_question_keeps_what_it_repeats_and_its_end() -> None:
    filler = " ".join(f"filler{chr(97 + n % 26)}{chr(97 + n // 26)}" for n in range(300))
    kept = texts(f"harbour {filler} harbour {filler} lighthouse keeper")
    assert "harbour" in kept


def test_the_end_of_a_long_question_is_kept() -> None:
    filler = " ".join(f"x{chr(97 + n % 26)}{chr(97 + n // 26)}" for n in range(300))
    assert {"lighthous", "keeper"} <= set(texts(f"{filler} lighthouse keeper"))


def test_a_short_question_is_not_truncated() -> None:
    assert not analyze_query("where is the cat").truncated


def test_five_thousand_characters_of_one_word_are_one_term() -> None:
    assert texts("a " * 2500) == ["a"]


@pytest.mark.parametrize(
    "question, best",
    [
        ("BENCH-100821", "throughput 3 GB/s on BENCH-100821"),
        ("GB/s", "throughput 3 GB/s on BENCH-100821"),
        ("Breeder's", "Breeder's fee is due"),
        ("C++", "C++ build of node.js v20"),
        ("node.js", "C++ build of node.js v20"),
        ("a:b", "user@example.com asked for a:b"),
        ("user@example.com", "user@example.com asked for a:b"),
        ('"unbalanced fee', "Breeder's fee is due"),
        ("100% throughput", "throughput 3 GB/s on BENCH-100821"),
    ],
)
def test_query_syntax_of_other_engines_is_plain_text(rank: Ranker, question: str, best: str) -> None:
    rows = [
        "throughput 3 GB/s on BENCH-100821",
        "Breeder's fee is due",
        "C++ build of node.js v20",
        "user@example.com asked for a:b",
        "C is older than Java",
    ]
    assert rank(question, rows)[0] == best


@pytest.mark.parametrize("version", ["1.2.3", "1.2.4", "v1.2.3"])
def test_the_exact_version_is_first(rank: Ranker, version: str) -> None:
    rows = [f"release notes of version {n}" for n in ("1.2.3", "1.2.4", "v1.2.3", "2.0.0")]
    assert rank(f"version {version}", rows)[0] == f"release notes of version {version}"
