from __future__ import annotations

from pathlib import Path

import pytest

from omoide.embed.wordpiece import LONGEST_WORD, WordPiece, words

PIECES = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "tea", "##pot", "##s", "cafe", ",", "猫", "te", "##a"]
START, END, UNKNOWN = 2, 3, 1


@pytest.fixture
def small() -> WordPiece:
    return WordPiece(PIECES)


def test_a_text_is_between_start_and_end(small: WordPiece) -> None:
    assert small.ids("", 8) == [START, END]
    assert small.ids("tea", 8) == [START, 5, END]


def test_the_longest_piece_wins(small: WordPiece) -> None:
    assert small.ids("teapots", 8) == [START, 5, 6, 7, END]


def test_what_cannot_be_put_together_is_one_unknown_token(small: WordPiece) -> None:
    assert small.ids("teapotx tea", 8) == [START, UNKNOWN, 5, END]


def test_a_very_long_word_is_unknown(small: WordPiece) -> None:
    assert small.ids("tea" + "s" * LONGEST_WORD, 8) == [START, UNKNOWN, END]


def test_case_and_accents_do_not_matter(small: WordPiece) -> None:
    assert small.ids("CAFÉ", 8) == small.ids("cafe", 8)


def test_special_tokens_are_not_found_in_a_text(small: WordPiece) -> None:
    assert END not in small.ids("[SEP]", 9)[1:-1]


def test_the_end_survives_the_cut(small: WordPiece) -> None:
    assert small.ids("tea " * 50, 4) == [START, 5, 5, END]


def test_ends_are_not_counted(small: WordPiece) -> None:
    assert small.count("tea, teapot") == 4


def test_the_vocabulary_is_read_from_a_folder(tmp_path: Path) -> None:
    (tmp_path / "vocab.txt").write_text("\n".join(PIECES) + "\n", encoding="utf-8")
    assert WordPiece.read(tmp_path).ids("tea", 8) == [START, 5, END]


@pytest.mark.parametrize(
    "text,wanted",
    [
        ("Don't stop!", ["don", "'", "t", "stop", "!"]), ("猫と犬", ["猫", "と", "犬"]),
        ("a\tb\u00a0c\u3000d", [*"abcd"]),
        ("x\0y\u200bz\ufffd", ["xyz"]), ("naïve Ångström", ["naive", "angstrom"]),
        ("1,000.5", ["1", ",", "000", ".", "5"]),
        ("“quoted”", ["“", "quoted", "”"]), ("", []), (" \n ", []), ("\ud800x", ["x"]),
    ],
)  # fmt: skip
def test_words_are_those_of_the_model(text: str, wanted: list[str]) -> None:
    assert list(words(text)) == wanted
