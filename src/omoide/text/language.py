"""A cheap guess at the language of a text: its script, and closed-class words among Latin-letter languages."""

from __future__ import annotations

import re
from functools import cache

from omoide.text.normalize import fold
from omoide.text.scripts import HAN, HANGUL
from omoide.text.stopwords import LATIN_LANGUAGES, VOTE_BITS, votes

UNKNOWN = "und"
_SAMPLE = 4_000
_LANE = (1 << VOTE_BITS) - 1
_PUNCTUATION = str.maketrans(dict.fromkeys("!\"#$%&'()*+,-./:;<=>?@[\\]^_{|}~¡¿«»“”„…", " "))
# One Han character says about what two letters say.
_SCRIPTS = (
    ("latin", "A-Za-z\u00c0-\u024f\u1e00-\u1eff", 1),
    ("ja", "\u3041-\u3096\u30a1-\u30fa\u31f0-\u31ff", 2),
    ("zh", HAN, 2),
    ("ko", HANGUL, 2),
    ("ru", "\u0400-\u052f", 1),
    ("ar", "\u0620-\u06d3", 1),
    ("he", "\u05d0-\u05ea", 1),
    ("el", "\u0370-\u03ff\u1f00-\u1fff", 1),
    ("th", "\u0e01-\u0e4e", 1),
    ("lo", "\u0e81-\u0edf", 1),
    ("my", "\u1000-\u109f", 1),
    ("km", "\u1780-\u17dd", 1),
    ("hi", "\u0900-\u097f", 1),
    ("bn", "\u0980-\u09ff", 1),
    ("ta", "\u0b80-\u0bff", 1),
    ("hy", "\u0530-\u058f", 1),
    ("ka", "\u10a0-\u10ff", 1),
    ("am", "\u1200-\u137f", 1),
)
_UKRAINIAN = re.compile("[іїєґ]", re.IGNORECASE)
_PERSIAN = re.compile("[پچژگ]")


def detect(text: str) -> str:
    """Return the ISO 639-1 code of the language ``text`` seems to be in, "und" when nothing speaks for one.

    Reads the first 4,000 characters. Scripts shared by languages give the most usual one (Cyrillic: ru, or uk by
    its own letters; Arabic script: ar or fa; Han without kana: zh).
    """
    sample = text[:_SAMPLE]
    script = "latin" if sample.isascii() else _main_script(sample)
    if script == "ru" and _UKRAINIAN.search(sample):
        return "uk"
    if script == "ar" and _PERSIAN.search(sample):
        return "fa"
    return latin_language(sample) if script == "latin" else script


def latin_language(text: str) -> str:
    """Return the language most of the closed-class words of ``text`` belong to; ties by `LATIN_LANGUAGES`."""
    words = fold(text[:_SAMPLE]).translate(_PUNCTUATION).split()
    ballot = sum(filter(None, map(votes().get, words)))
    if not ballot:
        return UNKNOWN
    counts = [ballot >> VOTE_BITS * lane & _LANE for lane in range(len(LATIN_LANGUAGES))]
    return LATIN_LANGUAGES[counts.index(max(counts))]


@cache
def _counters() -> dict[str, tuple[re.Pattern[str], int]]:
    return {name: (re.compile(f"[{characters}]"), weight) for name, characters, weight in _SCRIPTS}


def _main_script(sample: str) -> str:
    counts = {name: weight * len(found.findall(sample)) for name, (found, weight) in _counters().items()}
    if counts["ja"]:
        counts["ja"] += counts["zh"]
    best = max(counts, key=counts.__getitem__)
    return best if counts[best] else UNKNOWN
