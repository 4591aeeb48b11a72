from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from omoide.text.query import QueryTerm, analyze_query
from omoide.text.tokens import ANALYZER_VERSION, analyze, chunk_terms, content_length

CHINESE = st.text(st.characters(min_codepoint=0x4E00, max_codepoint=0x9FFF), min_size=2, max_size=12)
WORDS = st.text(st.characters(categories=("L", "N", "M", "P", "S")), min_size=1, max_size=20)


@pytest.mark.parametrize(
    "run, terms",
    [
        ("running", ["run"]),
        ("getUserName", ["getusernam", "get", "user", "name"]),
        ("get_user_name", ["getusernam", "get", "user", "name"]),
        ("JSONParser", ["jsonpars", "json", "parser"]),
        ("BENCH-100821", ["bench100821", "bench", "100821"]),
        ("GB/s", ["gb/s", "gb", "s"]),
        ("a:b", ["a:b", "a", "b"]),
        ("C++", ["c++", "c"]),
        ("C#", ["c#", "c"]),
        ("node.js", ["nodej", "node", "js"]),
        ("1.2.3", ["1.2.3"]),
        ("v1.2.3", ["v1.2.3", "v", "1.2.3"]),
        ("2026-05-01", ["2026-05-01", "2026", "05", "01"]),
        ("user@example.com", ["user@example.com", "user", "examplecom", "exampl", "com"]),
        ("10.5555/zz-4417", ["10.5555/zz-4417", "10.5555", "10", "5555", "zz4417", "zz", "4417"]),
        ("src/net_utils.py", ["src/net_utils.py", "src", "netutilspi", "netutil", "net", "util", "py"]),
        ("a1b2c3d4e5f6", ["a1b2c3d4e5f6"]),
        ("Breeder's", ["breeder"]),
        ("l’été", ["ete"]),
        ("O'Brien", ["obrien"]),
        ("$1,250", ["1", "250", "1250"]),
        ("__init__", ["init"]),
        ("東京タワー", ["東京", "京タ", "タワ", "ワー", "ー"]),
        ("鯛", ["鯛"]),
        ("5月", ["5", "5月", "月"]),
        ("게임을", ["게임", "임을", "을", "게임을"]),
        ("กรุงเทพ", ["กรุ", "รุง", "งเท", "เทพ", "พ"]),
        ("🎉🎉", ["🎉"]),
        ("🇯🇵", ["🇯🇵"]),
        ("a\0b", ["a", "b"]),
        ("!?*", []),
    ],
)
def test_terms_of(run: str, terms: list[str]) -> None:
    assert analyze(run) == terms


def test_duplicates_are_kept() -> None:
    assert analyze("dark Dark DARK") == ["dark"] * 3


@pytest.mark.parametrize("text", ["", " ", "\0", "...", "\u200b", "\ud800", "_", "'", "\u0301"])
def test_nothing_searchable_gives_no_empty_terms(text: str) -> None:
    assert "" not in analyze(text)


def test_the_same_text_gives_the_same_terms_with_a_warm_cache() -> None:
    text = "The user's getUserName 東京 3pm"
    assert analyze(text) == analyze(text)


def test_content_length_leaves_stop_words_out() -> None:
    assert content_length(analyze("the cat is on the mat")) == 2


def test_the_version_is_a_whole_number() -> None:
    assert ANALYZER_VERSION >= 1


@pytest.mark.parametrize(
    "text",
    [
        "a" * 1_000_000,
        "a++" * 100_000,
        "a." * 100_000,
        "_" * 1_000_000,
        "日a" * 50_000,
        "é_" * 50_000,
        "\u0e40" * 99_999,
    ],
    ids=lambda text: text[:4],
)
def test_long_texts_without_blanks_are_legal(text: str) -> None:
    assert all(0 < len(term) <= 128 for term in analyze(text))


@given(st.text(st.characters()))
def test_any_text_is_legal(text: str) -> None:
    assert "" not in analyze(text)
    analyze_query(text)


def _found(term: QueryTerm, index: set[str]) -> bool:
    if term.kind == "prefix":
        return any(known.startswith(term.text) for known in index)
    return term.text in index


@given(st.lists(WORDS, min_size=1, max_size=6))
def test_every_word_of_a_text_is_found_by_its_own_query(words: list[str]) -> None:
    index = set(analyze(" ".join(words)))
    for word in words:
        assert all(_found(term, index) for term in analyze_query(word).terms)


@given(CHINESE, st.data())
def test_every_stretch_of_characters_is_found(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    query = analyze_query(text[start:end])
    assert query.terms
    assert all(_found(term, set(analyze(text))) for term in query.terms)


def test_threads_give_the_same_terms() -> None:
    texts = [f"running{n % 7} studies of колбасы und Zeitungen number {n}" for n in range(200)]
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(analyze, texts)) == list(map(analyze, texts))


@given(st.from_regex(r"[A-Za-z][a-z]{0,31}", fullmatch=True))
def test_a_plain_word_takes_a_short_cut_to_the_same_terms(word: str) -> None:
    assert analyze(word) == [term for group, _ in chunk_terms(word) for term in group]
