"""Stems: one stemmer for each script, so that a text and a question agree without knowing their language.

Measured on French, German and Spanish questions, the English Snowball stemmer with the endings below loses
nothing against the stemmer of the right language, and a wrong guess of the language cannot lose a match.
"""

from __future__ import annotations

import re
import threading
from bisect import bisect_right
from collections.abc import Callable

import Stemmer

_MAX_LENGTH = 40
_HEBREW = "hebrew"
_HEBREW_PARTICLES = frozenset("הובכלמש")
# First code point of a range and the Snowball algorithm for words that begin in it; "" leaves words as they are.
_RANGES = (
    (0x0000, "english"),
    (0x0370, "greek"),
    (0x0400, "russian"),
    (0x0530, "armenian"),
    (0x0590, _HEBREW),
    (0x0600, "arabic"),
    (0x0700, ""),
    (0x0900, "hindi"),
    (0x0980, ""),
    (0x0B80, "tamil"),
    (0x0C00, ""),
    (0x1E00, "english"),
    (0x1F00, "greek"),
    (0x2000, ""),
)
_STARTS = [start for start, _ in _RANGES]
_DIGIT = re.compile(r"\d")
# Not the endings of employee, committee and refugee.
_FRENCH_PARTICIPLE = re.compile("(?<=[^tyg])ees?$")
# German plurals whose ending no English word has.
_GERMAN_PLURAL = re.compile("(?:(?<=ung)|(?<=heit)|(?<=keit)|(?<=schaft)|(?<=tion)|(?<=[^e]inn)|(?<=tz))en$")


class _Stemmers(threading.local):
    """The Snowball stemmers of one thread; they keep state while they work."""

    def __init__(self) -> None:
        self._stem: dict[str, Callable[[str], str]] = {}

    def stem(self, algorithm: str, word: str) -> str:
        if algorithm not in self._stem:
            # Stems are cached with their chunk; a second cache would only hold memory.
            self._stem[algorithm] = Stemmer.Stemmer(algorithm, 0).stemWord
        return self._stem[algorithm](word)


_stemmers = _Stemmers()


def stem(word: str) -> str:
    """Return the stem of a folded word; a word with digits, or longer than 40 characters, is its own stem."""
    if len(word) > _MAX_LENGTH or not word or _DIGIT.search(word):
        return word
    algorithm = _RANGES[bisect_right(_STARTS, ord(word[0])) - 1][1]
    if not algorithm:
        return word
    if algorithm == _HEBREW:
        return _hebrew(word)
    if algorithm == "english":
        return plain_stem(word)
    return _stemmers.stem(algorithm, _PREPARED.get(algorithm, _as_it_is)(word)) or word


def plain_stem(word: str) -> str:
    """Return the stem of a folded word of at most 40 Latin letters."""
    return _european(word, _stemmers.stem("english", _romance(word)) or word)


def _as_it_is(word: str) -> str:
    return word


def _romance(word: str) -> str:
    """Undo what folding hides from the stemmer: Portuguese corações, French préférée."""
    if word.endswith(("coes", "soes")):
        return word[:-3] + "ao"
    return _FRENCH_PARTICIPLE.sub("e", word) if len(word) > 6 and word.endswith(("ee", "ees")) else word


def _arabic(word: str) -> str:
    """Folding wrote ة as ه, which the stemmer takes for a pronoun; it leaves "and" and "so" before the article."""
    if word.startswith(("وال", "فال")) and len(word) > 5:
        word = word[1:]
    return word[:-1] + "ة" if word.endswith("ه") and len(word) > 3 else word


def _hebrew(word: str) -> str:
    """Drop the regular plural endings where three letters remain."""
    return word[:-2] if len(word) > 4 and word.endswith(("ים", "ות")) else word


def without_particles(stemmed: str) -> list[str]:
    """Return a Hebrew stem without the particles that may be written on its front (and, the, in, from, to ...)."""
    bare: list[str] = []
    while len(stemmed) > 3 and stemmed[0] in _HEBREW_PARTICLES and len(bare) < 2:
        stemmed = stemmed[1:]
        bare.append(stemmed)
    return bare


_PREPARED: dict[str, Callable[[str], str]] = {"arabic": _arabic}


def _european(word: str, stemmed: str) -> str:
    """Bring together gender and number endings of Romance languages (rojo, roja; libro, libri)."""
    if len(stemmed) < 4:
        return stemmed
    if stemmed[-1] == "o" or (stemmed[-1] == "i" and word.endswith(("i", "is"))):
        return stemmed[:-1] + "a"
    return _GERMAN_PLURAL.sub("", stemmed) if stemmed.endswith("en") else stemmed
