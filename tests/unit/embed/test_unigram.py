from __future__ import annotations

import json
from array import array
from pathlib import Path

import pytest

from omoide.embed.unigram import UNKNOWN, Unigram, normalize

data = pytest.importorskip("omoide_e5_small")

# Made with sentencepiece and the model's own normaliser table, not with omoide.
EXPECTED: dict[str, list[int]] = json.loads(Path(__file__).with_name("golden.json").read_text(encoding="utf-8"))["ids"]


@pytest.fixture(scope="module")
def tokens() -> Unigram:
    return Unigram.read(data.path())


@pytest.fixture
def small() -> Unigram:
    """Return a vocabulary in which the shortest split of " abc" is not the best one."""
    pieces = ["<s>", "<pad>", "</s>", "<unk>", " ", "a", "b", "c", " ab", "bc", " a"]
    return Unigram(pieces, array("f", [0, 0, 0, 0, -2.0, -3.0, -3.0, -9.0, -2.0, -1.0, -1.5]))


@pytest.mark.parametrize("text", EXPECTED)
def test_ids_are_those_of_sentencepiece(tokens: Unigram, text: str) -> None:
    assert tokens.ids(text, 512) == EXPECTED[text]


def test_the_best_split_is_found_not_the_greedy_one(small: Unigram) -> None:
    assert list(small.words("abc")) == [(10, 9)]


def test_a_run_of_unknown_characters_is_one_token(small: Unigram) -> None:
    assert list(small.words("xyz")) == [(4, UNKNOWN)]


def test_special_tokens_in_a_text_are_plain_characters(small: Unigram) -> None:
    assert {0, 1, 2}.isdisjoint(small.ids("<s> <pad> </s>", 100)[1:-1])


def test_ids_are_cut_to_the_limit_and_keep_their_end(tokens: Unigram) -> None:
    whole = tokens.ids("one two three four five six", 512)
    assert tokens.ids("one two three four five six", 4) == [*whole[:3], 2]


def test_a_megabyte_without_a_blank_is_cut_before_it_is_split(tokens: Unigram) -> None:
    assert len(tokens.ids("漢字" * 500_000, 512)) == 512


def test_the_count_leaves_the_ends_out(tokens: Unigram) -> None:
    assert tokens.count("Hello world!") == len(EXPECTED["Hello world!"]) - 2


@pytest.mark.parametrize("text", ["\ud800 alone", "\x00", "\u200b" * 10, "\u0301" * 50])
def test_any_text_has_ids(tokens: Unigram, text: str) -> None:
    assert tokens.ids(text, 512)[-1] == 2


@pytest.mark.parametrize(
    "text,expected",
    [
        ("ＡＢＣ", "ABC"),
        ("ｶﾞ", "ガ"),
        ("e\u0301", "é"),
        ("ﬁ½", "fi1⁄2"),
        ("a\tb\nc\r\nd", "a b c  d"),
        ("a\x07b\x1fc", "abc"),
        ("zero\u200bwidth", "zero width"),
        ("\ufeffmark", " mark"),
        ("～ and ~", "～ and ~"),
        ("▁", " "),
    ],
)
def test_a_text_is_normalised_as_the_model_was_trained(text: str, expected: str) -> None:
    assert normalize(text) == expected


def test_scores_that_do_not_fit_the_pieces_are_refused(tmp_path: Path) -> None:
    (tmp_path / "pieces.txt").write_text("a\nb", encoding="utf-8")
    (tmp_path / "scores.bin").write_bytes(array("f", [0.0]).tobytes())
    with pytest.raises(ValueError, match="2 pieces and 1 scores"):
        Unigram.read(tmp_path)
