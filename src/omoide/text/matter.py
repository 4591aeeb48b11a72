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


def in_common(one: frozenset[str], other: frozenset[str]) -> float | None:
    """Return the share of the smaller of two sets of words that the other has, 0 to 1; None where one is empty."""
    if not one or not other:
        return None
    return len(one & other) / min(len(one), len(other))


@cache
def _patterns() -> tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str]]:
    unspaced = f"[{HAN}{_KATAKANA}{_HIRAGANA}]"
    pair = f"(?=([{HAN}]{{2}}|[{_KATAKANA}]{{2}}))"
    return re.compile(unspaced), re.compile(pair), re.compile(f"[^\\W{HAN}{_KATAKANA}{_HIRAGANA}]+")


def words_of(text: str) -> frozenset[str]:
    """Return the words of a Chinese or Japanese text; none of one that is written with spaces.

    Words are pairs of neighbouring ideographs or katakana, and whole runs of letters and digits; hiragana mostly
    write endings and particles and do not count. The first 2,000 characters are looked at.
    """
    if text.isascii():
        return frozenset()
    letter, pair, run = _patterns()
    sample = compatible(text[:_SAMPLE]).casefold()
    letters = sum(map(str.isalpha, sample))
    if not letters or len(letter.findall(sample)) < _MOST * letters:
        return frozenset()
    return frozenset(pair.findall(sample)) | frozenset(run.findall(sample))
