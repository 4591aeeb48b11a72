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
    " semaine semaines mois jour jours an ans année heure heures fois nouveau nouvelle maintenant désormais déjà"
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
    before = sentence[max(value.start - 60, 0) : value.start]
    after = sentence[value.end : value.end + 12]
    if value.sort == "span" and _AGO.match(after):
        return True
    if (
        _OR.search(before)
        or _OR_ELSE.match(sentence, value.end)
        or _IF.search(before)
        or _SHARE.match(sentence, value.end)
    ):
        return True
    if _SHARED.search(before) or _ASKED.match(sentence):
        return True
    if value.sort == "count" and (_NAMES.match(after) or _names_item(before) or _is_listed(sentence, value)):
        return True
    if value.sort in ("money", "percent") and _OFF.match(after):
        return True
    return bool(_PAST.search(before)) or (value.sort not in MOMENTS and bool(_BY.search(before)))


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
        analyze("hundred thousand thousands million millions billion billions dozen mille milliard milliards")
    )
