"""Which encoding a file is in: marks, declarations, detection."""

from __future__ import annotations

import pytest

from omoide.errors import ExtractError
from omoide.text.extracting.encoding import decode

JAPANESE = "吾輩は猫である。名前はまだ無い。どこで生れたかとんと見当がつかぬ。\n"
CHINESE = "今天天气很好，我们去公园散步。北京的秋天很美丽，大家都喜欢。\n"
FRENCH = "L’été dernier, nous avons déjeuné à Nîmes ; c’était très agréable, même pressé.\n"
RUSSIAN = "Сегодня хорошая погода, мы идём гулять в парк вместе с друзьями.\n"
KOREAN = "오늘은 날씨가 좋아서 친구들과 함께 공원에 산책을 갔습니다.\n"
GERMAN = "Größe und Übermut können für Mäuse gefährlich sein, sagt Jörg.\n"


@pytest.mark.parametrize("mark", ["utf-8-sig", "utf-16", "utf-32"])
def test_a_byte_order_mark_is_believed_and_left_out(mark: str) -> None:
    found = decode(JAPANESE.encode(mark))
    assert (found.text, found.encoding) == (JAPANESE, mark.removesuffix("-sig"))


@pytest.mark.parametrize("name", ["utf-16-le", "utf-16-be"])
def test_wide_text_without_a_mark_is_recognised(name: str) -> None:
    assert decode("Plain words.\r\n".encode(name)).text == "Plain words.\r\n"


@pytest.mark.parametrize(
    "text, encoding",
    [
        (JAPANESE, "shift_jis"),
        (JAPANESE, "euc_jp"),
        (JAPANESE, "iso2022_jp"),
        (CHINESE, "gb18030"),
        (CHINESE, "gbk"),
        (FRENCH, "cp1252"),
        (FRENCH.replace("’", "'"), "latin-1"),
        (GERMAN, "latin-1"),
        (RUSSIAN, "cp1251"),
        (KOREAN, "cp949"),
    ],
)
@pytest.mark.parametrize("times", [1, 40])
def test_old_encodings_are_detected(text: str, encoding: str, times: int) -> None:
    assert decode((text * times).encode(encoding)).text == text * times


def test_what_a_text_says_of_itself_is_believed() -> None:
    assert decode('<meta charset="shift_jis"><p>日本'.encode("shift_jis")).text.endswith("日本")
    assert decode("# -*- coding: latin-1 -*-\nx = 'é'\n".encode("latin-1")).text.endswith("'é'\n")


def test_a_wrong_declaration_is_not_believed_against_valid_utf8() -> None:
    assert decode('<meta charset="latin-1">é'.encode()).text.endswith("é")


def test_a_named_encoding_replaces_wrong_bytes_and_says_so() -> None:
    found = decode(b"caf\xe9", "utf-8")
    assert found.text == "caf\ufffd"
    assert "replaced" in found.notes[0]


def test_an_unknown_encoding_is_an_error() -> None:
    with pytest.raises(ExtractError) as caught:
        decode(b"x", "klingon")
    assert caught.value.reason == "encoding"


@pytest.mark.parametrize("data", [b"\x00\x01\x02\x03" * 20, bytes(range(32)) * 10])
def test_binary_data_is_no_text(data: bytes) -> None:
    with pytest.raises(ExtractError) as caught:
        decode(data)
    assert caught.value.reason == "binary"


def test_line_ends_are_left_as_they_are() -> None:
    assert decode(b"a\r\nb\rc\n").text == "a\r\nb\rc\n"


def test_a_guess_is_noted() -> None:
    assert decode(FRENCH.encode("cp1252")).notes == ("encoding guessed: cp1252",)
