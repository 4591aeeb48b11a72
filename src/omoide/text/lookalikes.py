"""Texts that look the same: one form for all spellings of a value that a reader could not tell apart."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

from omoide.text.normalize import fold, normalise

# Lower-case letters, since the table is applied to folded text. A letter also stands here when only its
# capital looks Latin (в for B), so that the form does not depend on case.
_LATIN: Final = {
    # Cyrillic
    "а": "a", "в": "b", "е": "e", "к": "k", "м": "m", "н": "h", "о": "o", "р": "p", "с": "c", "т": "t", "у": "y",
    "х": "x", "і": "i", "ї": "i", "ј": "j", "ѕ": "s", "һ": "h", "ԁ": "d", "ԛ": "q", "ԝ": "w", "ӏ": "l",
    "ѵ": "v", "ү": "y", "ұ": "y", "ґ": "r", "г": "r", "п": "n", "и": "u", "ԍ": "g", "ԃ": "d", "ҽ": "e", "ө": "o",
    # Greek
    "α": "a", "β": "b", "ε": "e", "ζ": "z", "η": "n", "ι": "i", "κ": "k", "μ": "m", "ν": "v", "ο": "o", "ρ": "p",
    "τ": "t", "υ": "y", "χ": "x", "ω": "w", "ϲ": "c", "ϳ": "j", "ϱ": "p", "ϸ": "p",
    # Armenian
    "ա": "w", "բ": "f", "գ": "q", "զ": "q", "հ": "h", "ո": "n", "ս": "u", "օ": "o", "ց": "g", "ք": "p", "ւ": "i",
    "յ": "j", "խ": "u", "ռ": "n",
    # Latin letters of other alphabets, small capitals, phonetic signs
    "ɑ": "a", "ʙ": "b", "ƅ": "b", "ᴄ": "c", "ɖ": "d", "ᴅ": "d", "ɛ": "e", "ᴇ": "e", "ɡ": "g", "ɢ": "g", "ʜ": "h",
    "ɩ": "i", "ɪ": "i", "ȷ": "j", "ᴊ": "j", "ᴋ": "k", "ʟ": "l", "ᴍ": "m", "ɴ": "n", "ɲ": "n", "ᴏ": "o", "ɔ": "o",
    "ᴘ": "p", "ʀ": "r", "ꜱ": "s", "ʂ": "s", "ᴛ": "t", "ᴜ": "u", "ʋ": "v", "ᴠ": "v", "ᴡ": "w", "ʏ": "y", "ɣ": "y",
    "ᴢ": "z", "ʐ": "z", "ⅼ": "l", "ǀ": "l", "∣": "l", "|": "l", "ן": "l", "ו": "l", "ס": "o",
    # Cherokee, lower case
    "ꭰ": "d", "ꭱ": "r", "ꭲ": "t", "ꭵ": "i", "ꭺ": "a", "ꭻ": "j", "ꭼ": "e", "ꮃ": "w", "ꮇ": "m", "ꮋ": "h", "ꮐ": "g",
    "ꮓ": "z", "ꮖ": "i", "ꮤ": "w", "ꮩ": "v", "ꮪ": "s", "ꮮ": "l", "ꮯ": "c", "ꮲ": "p", "ꮶ": "k", "ᏼ": "b",
}  # fmt: skip
_CJK: Final = {
    "ー": "一", "―": "一", "ニ": "二", "ミ": "三", "ロ": "口", "囗": "口", "カ": "力", "タ": "夕", "ト": "卜",
    "ハ": "八", "エ": "工", "チ": "千", "オ": "才", "ヌ": "又", "ヒ": "匕", "メ": "〆", "へ": "ヘ", "べ": "ベ",
    "ぺ": "ペ", "り": "リ", "曰": "日", "己": "已", "巳": "已", "未": "末", "土": "士",
}  # fmt: skip
_MARKS: Final = {
    "“": '"', "”": '"', "„": '"', "‟": '"', "«": '"', "»": '"', "‹": "'", "›": "'", "〜": "~", "∼": "~",
    "○": "〇", "◯": "〇",
}  # fmt: skip
_TABLE: Final = str.maketrans({letter.casefold(): alike for letter, alike in (_LATIN | _CJK | _MARKS).items()})

_ZERO_WIDTH: Final = re.compile("[\u200b\u2800\u3164\uffa0\u115f\u1160]+")
# Between a Han or kana sign and anything else a blank is a matter of taste.
_KANA_HAN: Final = "\u3041-\u30ff\u31f0-\u31ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_CJK_BLANK: Final = re.compile(f"(?<=[{_KANA_HAN}、。]) | (?=[{_KANA_HAN}、。])")
_KANA_DASH: Final = re.compile("(?<=[\u30a1-\u30ff\u31f0-\u31ff])-")
_CONTROL: Final = re.compile("[\x00-\x08\x0e-\x1f\x7f]+")
_STOP: Final = " .。．｡!！…"
_TOUCHING: Final = re.compile(r"\d(?:(?<=[^\W\d_]\d)|(?=[^\W\d_]))")
_WITH_DIGIT: Final = re.compile(r"(?<![^\W_])[^\W\d_]*\d[^\W_]*")
_CAPITAL_I: Final = re.compile(r"(?<=[a-zà-ɏ])I")
_LIKE_NUMBER: Final = re.compile(r"[\dol]+")
_TO_DIGITS: Final = str.maketrans("ol", "01")
_TO_LETTERS: Final = str.maketrans("01", "ol")


def skeleton(text: str) -> str:
    """Return the form that a text shares with every spelling that reads the same.

    ``fold`` (compatibility forms, case, width, accents, invisible characters), then letters that look like others,
    0 and o, 1 and l inside a word or a number, blanks beside Han and kana, full stops at the end. For
    comparison only.
    """
    if not text.isprintable():
        text = _CONTROL.sub("", text)
    if not text.isascii():
        text = unicodedata.normalize("NFC", _ZERO_WIDTH.sub("", text))
    if "I" in text:
        text = _CAPITAL_I.sub("l", text)
    folded = fold(normalise(text))
    if not folded.isascii():
        folded = _KANA_DASH.sub("ー", _CJK_BLANK.sub("", normalise(folded))).translate(_TABLE)
    elif "|" in folded:
        folded = folded.replace("|", "l")
    if _TOUCHING.search(folded):
        folded = _WITH_DIGIT.sub(_one_alphabet, folded)
    return folded.rstrip(_STOP) or folded


def _one_alphabet(word: re.Match[str]) -> str:
    """A word of digits and their look-alikes is a number, any other with a digit a word."""
    found = word.group()
    if found.isdigit():
        return found
    return found.translate(_TO_DIGITS if _LIKE_NUMBER.fullmatch(found) else _TO_LETTERS)


def name_key(name: str) -> str:
    """Return the form under which a subject is found: compatibility forms, case, width and blanks made equal."""
    if name.isascii():
        return normalise(name).lower()
    return normalise(fold(_ZERO_WIDTH.sub("", name)))
