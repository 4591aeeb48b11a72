"""Values that memories state, each with the words around it: what is compared to find what changed."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache, lru_cache
from itertools import pairwise
from typing import Final, NamedTuple

from omoide.text.changes import says_order
from omoide.text.signature import content_terms
from omoide.text.tokens import analyze, stop_terms
from omoide.text.values import Value, values_of

MOMENTS: Final = frozenset({"date", "clock", "weekday"})
"""Sorts of values that say when something is, which most often is no property that changes."""
_NO_WORD: Final = re.compile(r"\d|^[\u3040-\u309f]+$")
_CLAUSE: Final = re.compile(
    r"[,:](?!\d)\s*|[;()、】]\s*|\s[-–—]\s|\s(?:and|but|so|which|while|because|since|after|before|whereas|et|mais|donc|alors|car)\s"
)
_STANDS_FOR: Final = re.compile(r"\b(?:it|this|that['’]s|they|c['’]est|ça|cela)\b|それ|これ", re.IGNORECASE)
"""A word for what the clause before it speaks of."""
_MEASURE: Final = 3
"""Letters of the longest sign of a measure: kg, km, mm, Mbps; a longer unit names what is counted."""
_NAME: Final = re.compile(r"\b[A-Z][\w'’]*")
_FEW_NAMES: Final = 3
_BACK: Final = 2
"""Clauses before that of a value that may say what it is the value of."""
_PAST: Final = re.compile(
    r"(?:\b(?:from|was|were|previous(?:ly)?|used\sto\sbe|originally|than|était|avant)(?:\s\S+)?\s*"
    r"|\b(?:instead\sof|rather\sthan|au\slieu\sde|plutôt\sque|used\sto)\s(?:[^,;]*\s)?"
    r"|\b(?:over|under|above|below)\s(?!(?:my|our|his|her|its|their|the)\s)(?:\S+\s)?\s*|以前は\S{0,6})$",
    re.IGNORECASE,
)
_LABEL: Final = re.compile(
    r"\b(?:day|section|step|option|phase|task|part|chapter|week|level|number|no|item|article|question|round|stage|figure"
    r"|table|unit|lesson|module|room|gate|line|row|class|grade|group|team|type|episode|season|volume|jour|étape|partie|chapitre|semaine|salle)"
    r"s?\.?\s?#?$|第$|[#(\[]$",
    re.IGNORECASE,
)
_ROW: Final = re.compile(r"\s*\|")
"""A row of a table: what its values are about stands elsewhere."""
_NAMES: Final = re.compile(r"-|['’]s\b")
"""What follows a number that is a name, or a part of one."""
_AGO: Final = re.compile(r"\s*(?:ago|later|earlier|before|from\snow|plus\stard)\b|前|後", re.IGNORECASE)
_LISTED: Final = re.compile(r"[.)\]](?:\s*$|\s+[A-Z\"'*])")
_MARKS: Final = re.compile(r"(?:^[\W_]*|[:'\"‘“(\[]\s*)$")
"""What stands before the number of an item of a list: nothing, or a sign that opens."""
_OFF: Final = re.compile(r"\s(?:over|under|above|below|more|less|short|off|ahead|behind|extra)\b", re.IGNORECASE)
"""What follows an amount by which something differs from something else."""
"""What follows the number of an item of a list."""
_SHARE: Final = re.compile(r"\s\d|\s(?:out\s)?of\s(?:(?:the|like|about|last|past)\s)*\d", re.IGNORECASE)
_SHARED: Final = re.compile(r"\d\s(?:out\s)?of\s(?:(?:the|like|about|last|past)\s)*$", re.IGNORECASE)
"""What stands after the first and before the second of two numbers that only say something together."""
_ASKED: Final = re.compile(
    r"\s*(?:so\s|and\s|but\s)?(?:do|did|are|were|have|will)\syou\b(?!.*\b(?:i|my|our|we)\b)", re.IGNORECASE
)
"""How somebody is asked how things stand with him, who asks knows nothing of it."""
_EACH: Final = re.compile(
    r"\s(?:(?:single|other)\s)?(?:that|i|we|you|he|she|they|people|of|où|que|qu['’]\S+|je|tu|nous|vous|ils?|elles?)\b",
    re.IGNORECASE,
)
"""What follows "every day" where it says on which days something is so, and not how often something happens."""
_DENIED: Final = re.compile(
    r"(?:\b(?:not|never|cannot|without|sans|jamais)|n['’]t|\b(?:do|does|did|is|are|was|wo|ca|have|has|could|would|should)nt"
    r"|\bn(?:e\s|['’])\S+\s(?:pas|plus|jamais))"
    r"(?!\s(?:only|just|until|till|before|more|less|seulement|avant|plus|moins)\b)(?:\s[\w'’-]+){0,4}\s$",
    re.IGNORECASE,
)
_DENIED_AFTER: Final = re.compile(
    r"[^。、！？]{0,8}(?:では|じゃ)(?:ない|なく|ありません|なかった)|[^。、！？]{0,8}(?:不是|아니)"
)
"""What stands before and after a value that something does not have."""
_YEAR: Final = re.compile(r"(?:1[5-9]|20)\d\ds?$", re.IGNORECASE)
_IN: Final = re.compile(
    r"\b(?:in|since|from|until|by|of|early|late|mid|around|en|depuis|de|jusqu['’]en|les\sannées)\s(?:the\s)?(?:early\s|late\s|mid\s)?$",
    re.IGNORECASE,
)
"""A number that is a year, and what stands before one."""
_PART_OF: Final = re.compile(r"\b(?:an?|one|two|un|deux|trois)\s$", re.IGNORECASE)
_PART: Final = re.compile(r"(?:third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|3D|2D)$", re.IGNORECASE)
"""What stands before a part of a whole, and the word for it: a third."""
_IF: Final = re.compile(r"\b(?:if|unless|suppose|imagine|si|s['’]ils?|wenn|falls)\s[^,;.!?]*$", re.IGNORECASE)
"""What stands before a value that is only supposed."""
_OR: Final = re.compile(r"\b(?:or|ou)\s$", re.IGNORECASE)
_OR_ELSE: Final = re.compile(r"(?:\s\w+)?\s(?:or|ou)\s(?:\d|so\b|two\b|three\b|four\b|deux\b|trois\b)", re.IGNORECASE)
"""What stands before and after one of several numbers, of which nobody says which it is."""
_BY: Final = re.compile(
    r"\bby\s(?:about\s|around\s|over\s|nearly\s|at\sleast\s|up\sto\s|another\s)?$|\b(?:another|other|autres|extra|additional|(?:augment|rédui|baiss)\w+\sde)\s$",
    re.IGNORECASE,
)
_IDLE: Final = (
    "way kinda worried worry help wondering wonder considering consider think thinking thought try trying tried plan"
    " planning manage managed use using make making get getting got want need sure start starting started set know"
    " feel feeling stressed look looking lot really like give take taking going great good best tell told speaking"
    " increase increased increasing reduce reduced reducing decrease decreased extend extended adjust adjusted change"
    " changed update updated raise raised reschedule rescheduled move moved month months monthly week weeks weekly day"
    " days daily year years annual yearly hour hours minute minutes time times am pm january february march april may"
    " june july august september october november december monday tuesday wednesday thursday friday saturday sunday"
    " recently lately currently now just already far total new last next past also still much many more most one ones"
    " saw see seen found find gonna especially enough everything close keep kept count number amount head heading"
    " bring brings usually usual about around approximately maybe perhaps morning evening night afternoon"
    " almost nearly atleast least half pretty quite rather yeah yes yep ok okay haha hahaha lol oh hey well wow ish"
    " stuff thing things something anything everything nothing someone anyone another other others even actually actual"
    " right talk talking talked say said saying little bit two three four five six seven eight nine ten"
    " presque moitié vraiment ouais oui bref mdr chose choses quelque autre autres encore environ assez plutôt deux"
    " trois semaine semaines mois jour jours an ans année heure heures fois nouveau nouvelle maintenant désormais déjà"
)


_MEASURES: Final = (
    "mile miles foot feet inch inches yard yards meter meters metre metres kilometer kilometers kilometre kilometres km"
    " cm mm pound pounds lb lbs ounce ounces gram grams kilo kilos kg ton tons litre litres liter liters gallon gallons"
    " degree degrees dollar dollars buck bucks euro euros percent hour hours day days week weeks month months year"
    " years mètre mètres kilomètre kilomètres gramme grammes degré degrés heure heures jour jours semaine semaines mois"
    " an ans like"
)


class Slot(NamedTuple):
    """One value of the text at ``place`` and what its clause and sentence say around it.

    ``near`` and ``around``: content words of the clause and of the sentence. ``clause``: the clause of the value, or
    that and what comes before where it names nothing itself; ``start`` and ``end``: where the bare clause lies.
    ``values``: all of the sentence, those beside the point too.
    """

    place: int
    value: Value
    near: frozenset[str]
    around: frozenset[str]
    clause: str
    start: int
    end: int
    sentence: str
    values: tuple[Value, ...]


def slots_of(place: int, sentence: str) -> tuple[list[Slot], set[tuple[str, str]]]:
    """Return the slots of a sentence, and (sort, form) of every value in it, of those beside the point too."""
    values = tuple(values_of(sentence))
    forms = {(value.sort, value.form) for value in values}
    if not values or says_order(sentence) or _ROW.match(sentence):
        return [], forms
    days = sum(value.sort == "weekday" for value in values)
    kept = [each for each in values if not is_beside(sentence, each) and not (each.sort == "weekday" and days > 1)]
    if not kept:
        return [], forms
    around, clauses = telling(sentence), _clauses(sentence)
    return [_slot(place, sentence, values, value, clauses, around) for value in kept], forms


def _clauses(sentence: str) -> list[tuple[int, int]]:
    cuts = [(0, 0), *(found.span() for found in _CLAUSE.finditer(sentence)), (len(sentence), len(sentence))]
    return [(before[1], after[0]) for before, after in pairwise(cuts)]


def _slot(
    place: int, sentence: str, values: tuple[Value, ...], value: Value, clauses: list[tuple[int, int]],
    around: frozenset[str],
) -> Slot:  # fmt: skip
    at = max((at for at, (start, _) in enumerate(clauses) if start <= value.start), default=0)
    start, end = clauses[at][0], max(clauses[at][1], value.end)
    own = telling(sentence[start : value.start] + " " + sentence[value.end : end])
    said = value.unit - _magnitudes()
    first, named = at, any(len(term) > _MEASURE for term in said)
    in_brackets = bool(at) and sentence[start - 1] in "(（"  # what stands in them is about what is before them
    while not named and at - first < min(at, _BACK) and (
        in_brackets or _is_open(own - said, sentence[clauses[first][0] : end])
    ):  # fmt: skip
        first, in_brackets = first - 1, False
        own |= telling(sentence[slice(*clauses[first])])
    unit = (said - _idle()) or said
    near = (own | unit) if named or own - said else around | unit
    return Slot(place, value, near, around | near, sentence[clauses[first][0] : end], start, end, sentence, values)


def _is_open(own: frozenset[str], clause: str) -> bool:
    """Whether a clause does not say itself what its value is the value of."""
    if not own or (len(own) == 1 and _STANDS_FOR.search(clause) is not None):
        return True
    return len(own) <= _FEW_NAMES and not telling(_NAME.sub(" ", clause))


def is_beside(sentence: str, value: Value) -> bool:
    """Whether a value is what was, what something is compared with, by how much it changed, or the name of an item."""
    before, after = sentence[max(value.start - 60, 0) : value.start], sentence[value.end : value.end + 12]
    return (
        _is_supposed(sentence, value, before)
        or _is_denied(sentence, value, before)
        or (value.sort == "count" and _is_no_count(sentence, value, before, after))
        or (value.sort == "span" and _AGO.match(after) is not None)
        or (value.sort == "rate" and _EACH.match(after) is not None)
        or (value.sort in ("money", "percent") and _OFF.match(after) is not None)
        or _PAST.search(before) is not None
        or (value.sort not in MOMENTS and _BY.search(before) is not None)
    )


def _is_supposed(sentence: str, value: Value, before: str) -> bool:
    """Say whether a value is one of several of which nobody says which, a share, supposed or asked for."""
    return bool(
        _OR.search(before)
        or _OR_ELSE.match(sentence, value.end)
        or _IF.search(before)
        or _SHARE.match(sentence, value.end)
        or _SHARED.search(before)
        or _ASKED.match(sentence)
    )


def _is_no_count(sentence: str, value: Value, before: str, after: str) -> bool:
    """Say whether a number is a year, a part of a whole, or a name: in 2009, a third, 3D, chapter 2."""
    text = sentence[value.start : value.end].strip()
    named = _NAMES.match(after) is not None or _names_item(before) or _is_listed(sentence, value)
    year = _YEAR.match(text) is not None and _IN.search(before) is not None
    part = _PART.match(text) is not None and (text[0].isdigit() or _PART_OF.search(before) is not None)
    return named or year or part


def _is_denied(sentence: str, value: Value, before: str) -> bool:
    return _DENIED.search(before) is not None or _DENIED_AFTER.match(sentence, value.end) is not None


def _names_item(before: str) -> bool:
    """Say whether a number after these words is the name of an item: chapter 2, step 3, 第."""
    return _LABEL.search(before) is not None


def _is_listed(sentence: str, value: Value) -> bool:
    return bool(_MARKS.search(sentence[: value.start]) and _LISTED.match(sentence, value.end))


@lru_cache(2_048)
def telling(words: str) -> frozenset[str]:
    """Return the content words of a text, without those that say nothing of its matter, and without numbers."""
    return told(words) if words.strip() else frozenset()


def told(words: str, terms: Iterable[str] | None = None) -> frozenset[str]:
    """Return what ``telling`` does, anew; ``terms``: ``analyze(words)`` if it is known."""
    return frozenset(filter(_tells, content_terms(words, terms) - stop_terms() - _idle()))


def _tells(term: str) -> bool:
    """Whether a term is a word: no number, and no ending or particle in Japanese."""
    return (term.isascii() and term.isalpha()) or not _NO_WORD.search(term)


@cache
def _idle() -> frozenset[str]:
    return frozenset(analyze(_IDLE))


@cache
def _magnitudes() -> frozenset[str]:
    """Words that are a part of a number, and name nothing that is counted."""
    return frozenset(
        analyze(
            "hundred hundreds thousand thousands million millions billion billions mille milliard milliards"
            " th st nd rd k m"
        )
    )


@cache
def measures() -> frozenset[str]:
    """Words that say in what something is counted, and nothing of what it is: miles, kg, thousand."""
    return _magnitudes() | frozenset(analyze(_MEASURES))
