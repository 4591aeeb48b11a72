"""Text made comparable: the same-text form, the search form, and the check every door runs on its arguments."""

from __future__ import annotations

import re
import unicodedata

from omoide.errors import InvalidInputError

# Marks that carry no distinction a searcher types: Latin, Greek and Cyrillic accents, Hebrew points, Arabic
# harakat. Kana voicing marks, Thai vowels and Indic signs are letters of their scripts and stay.
_MARKS = (
    "\u0300-\u0305\u0307\u0309-\u034e\u0350-\u036f\u0483-\u0487\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7"
    "\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed\u1ab0-\u1abd\u1abf-\u1ace"
    "\u1dc0-\u1dff\u20d0-\u20dc\u20e1\u20e5-\u20f0\ufe20-\ufe2f"
)
# Joiners, direction marks, variation selectors, enclosing marks, tags, skin tones and the Arabic stretch.
_INVISIBLE = re.compile(
    "[\u00ad\u034f\u0488\u0489\u0640\u180b-\u180f\u1abe\u200c-\u200f\u202a-\u202e\u2060-\u206f\u20dd-\u20e0\u20e2-\u20e4"
    "\ufe00-\ufe0f\ufeff\U0001f3fb-\U0001f3ff\U000e0000-\U000e0fff]+"
)
_STRIP = re.compile(f"[{_MARKS}]+")
# й, ў and ї are letters of their own; ё is written е by most people.
_STRIP_UNLESS_LETTER = re.compile("(?<![иу])\u0306|(?<!і)\u0308")
# Stretches of alphabets with accents: decomposing kana and Hangul with them would cost more than all the rest.
_ALPHABETIC = re.compile("[\u0000-\u10ff\u1200-\u2e7f\ua4d0-\ua95f\uab30-\uabff\ufb00-\ufe2f]+")
_DIGIT_ZEROS = "٠۰߀०০੦૦୦௦౦೦൦෦๐໐༠၀႐០᠐᥆᧐᪀᪐᭐᮰᱀᱐꘠꣐꤀꧐꧰꩐꯰"
_LETTERS = {
    "æ": "ae", "ǽ": "ae", "œ": "oe", "ø": "o", "ł": "l", "đ": "d", "ð": "d", "ħ": "h", "ŧ": "t", "ı": "i", "ĸ": "k",
    "ŋ": "n", "þ": "th", "ƒ": "f", "ى": "ي", "ی": "ي", "ک": "ك", "ة": "ه", "ٱ": "ا", "ہ": "ه", "ھ": "ه",
    "‐": "-", "‑": "-", "‒": "-", "–": "-", "—": "-", "―": "-", "−": "-", "‘": "'", "’": "'", "‛": "'", "ʼ": "'",
    "ʻ": "'", "′": "'", "`": "'", "´": "'", "⁄": "/", "\u200b": " ",
}  # fmt: skip
_TABLE = str.maketrans(_LETTERS | {chr(ord(zero) + value): str(value) for zero in _DIGIT_ZEROS for value in range(10)})
_SURROGATE = re.compile("[\ud800-\udfff]")


def normalise(text: str) -> str:
    """Return the same-text form: NFC, every run of white space one blank, trimmed. Case is kept."""
    return " ".join(unicodedata.normalize("NFC", text).split())


def fold(text: str) -> str:
    """Return the search form: compatibility forms, case, width, accents and invisible characters folded.

    ß becomes ss, half-width kana full width, every script's digits ASCII. Hiragana, katakana and their voicing
    marks stay distinct. Idempotent; a lone surrogate passes through.
    """
    if text.isascii():
        return text.lower()
    # The second normalisation covers what only casefold reveals; see Unicode 3.13, toNFKC_Casefold.
    folded = compatible(text).casefold()
    folded = unicodedata.normalize("NFKC", folded)
    return unicodedata.normalize("NFKC", _ALPHABETIC.sub(_fold_alphabetic, folded))


def compatible(text: str) -> str:
    """Return the NFKC form without invisible characters; case and accents are kept."""
    normal = unicodedata.normalize("NFKC", text)
    visible = _INVISIBLE.sub("", normal)
    return normal if visible == normal else unicodedata.normalize("NFKC", visible)


def _fold_alphabetic(stretch: re.Match[str]) -> str:
    text = stretch.group()
    if text.isascii():
        return text
    bare = _STRIP.sub("", unicodedata.normalize("NFD", text))
    if "\u0306" in bare or "\u0308" in bare:
        bare = _STRIP_UNLESS_LETTER.sub("", bare)
    return bare.translate(_TABLE)


def check_text(text: object, name: str = "text") -> str:
    """Return ``text`` unchanged.

    Raises InvalidInputError naming the argument for anything but a str, for a blank text and for a lone surrogate.
    """
    if not isinstance(text, str):
        raise InvalidInputError(f"{name} must be a str, not {type(text).__name__}; decode bytes first", value=text)
    if not text or text.isspace():
        raise InvalidInputError(f"{name} is blank; give at least one visible character", value=text)
    if not text.isascii() and (found := _SURROGATE.search(text)):
        raise InvalidInputError(
            f"{name} holds a lone surrogate {found.group()!a} at character {found.start()}, which UTF-8 cannot store; "
            "decode the source with errors='replace' or drop it",
            value=text,
        )
    return text
