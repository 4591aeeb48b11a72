"""Values that memories state, each with the words around it: what is compared to find what changed."""

from __future__ import annotations

import re
from functools import cache
from typing import Final, NamedTuple

from omoide.text.changes import says_changed, says_deed, says_goal, says_habit, says_now, says_sum
from omoide.text.signature import content_terms
from omoide.text.tokens import analyze, stop_terms
from omoide.text.values import Value, values_of

MOMENTS: Final = frozenset({"date", "clock", "weekday"})
"""Sorts of values that say when something is, which most often is no property that changes."""
_DIGIT: Final = re.compile(r"\d")
_CLAUSE: Final = re.compile(
    r"[,;:()、]\s*|\s[-–—]\s|\s(?:and|but|so|which|while|because|since|after|before|whereas|et|mais|donc|alors|car)\s"
)
_PAST: Final = re.compile(
    r"(?:\b(?:from|was|were|previous(?:ly)?|used\sto\sbe|originally|instead\sof|than|over|under|above|below|était"
    r"|avant)(?:\s\S+)?\s*|以前は\S{0,6})$",
    re.IGNORECASE,
)
_LABEL: Final = re.compile(
    r"\b(?:day|section|step|option|phase|task|part|chapter|week|level|number|no|item|article|question|round|stage|figure"
    r"|table|unit|lesson|module|room|gate|line|row|class|grade|group|team|type|episode|season|volume|jour|étape|partie|chapitre|semaine|salle)"
    r"s?\.?\s?#?$|第$|[#(\[]$",
    re.IGNORECASE,
)
_FROM: Final = re.compile(
    r"\b(?:from|instead\sof|pass\w+\sde|au\slieu\sde)\s(?:the\s|about\s|around\s)?$", re.IGNORECASE
)
_AGO: Final = re.compile(r"\s*(?:ago|later|earlier|before|from\snow|plus\stard)\b|前|後", re.IGNORECASE)
_LISTED: Final = re.compile(r"[.)\]]\s*$|[.)\]]\s+[A-Z\"'*]")
"""What follows the number of an item of a list."""
_BY: Final = re.compile(
    r"\bby\s(?:about\s|around\s|over\s|nearly\s|at\sleast\s|up\sto\s|another\s)?$|\b(?:another|other|autres|extra|additional|(?:augment|rédui|baiss)\w+\sde)\s$",
    re.IGNORECASE,
)
_NAME: Final = re.compile(r"(?<![.!?…\"“]\s)(?<!^)(?<![\w'’])[A-Z][\w'’&-]+|(?<![\w'’])[A-Z]{2,}[\w-]*|\"[^\"]{3,60}\"")
_TITLE: Final = re.compile('["“«『「]([^"“”«»『』「」]{3,60})["”»』」]')
_QUOTED: Final = re.compile(r"(?<!\w)['‘]([^'‘’]{3,60})['’](?!\w)")
_NO_NAME: Final = re.compile(
    r"(?:I['’]?\w*|AM|PM|OK|January|February|March|April|May|June|July|August|September|October|November|December"
    r"|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec|(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)days?|Q[1-4])$"
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
    " semaine semaines mois jour jours an ans année heure heures fois nouveau nouvelle maintenant désormais déjà"
)


class Slot(NamedTuple):
    """One value of the text at ``place`` and what its clause and sentence say around it.

    ``near`` and ``around``: content words of the clause and of the sentence. ``names`` and ``titles``: capitalised
    words and quoted titles of the sentence. ``moved``: the clause says that this value changed; ``now``: that it is
    how things stand; ``goal``, ``deed``, ``habit``: that it is wished for, was done once, happens again and again;
    ``stir``: the sentence tells of a change or of how things stand, elsewhere. ``instead_of``: the values of its sort
    that the sentence says it takes the place of.
    """

    place: int
    value: Value
    near: frozenset[str]
    around: frozenset[str]
    names: frozenset[str]
    titles: frozenset[str]
    moved: bool
    now: bool
    goal: bool
    deed: bool
    habit: bool
    stir: bool
    instead_of: frozenset[str]
    sentence: str


def slots_of(place: int, sentence: str) -> tuple[list[Slot], set[tuple[str, str]]]:
    """Return the slots of a sentence, and (sort, form) of every value in it, of those beside the point too."""
    values = list(values_of(sentence))
    forms = {(value.sort, value.form) for value in values}
    if not values:
        return [], forms
    names, around = _names(sentence), telling(sentence)
    left = [value for value in values if _FROM.search(sentence[max(value.start - 24, 0) : value.start])]
    days = sum(value.sort == "weekday" for value in values)
    made = [
        _slot(place, sentence, value, values, left, names, around)
        for value in values
        if not _is_beside(sentence, value) and not (value.sort == "weekday" and days > 1)
    ]
    return made, forms


def _slot(
    place: int, sentence: str, value: Value, values: list[Value], left: list[Value], names: frozenset[str],
    around: frozenset[str],
) -> Slot:  # fmt: skip
    start = max((found.end() for found in _CLAUSE.finditer(sentence, 0, value.start)), default=0)
    following = _CLAUSE.search(sentence, value.end)
    end = len(sentence) if following is None else following.start()
    clause = sentence[start:end]
    near = telling(sentence[start : value.start] + " " + sentence[value.end : end]) | value.unit
    return Slot(
        place, value, near, around | near, names, _titles(sentence),
        _moved(sentence, start, value, values, left, clause), says_now(clause) or says_sum(clause),
        says_goal(clause), says_deed(clause) and not says_sum(clause), says_habit(clause),
        says_changed(sentence) or says_now(sentence),
        frozenset(other.form for other in left if other.sort == value.sort), sentence,
    )  # fmt: skip


def _moved(
    sentence: str, start: int, value: Value, values: list[Value], left: list[Value], clause: str
) -> bool:  # fmt: skip
    """A moment is moved only where nothing else is, and nothing stands between it and the word that says so."""
    if value.sort not in MOMENTS:
        return says_changed(clause)
    if left and all(other.sort != value.sort for other in left):
        return False
    begin = max(
        (other.end for other in values if other.end <= value.start and other.sort not in MOMENTS), default=start
    )
    return says_changed(sentence[max(begin, start) : value.start])


def _is_beside(sentence: str, value: Value) -> bool:
    """Whether a value is what was, what something is compared with, by how much it changed, or the name of an item."""
    before = sentence[max(value.start - 40, 0) : value.start]
    after = sentence[value.end : value.end + 12]
    if value.sort == "span" and _AGO.match(after):
        return True
    if value.sort == "count" and (
        after.startswith("-") or _LABEL.search(before) or _LISTED.match(sentence[value.end :])
    ):
        return True
    return bool(_PAST.search(before)) or (value.sort not in MOMENTS and bool(_BY.search(before)))


def _names(sentence: str) -> frozenset[str]:
    words = [
        part
        for found in _NAME.findall(sentence)
        for part in found.strip('"').split()
        if not _NO_NAME.match(part) and len(part) > 2
    ]
    return frozenset(analyze(" ".join(words))) - stop_terms()


def _titles(sentence: str) -> frozenset[str]:
    found = [*_TITLE.findall(sentence), *_QUOTED.findall(sentence)]
    return frozenset(title.lower().strip(" ,.") for title in found)


def telling(words: str) -> frozenset[str]:
    """Return the content words of a text, without those that say nothing of its matter, and without numbers."""
    if not words.strip():
        return frozenset()
    return frozenset(term for term in content_terms(words) - stop_terms() - _idle() if not _DIGIT.search(term))


@cache
def _idle() -> frozenset[str]:
    return frozenset(analyze(_IDLE))
