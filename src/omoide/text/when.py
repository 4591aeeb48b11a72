"""Time words of a question ("last week", « avant-hier », 「先週」) as stretches of time.

The tables are our own: a search steered by a date that was not meant is worse than one that is not steered, so a
word counts only where its neighbours make it a time ("in May", not "may I").
"""

from __future__ import annotations

import re
import unicodedata
from datetime import UTC, datetime, timedelta, tzinfo
from functools import cache, lru_cache
from importlib import import_module
from typing import Final, NamedTuple

from omoide.model.time import ALWAYS, EPOCH, FOREVER, Micros, to_datetime
from omoide.text.language import detect
from omoide.text.when_grammar import Found, Grammar
from omoide.text.when_words import Words

LONGEST: Final = 1_000
"""Characters; the time words of a longer text are the text's, not a question's."""
MOST: Final = 3
"""Expressions of one question that are used."""

_GRAMMARS: Final = {
    "en": "when_en:ENGLISH", "fr": "when_fr:FRENCH", "de": "when_de:GERMAN", "es": "when_es:SPANISH",
    "ja": "when_ja:JAPANESE", "zh": "when_zh:CHINESE",
}  # fmt: skip
_LATIN: Final = ("en", "fr", "de", "es")
_UNSPACED: Final = re.compile("[\u3040-\u30ff\u4e00-\u9fff]")
_KANA: Final = re.compile("[\u3041-\u3096\u30a1-\u30fa]")
_ACCENTED_END: Final = 0x250
_WORD: Final = re.compile(r"\w+")
_NUMBERED: Final = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)|\b[qt][1-4]\b|\d0'?s\b|\bannees\b")
_TELLING: Final = ("unit", "weekday", "month", "season", "part")
"""Groups of words without one of which, or a hint, or a year, no pattern of a language can match."""
_GREETING: Final = re.compile(r"\s*今日は(?=[\s、。!,.]|$)")


class TimeRange(NamedTuple):
    """What a question says about time: ``[start, end)`` in microseconds, ``ALWAYS`` and ``FOREVER`` when open."""

    start: Micros
    end: Micros
    phrase: str


def time_ranges(text: str, now: Micros, *, zone: tzinfo = UTC) -> tuple[TimeRange, ...]:
    """Return what a question says about time, seen from ``now`` in ``zone``, in the order of the text.

    At most ``MOST``; none for a text longer than ``LONGEST``. English, French, German, Spanish, Japanese and Chinese;
    the language is guessed. What two languages read differently is left out unless the guess is sure.
    """
    if len(text) > LONGEST:
        return ()
    folded = _folded(text)
    if not _may_speak(folded):
        return ()
    try:
        local = to_datetime(now).astimezone(zone).replace(tzinfo=None)
    except OverflowError:  # the last day of the calendar, in a zone where it is over
        return ()
    ranges = [_range(each, text, zone) for each in _found(text, folded, local)[:MOST]]
    return tuple(one for one in ranges if one.start < one.end)


def _may_speak(folded: str) -> bool:
    """Say whether some language may find a time in a text."""
    spaced = _UNSPACED.search(folded) is None
    return not spaced or not _every_hint().isdisjoint(_WORD.findall(folded)) or _NUMBERED.search(folded) is not None


def _found(text: str, folded: str, local: datetime) -> list[Found]:
    if _UNSPACED.search(folded):
        body = _GREETING.sub(lambda said: "＿" * len(said[0]), folded)
        kana = _KANA.search(body) is not None
        found = [_find(code, body, local) for code in (("ja",) if kana else ("zh", "ja")) if _spoken(code, body)]
        return max(found, key=_covered, default=[])
    words = set(_WORD.findall(folded))
    codes = [code for code in _LATIN if not _hints(code).isdisjoint(words)]
    numbered = _NUMBERED.search(folded) is not None
    if not codes and not numbered:
        return []
    guess = detect(text)
    if numbered and guess not in codes:
        codes += [guess] if guess in _LATIN else [code for code in _LATIN if code not in codes]
    alone = guess not in _LATIN or len(words) == 1
    found = [_find(code, folded, local, sure=alone or code == guess) for code in codes]
    return max(found, key=_covered)


def _find(code: str, folded: str, local: datetime, *, sure: bool = True) -> list[Found]:
    """A single word may be another one in the language that was guessed: German "hier" is no yesterday."""
    found = _grammar(code).find(folded, local)
    return found if sure else [each for each in found if not folded[each.start : each.end].isalpha()]


def _covered(found: list[Found]) -> int:
    return sum(each.end - each.start for each in found)


def _spoken(code: str, folded: str) -> bool:
    return any(hint in folded for hint in _hints(code))


@cache
def _hints(code: str) -> frozenset[str]:
    """Return the words without one of which no text speaks of time, a year or quarter apart."""
    words = _words(code)
    told = [*words.hints.split(), *(word for name in _TELLING for word in words.names.get(name, ()))]
    return frozenset(word.split()[-1].rpartition("-")[2] for word in told)


@cache
def _every_hint() -> frozenset[str]:
    return frozenset().union(*map(_hints, _LATIN))


@cache
def _grammar(code: str) -> Grammar:
    return Grammar(_words(code))


def _words(code: str) -> Words:
    home, name = _GRAMMARS[code].split(":")
    words: Words = getattr(import_module(f"omoide.text.{home}"), name)
    return words


def _range(found: Found, text: str, zone: tzinfo) -> TimeRange:
    start, end = (_micros(moment, zone) for moment in found.span)
    return TimeRange(
        ALWAYS if start is None else start, FOREVER if end is None else end, text[found.start : found.end].strip()
    )


def _micros(moment: datetime | None, zone: tzinfo) -> Micros | None:
    if moment is None:
        return None
    return (moment.replace(tzinfo=zone) - EPOCH) // timedelta(microseconds=1)


def _folded(text: str) -> str:
    """Return small letters without width and Latin accents, one character for each, so that places stay."""
    return text.lower() if text.isascii() else "".join(map(_fold, text))


@lru_cache(4096)
def _fold(character: str) -> str:
    compatible = unicodedata.normalize("NFKC", character)
    folded = (compatible if len(compatible) == 1 else character).lower()
    if ord(folded[0]) < _ACCENTED_END:
        folded = unicodedata.normalize("NFD", folded)[0]
    elif folded == "’":
        folded = "'"
    return folded if len(folded) == 1 else character
