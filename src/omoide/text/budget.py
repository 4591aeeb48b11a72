"""How many tokens a text costs in a language model's context, without that model's tokenizer."""

from __future__ import annotations

import math
import re
from functools import cache

from omoide.text.scripts import HAN, HANGUL, KANA

# Least squares against the cl100k byte-pair vocabulary on Wikipedia, chat, code, Markdown and JSON texts. Newer
# vocabularies need fewer tokens outside English, so a budget kept here is kept there.
_WORD = re.compile(r"[A-Z]?[a-z\u00df-\u00f6\u00f8-\u024f]+|[A-Z\u00c0-\u00d6\u00d8-\u00de]+")
_NUMBER = re.compile(r"\d{1,3}")
_PUNCTUATION = re.compile(r"[!-/:-@\[-`{-~]+")
_BREAK = re.compile(r"\s*\n\s*| {2,}")
# Keys, hashes, base64: no vocabulary has words for them.
_OPAQUE = re.compile(r"[A-Za-z0-9+/=]{40,}")
_PER_OPAQUE_CHARACTER = 0.65
_ACCENTED = re.compile("[\u00c0-\u024f]")
_PER_WORD, _PER_LETTER_OVER_7 = 1.05, 0.095
_PER_FOREIGN_WORD, _PER_LETTER_OVER_4 = 1.0, 0.33
_PER_NUMBER, _PER_PUNCTUATION, _PER_NEXT_PUNCTUATION, _PER_BREAK = 1.55, 0.64, 0.24, 0.92
# English has hardly an accent; vocabularies made on English cut the words of other languages shorter.
_ACCENTS_PER_WORD = 1 / 50
_SCRIPTS = (
    (HAN, 1.29),
    (KANA, 1.09),
    (HANGUL, 1.25),
    ("\u0370-\u03ff", 1.0),
    ("\u0400-\u052f", 0.53),
    ("\u0590-\u05ff", 1.15),
    ("\u0600-\u06ff", 0.86),
    ("\u0900-\u0dff", 1.35),
    ("\u0e00-\u109f", 0.96),
    ("\u2000-\u206f\u3000-\u303f\uff00-\uffef\ufe00-\ufe0f", 1.0),
    ("\u2190-\u2bff\U0001f000-\U0001faff", 2.3),
)


def estimate_tokens(text: str) -> int:
    """Return about how many tokens ``text`` has, at least 1 for any but the empty text.

    1.05 a word + 0.095 a letter beyond the seventh (with accents in the text: 1 + 0.33 beyond the fourth),
    1.55 a group of three digits, 0.64 a run of punctuation, 0.92 a line break or indentation, and for other
    scripts a rate per character, 0.65 a character of keys and base64. Within 15 % of cl100k on
    ordinary text of each script.
    """
    return max(1, math.ceil(token_cost(text))) if text else 0


def token_cost(text: str, *, foreign: bool | None = None) -> float:
    """Return the estimate without rounding; ``foreign`` says whether to count as in a language with accents.

    By default the text's own accents decide. The costs of words add up to about the cost of their text.
    """
    opaque = sum(map(len, _OPAQUE.findall(text)))
    total = _PER_OPAQUE_CHARACTER * opaque + _latin(_OPAQUE.sub("", text) if opaque else text, foreign=foreign)
    return total if text.isascii() else total + _other_scripts(text)


def is_foreign(text: str) -> bool:
    """Whether a text has more accents than English has."""
    return not text.isascii() and len(_ACCENTED.findall(text)) > _ACCENTS_PER_WORD * len(_WORD.findall(text))


def _latin(text: str, *, foreign: bool | None) -> float:
    words = _WORD.findall(text)
    foreign = is_foreign(text) if foreign is None else foreign
    free, per_word, per_letter = (
        (4, _PER_FOREIGN_WORD, _PER_LETTER_OVER_4) if foreign else (7, _PER_WORD, _PER_LETTER_OVER_7)
    )
    beyond = sum(len(word) - free for word in words if len(word) > free)
    runs = _PUNCTUATION.findall(text)
    return (
        per_word * len(words)
        + per_letter * beyond
        + _PER_NUMBER * len(_NUMBER.findall(text))
        + _PER_PUNCTUATION * len(runs)
        + _PER_NEXT_PUNCTUATION * (sum(map(len, runs)) - len(runs))
        + _PER_BREAK * len(_BREAK.findall(text))
    )


def _other_scripts(text: str) -> float:
    return sum(tokens * len(characters.findall(text)) for characters, tokens in _counters())


@cache
def _counters() -> list[tuple[re.Pattern[str], float]]:
    return [(re.compile(f"[{characters}]"), tokens) for characters, tokens in _SCRIPTS]
