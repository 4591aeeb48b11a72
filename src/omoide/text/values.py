"""Values that a sentence states: amounts, counts, shares, times, dates, days, rates, spans, versions.

English, French and Japanese words and signs; a number with its noun in any language that writes digits. Of each
value: its sort, one form for all its spellings, and the terms that say what it counts or measures.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache
from typing import Final, NamedTuple

from omoide.text.stopwords import every_stop_word
from omoide.text.tokens import analyze, stop_terms


class Value(NamedTuple):
    """One stated value: ``sort``, ``form`` for comparison, ``unit`` terms, and its place in the sentence."""

    sort: str
    form: str
    unit: frozenset[str]
    start: int
    end: int


_ENGLISH: Final = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen"
    " eighteen nineteen twenty"
)
_FRENCH: Final = "deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize"
_MONTH_NAMES: Final = "jan feb mar apr may jun jul aug sep oct nov dec"
_DAY_NAMES: Final = ("mon tue wed thu fri sat sun", "lun mar mer jeu ven sam dim", "月 火 水 木 金 土 日")
WORDS: Final[dict[str, int]] = {
    **{word: number for number, word in enumerate(_ENGLISH.split())},
    **{word: number for number, word in enumerate(_FRENCH.split(), 2)},
    "vingt": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "hundred": 100,
    "first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7, "eighth": 8, "ninth": 9,
    "tenth": 10, "premier": 1, "première": 1, "deuxième": 2, "troisième": 3, "quatrième": 4, "cinquième": 5,
    "once": 1, "twice": 2,
}  # fmt: skip
_KANJI: Final = {sign: number for number, sign in enumerate("〇一二三四五六七八九十")}
_MONTHS: Final = {
    **{name: number for number, name in enumerate(_MONTH_NAMES.split(), 1)},
    "janv": 1, "fév": 2, "fev": 2, "avr": 4, "mai": 5, "juin": 6, "juil": 7, "aoû": 8, "aou": 8, "déc": 12,
}  # fmt: skip
_DAYS: Final = {name: number for names in _DAY_NAMES for number, name in enumerate(names.split())}
_NUMBER: Final = r"\d{1,3}(?:[, \u202f\u00a0]\d{3})+(?:\.\d+)?|\d+(?:[.,]\d+)?"
_VAGUE: Final = frozenset({"once", "twice", "second", "first", "one", "premier", "première"})
_COUNTED: Final = "|".join(sorted((word for word in WORDS if word not in _VAGUE), key=len)[::-1])
_MONTH: Final = (
    "jan(?:uary|v(?:ier)?)?|feb(?:ruary)?|f[ée]vr?(?:ier)?|mar(?:ch|s)?|apr(?:il)?|avr(?:il)?|may|mai|june?|juin|july?"
    "|juil(?:let)?|aug(?:ust)?|ao[ûu]t|sep(?:t(?:ember|embre)?)?|oct(?:ober|obre)?|nov(?:ember|embre)?"
    "|dec(?:ember)?|d[ée]c(?:embre)?"
)
_DAY: Final = (
    "mondays?|tuesdays?|wednesdays?|thursdays?|fridays?|saturdays?|sundays?|lundis?|mardis?|mercredis?|jeudis?"
    "|vendredis?|samedis?|dimanches?"
)
_COUNTERS: Final = "人名個件回冊本枚匹台社店歳点位問个条"
"""Signs that Japanese and Chinese put between a number and what is counted."""
_SPANS: Final = (
    "seconds?|secondes?|minutes?|mins?|hours?|heures?|days?|jours?|weeks?|semaines?|months?|mois|years?|ans?|années?"
)
_FOUND: Final = re.compile(
    rf"""
    (?P<money>(?:[$€£¥]|\b(?:usd|eur|gbp|jpy|ngn|inr|cad|aud|chf)\s)\s?(?:{_NUMBER})(?:\s?[km]\b|\s?(?:million|billion))?
      |(?:{_NUMBER})\s?(?:dollars?|euros?|pounds?|yen|usd|eur|gbp|jpy|ngn|inr|cad|aud|nzd|chf|руб(?:лей|ля|ль)|€)(?!\w)
      |(?:{_NUMBER})\s?[万億亿만억]?[円元원])
    |(?P<percent>(?:{_NUMBER})\s?(?:%|％|percent\b|pour\scent\b|パーセント))
    |(?P<clock>\b\d{{1,2}}(?::\d{{2}})?\s?[ap]\.?m\b\.?|\b\d{{1,2}}:\d{{2}}\b|\b\d{{1,2}}\s?h(?:\s?\d{{2}})?\b|\d{{1,2}}時(?!間)(?:\d{{1,2}}分|半)?)
    |(?P<date>\b(?:{_MONTH})\.?\s\d{{1,2}}(?:st|nd|rd|th)?\b|\b\d{{1,2}}(?:er|st|nd|rd|th)?\s(?:of\s)?(?:{_MONTH})\b
      |\b\d{{4}}-\d{{2}}-\d{{2}}\b|\d{{1,2}}月\d{{1,2}}日|(?<![\d/])\d{{1,2}}/\d{{1,2}}(?![\d/]))
    |(?P<rate>\b(?:every|each)\s(?:(?:other|single|{_COUNTED}|\d+)\s)?(?:{_SPANS}|morning|evening|night)\b
      |\b(?:once|twice|(?:{_COUNTED}|\d+)\stimes)\s(?:a|per|each|every)\s(?:day|week|month|year)\b
      |\b(?:bi)?(?:weekly|monthly)\b|\bdaily\b|\b(?:{_COUNTED}|\d+)\s(?:days?|hours?)\s(?:a|per)\s(?:day|week|month)\b
      |\bto(?:us|utes)\sles\s(?:(?:{_COUNTED}|\d+)\s)?(?:{_SPANS})\b|\b(?:{_COUNTED}|\d+)\sfois\spar\s(?:jour|semaine|mois|an)\b
      |\bchaque\s(?:jour|semaine|mois)\b|毎[日週月年朝晩]|隔週|[週月日年][\d一二三四五六七八九十]回)
    |(?P<weekday>\b(?:{_DAY})\b|[月火水木金土日]曜日?)
    |(?P<span>\b(?:an?|une?|{_COUNTED}|{_NUMBER})[\s-]?(?:{_SPANS})\b|\d+(?:時間|分間|日間|週間|か月|ヶ月|年間))
    |(?P<version>\bv?\d+\.\d+\.\d+\b|\bv\d+(?:\.\d+)?\b|\b(?:version|python|node|java|postgresql|postgres|php|ruby|go)\s\d+(?:\.\d+)*\b)
    |(?P<ordinal>\b\d{{1,3}}(?:st|nd|rd|th|e|ème|ère)\b|\b(?:third|fourth|fifth|sixth|seventh|eighth|ninth|tenth
      |troisième|quatrième|cinquième)\b|第\d+)
    |(?P<count>(?<![\d.,/:#-])(?:{_NUMBER})\s?[{_COUNTERS}](?!月|日|間)|(?<![\w.,/:#-])(?:{_NUMBER})(?:-\d+)?\s?[a-z]{{1,4}}\b(?![-'])|(?<![\w.,/:#-])(?:{_NUMBER})(?![\w/:]|[.,-]\d)
      |\b(?:{_COUNTED})\b(?![-']))
    """,
    re.IGNORECASE | re.VERBOSE,
)  # fmt: skip
_SENTENCE: Final = re.compile(r"(?<=[.!?…])(?<!\bDr\.)(?<!\bMr\.)(?<!\bMs\.)(?<!\bvs\.)\s+|(?<=[。！？])|\n+")
_WORD: Final = re.compile(r"[^\W_]+(?:[-'’][^\W_]+)*")
_SCALES: Final = {"万": 1e4, "만": 1e4, "億": 1e8, "亿": 1e8, "억": 1e8}
_PUNCTUATION: Final = re.compile(r"[.,;:!?()\[\]。、！？—]|\s-\s")
_TOKEN: Final = re.compile(r"[^\W\d_]+|\d+|[$€£¥]")
_PLAIN_SIGN: Final = re.compile(r"[\d$]")
_PLAIN_WORD: Final = re.compile(r"[a-z]+")
_SIGNS: Final = frozenset("毎隔週月火水木金土日年第")
_OPENING: Final = (
    "usd eur gbp jpy ngn inr cad aud chf every each once twice weekly biweekly monthly daily tous toutes chaque a an un"
    " une v version python node java postgresql postgres php ruby go"
)
_AFTER: Final = 3
_BEFORE: Final = 6
LONGEST: Final = 1_200
"""Characters of the longest text whose values are looked at."""


def sentences(text: str) -> list[str]:
    """Return the sentences of a text, blank ones left out."""
    return [part for part in map(str.strip, _SENTENCE.split(text)) if part]


def values_of(sentence: str) -> Iterator[Value]:
    """Yield the values that a sentence states, in their order."""
    end = 0
    for start in _starts(sentence):
        found = _FOUND.match(sentence, start) if start >= end else None
        if found is None or found.lastgroup is None:
            continue
        sort, end = found.lastgroup, found.end()
        made = _made(sort, found.group(sort), sentence, start, end)
        if made is not None:
            yield made


def _starts(sentence: str) -> Iterator[int]:
    """Yield the places at which a value may begin; trying the whole expression at each character would be slow."""
    if _has_none(sentence):
        return
    for token in _TOKEN.finditer(sentence):
        text = token.group()
        if not text.isalpha() or text.lower() in _starters():
            yield token.start()
        elif not text.isascii():
            yield from (token.start() + at for at, sign in enumerate(text) if sign in _SIGNS)


def _has_none(sentence: str) -> bool:
    """Say at once of most sentences in plain letters that no value begins in them."""
    plain = sentence.isascii() and not _PLAIN_SIGN.search(sentence)
    return plain and _starters().isdisjoint(_PLAIN_WORD.findall(sentence.lower()))


@cache
def _starters() -> frozenset[str]:
    """Words with which a value begins."""
    months = "january february march april may june july august september october november december"
    french = "janvier février mars avril mai juin juillet août septembre octobre novembre décembre"
    days = (
        "monday tuesday wednesday thursday friday saturday sunday lundi mardi mercredi jeudi vendredi samedi dimanche"
    )
    plain = {name for names_ in (months, french, days) for name in names_.split()}
    short = {name[:size] for name in months.split() for size in (3, 4)} | {name[:4] for name in french.split()}
    return frozenset({*plain, *short, *(f"{name}s" for name in days.split()), *WORDS, *_OPENING.split()})


def _made(sort: str, text: str, sentence: str, start: int, end: int) -> Value | None:
    read: Callable[[str], str | None] = _FORMS.get(sort, _plain)
    form = read(text.lower())
    if form is None:
        return None
    if sort not in ("count", "ordinal"):
        return Value(sort, form, frozenset(), start, end)
    number, _, attached = form.partition(" ")
    unit = _units(attached) | _noun(sentence, end)
    if not unit:
        unit = _before(sentence, start)
    return Value("count", number, unit, start, end)


def _noun(sentence: str, end: int) -> frozenset[str]:
    """Return the terms of the words right after a number, up to a stop word or a sign."""
    rest = sentence[end : end + 60]
    sign = _PUNCTUATION.search(rest)
    rest = rest[: sign.start()] if sign else rest
    words: list[str] = []
    for word in _WORD.findall(rest)[:_AFTER]:
        if word.lower() in _small():
            break
        words.append(word)
    return frozenset(analyze(" ".join(words))) - stop_terms()


def _before(sentence: str, start: int) -> frozenset[str]:
    part = _PUNCTUATION.split(sentence[max(start - 60, 0) : start])[-1]
    words = [word for word in _WORD.findall(part) if word.lower() not in _small()]
    return frozenset(analyze(" ".join(words[-_BEFORE:]))) - stop_terms()


def _units(attached: str) -> frozenset[str]:
    return frozenset(analyze(attached)) if attached and attached not in _small() else frozenset()


@cache
def _small() -> frozenset[str]:
    return every_stop_word() | {"so", "far", "now", "ago", "last", "past", "more", "currently", "already", "today"}


def _number(text: str) -> float | None:
    """Return the number that a text begins with or is the word for."""
    found = re.search(_NUMBER, text)
    if found is None:
        word = re.search(rf"\b(?:{_COUNTED}|once|twice)\b", text)
        signs = [_KANJI[sign] for sign in text if sign in _KANJI]
        return float(WORDS[word.group()]) if word else float(signs[0]) if signs else None
    digits = re.sub(r"[, \u202f\u00a0](?=\d{3}(?!\d))", "", found.group()).replace(",", ".")
    try:
        return float(digits)
    except ValueError:
        return None


def _plain(text: str) -> str | None:
    number = _number(text)
    if number is None:
        return None
    unit = re.sub(rf"[^a-z{_COUNTERS}]", "", re.sub(_NUMBER, "", text, count=1)) if text[:1].isdigit() else ""
    return f"{number:g} {unit}".strip()


def _money(text: str) -> str | None:
    number = _number(text)
    if number is None:
        return None
    scale = next((size for sign, size in _SCALES.items() if sign in text), 1e0)
    scale = 1e3 if re.search(r"\dk\b|\d\sk\b", text) else 1e6 if re.search(r"\d\s?m\b|million", text) else scale
    return f"{number * scale:g}"


def _clock(text: str) -> str | None:
    parts = re.findall(r"\d+", text)
    if not parts:
        return None
    hour, minute = int(parts[0]), int(parts[1]) if len(parts) > 1 else 30 if "半" in text else 0
    if "p" in text and hour < 12:
        hour += 12
    elif "a" in text and hour == 12:
        hour = 0
    return f"{hour:02}:{minute:02}" if hour < 25 and minute < 60 else None


def _date(text: str) -> str | None:
    parts = [int(part) for part in re.findall(r"\d+", text)]
    named = re.search(_MONTH, text)
    if named is not None:
        month = next((number for name, number in _MONTHS.items() if named.group().startswith(name)), None)
        return None if month is None or not parts else f"{month:02}-{parts[0]:02}"
    return "-".join(f"{part:02}" for part in parts[-2:])


def _weekday(text: str) -> str | None:
    day = _DAYS.get(text[:3], _DAYS.get(text[:1]))
    return None if day is None else str(day)


def _span(text: str) -> str | None:
    number = 1.0 if re.match(r"(?:an?|une?)\b", text) else _number(text)
    unit = re.search(_SPANS, text)
    return None if number is None else f"{number:g} {unit.group().rstrip('s')[:3] if unit else text[-2:]}"


def _rate(text: str) -> str | None:
    named = {"weekly": "1 week", "biweekly": "2 week", "monthly": "1 month", "daily": "1 day"}
    if text in named:
        return named[text]
    unit = re.search(r"day|week|month|year|morning|evening|night|jour|semaine|mois|an|hour", text)
    times = "times" in text or "fois" in text or "twice" in text or "once" in text or " a " in text or " per " in text
    number = 2.0 if "other" in text.split() else _number(text) or 1.0
    return f"{number:g}{'x' if times else ''} {unit.group() if unit else text[:1]}"


def _version(text: str) -> str | None:
    return re.sub(r"[^\d.]", "", text) or None


_FORMS: Final = {
    "money": _money, "percent": _plain, "clock": _clock, "date": _date, "weekday": _weekday, "span": _span,
    "rate": _rate, "version": _version,
}  # fmt: skip
