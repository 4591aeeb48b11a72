"""Whether two texts written without spaces are about one matter, by the words that they share."""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from omoide.text.normalize import compatible
from omoide.text.scripts import HAN

_SAMPLE: Final = 2_000
_MOST: Final = 0.5
"""Share of the letters that makes a text one written without spaces."""
_KATAKANA: Final = "\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff"
_HIRAGANA: Final = "\u3041-\u3096\u309d-\u309f"


def in_common(one: str, other: str) -> float | None:
    """Return the share of the words of the shorter of two Chinese or Japanese texts that the other has, 0 to 1.

    Words are pairs of neighbouring ideographs or katakana, and whole runs of letters and digits; hiragana mostly
    write endings and particles and do not count. The first 2,000 characters are looked at. None where one of the
    texts is written with spaces, or has no such words.
    """
    words = _words(one), _words(other)
    if not all(words):
        return None
    return len(words[0] & words[1]) / min(map(len, words))


@cache
def _patterns() -> tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str]]:
    unspaced = f"[{HAN}{_KATAKANA}{_HIRAGANA}]"
    pair = f"(?=([{HAN}]{{2}}|[{_KATAKANA}]{{2}}))"
    return re.compile(unspaced), re.compile(pair), re.compile(f"[^\\W{HAN}{_KATAKANA}{_HIRAGANA}]+")


def _words(text: str) -> frozenset[str]:
    if text.isascii():
        return frozenset()
    letter, pair, run = _patterns()
    sample = compatible(text[:_SAMPLE]).casefold()
    letters = sum(map(str.isalpha, sample))
    if not letters or len(letter.findall(sample)) < _MOST * letters:
        return frozenset()
    return frozenset(pair.findall(sample)) | frozenset(run.findall(sample))
