"""Laws of cutting: nothing lost, offsets right, sizes kept, no character broken, for every splitter and script."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from omoide.text.budget import estimate_tokens
from omoide.text.chunkers import cut, json, markdown, python, rst, split_text
from omoide.text.chunking.graphemes import MAX_CLUSTER, is_boundary
from omoide.text.chunking.kinds import SPLITTERS
from omoide.text.chunking.languages import LANGUAGES

NAMES = sorted({*SPLITTERS, *LANGUAGES, "auto"})

_FRAGMENTS = [
    "# Heading\n", "## Sub\n", "Title\n=====\n", "```\n", "~~~py\n", "---\n", "- item\n", "| a | b |\n", "\n\n",
    "\n", "\r\n", "\r", "def f(x):\n", "    return 1\n", "class C:\n", "  def m(self): pass\n", '"""', "'", '"',
    "@dec\n", "# comment\n", "{", "}", "[", "]", ":", ",", '"key": ', "null", "key: value\n", "  - x: 1\n",
    "[table]\n", "a = 1\n", "<h1>T</h1>", "<p>", "<!--", "-->", "<script>", "function f() { return 1; }\n",
    "fn f() {}\n", "func F() {}\n", "struct S { int a; };\n",
    "日本語の文。", "もう一つ！", "你好，世界。", "한국어 문장. ",
    "مرحبا، بالعالم؟ ", "สวัสดีชาวโลก", "Été à Paris. ", "word ", "Sentence one. ", "e\u0301",
    "👨\u200d👩\u200d👧", "🇯🇵", "👍🏽", "\U00010400", "\ud83d\ude00",
    "\x00", "\u2028", "\u3000", "\t", "   ",
    "नमस्ते ", "각",
]  # fmt: skip

texts = st.lists(st.sampled_from(_FRAGMENTS) | st.text(max_size=12), max_size=60).map("".join)
sizes = st.integers(min_value=1, max_value=120)


def longest_cluster(text: str) -> int:
    """Return the length of the longest stretch that must not be cut."""
    longest = start = 0
    for place in range(1, len(text) + 1):
        if is_boundary(text, place):
            longest, start = max(longest, place - start), place
    return longest


@given(texts, st.sampled_from(NAMES), sizes)
@settings(max_examples=400, deadline=None)
def test_pieces_without_overlap_give_the_text_back(text: str, name: str, size: int) -> None:
    pieces = cut(text, name, size=size, overlap=0)
    assert "".join(piece.text for piece in pieces) == (text if text.strip() else "")


@given(texts, st.sampled_from(NAMES), sizes, st.data())
@settings(max_examples=300, deadline=None)
def test_offsets_lines_and_sizes_are_right(text: str, name: str, size: int, data: st.DataObject) -> None:
    overlap = data.draw(st.integers(min_value=0, max_value=size - 1))
    most = max(size, min(longest_cluster(text), MAX_CLUSTER))
    end = 0
    for piece in cut(text, name, size=size, overlap=overlap):
        assert piece.text == text[piece.start : piece.end]
        assert 0 < len(piece.text) <= most
        assert piece.start <= end < piece.end
        assert end - piece.start <= overlap
        end = piece.end
        sign = "\n" if "\n" in text else "\r"
        assert piece.line_from == text.count(sign, 0, piece.start) + 1
        assert piece.line_to == text.count(sign, 0, piece.end - 1) + 1
    assert end == (len(text) if text.strip() else 0)


@given(texts, st.sampled_from(NAMES), sizes)
@settings(max_examples=200, deadline=None)
def test_no_character_is_broken(text: str, name: str, size: int) -> None:
    for piece in cut(text, name, size=size, overlap=size // 3):
        assert is_boundary(text, piece.start) or longest_cluster(text) > MAX_CLUSTER
        assert is_boundary(text, piece.end) or longest_cluster(text) > MAX_CLUSTER


@given(texts, st.sampled_from(NAMES), st.integers(min_value=8, max_value=60))
@settings(max_examples=200, deadline=None)
def test_sizes_in_tokens_are_about_kept(text: str, name: str, size: int) -> None:
    pieces = cut(text, name, size=size, overlap=size // 4, measure="tokens")
    assert all(estimate_tokens(piece.text) <= size * 1.2 + 4 + 3 * longest_cluster(piece.text) for piece in pieces)
    whole = cut(text, name, size=size, overlap=0, measure="tokens")
    assert "".join(piece.text for piece in whole) == (text if text.strip() else "")


@given(texts)
@settings(max_examples=100, deadline=None)
def test_plain_functions_keep_every_word_and_the_size(text: str) -> None:
    for split in (split_text, markdown, python, json, rst):
        chunks = split(text, 60, 0)
        assert all(len(chunk) <= max(60, MAX_CLUSTER) for chunk in chunks)
        joined = "".join(chunks)
        assert all(word in joined for word in text.split() if len(word) < 8 and word.isalnum() and word.isascii())


def test_marks_without_end_are_cut_all_the_same() -> None:
    text = "e" + "\u0301" * 10_000
    pieces = cut(text, "text", size=100, overlap=0)
    assert max(len(piece.text) for piece in pieces) <= 100
    assert "".join(piece.text for piece in pieces) == text


@pytest.mark.parametrize("text", ["👨\u200d👩\u200d👧" * 9, "🇯🇵🇫🇷" * 9, "é̂" * 30, "각" * 9, "👍🏽" * 9, "ก็" * 20])
def test_a_hard_cut_falls_between_characters(text: str) -> None:
    for size in (7, 8, 9, 10, 11):
        for piece in cut(text, "text", size=size, overlap=3):
            assert unicodedata.category(piece.text[0]) not in {"Mn", "Me", "Mc", "Cf"}
            assert piece.text[0] not in "\u200d🏽"
            assert not piece.text.endswith("\u200d")
            assert sum("\U0001f1e6" <= character <= "\U0001f1ff" for character in piece.text) % 2 == 0
