"""What a sentence says of a value that it states: that it changed, how things stand, what is wanted, what was done."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from omoide.sleep.slots import MOMENTS, Slot, is_beside
from omoide.text.changes import (
    says_changed,
    says_deed,
    says_goal,
    says_habit,
    says_now,
    says_postponed,
    says_sum,
    says_thought,
    says_went_back,
)
from omoide.text.tokens import analyze, stop_terms
from omoide.text.values import Value

_FROM: Final = re.compile(
    r"\b(?:from|instead\sof|pass\w+\sde|au\slieu\sde)\s(?:the\s|about\s|around\s)?$", re.IGNORECASE
)
_NAME: Final = re.compile(r"(?<![.!?…\"“]\s)(?<!^)(?<![\w'’])[A-Z][\w'’&-]+|(?<![\w'’])[A-Z]{2,}[\w-]*|\"[^\"]{3,60}\"")
_TITLE: Final = re.compile('["“«『「]([^"“”«»『』「」]{3,60})["”»』」]')
_QUOTED: Final = re.compile(r"(?<!\w)['‘]([^'‘’]{3,60})['’](?!\w)")
_NO_NAME: Final = re.compile(
    r"(?:I['’]?\w*|AM|PM|OK|January|February|March|April|May|June|July|August|September|October|November|December"
    r"|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec|(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)days?|Q[1-4]"
    r"|USD|EUR|GBP|JPY|NGN|INR|CAD|AUD|NZD|CHF)$"
)
_HEADING: Final = re.compile(r"^\s*(?:【[^】]*】|\[[^\]]*\])")
_WHEN: Final = re.compile(
    r"\b(?:on|since|in|as\sof|start(?:s|ing|ed)?|beginning|effective|of|le|depuis|dès)\s(?:the\s|about\s)?$",
    re.IGNORECASE,
)
"""What stands before the day on which something changed, rather than the day that it was moved to."""
_PERIODS: Final = {
    "day": r"\b(?:daily|(?:a|per|each|every)\sday|par\sjour|quotidien\w*)\b|毎日|1日",
    "week": r"\b(?:weekly|(?:a|per|each|every)\sweek|par\ssemaine|hebdomadaire\w*)\b|毎週|週",
    "month": r"\b(?:monthly|(?:a|per|each|every)\smonth|par\smois|mensuel\w*)\b|毎月|月額|月に",
    "year": r"\b(?:yearly|annual(?:ly)?|(?:a|per|each|every)\syear|par\san|annuel\w*)\b|毎年|年間|年収",
}
_WHOSE: Final = re.compile(
    r"(?P<mine>\b(?:i|im|ive|my|me|mine|we|our|us|ours|je|j|mon|ma|mes|nous|notre|nos)\b|私|僕|俺)"
    r"|\b(?:he|she|they|his|her|their|them|someone|somebody|another|dude|guy|kids|people|every(?:one|body)|any(?:one|body)"
    r"|nobody|you(?:r|rs|re)?|ils?|elles?|leurs?|tu|vous|votre|vos)\b|彼|あなた|みんな",
    re.IGNORECASE,
)
"""Words for who speaks, and for others that the sentence does not name."""
_ONCE: Final = re.compile(
    r"\b(?:today|yesterday|tonight|tomorrow|demain|last\s(?:night|round|game|time)|this\s(?:morning|afternoon|evening)|when\si\swas"
    r"|back\sthen|hier|aujourd['’]hui|ce\s(?:matin|soir))\b|昨日|今日|昨夜|今朝|明日",
    re.IGNORECASE,
)
"""When something was that has its day and says nothing of other days."""
_EDGES: Final = {
    "end": re.compile(r"\b(?:until|till|jusqu['’](?:à|au))\s\S{0,6}\s?$", re.IGNORECASE),
    "start": re.compile(r"\b(?:from|since|after|dès|depuis|à\spartir\sde)\s\S{0,6}\s?$", re.IGNORECASE),
}
_AWAY: Final = re.compile(
    r"\s(?:from|away|drive|walk|flight|by\s(?:car|train|bus|plane|foot)|de\s(?:route|marche|vol|train)|à\spied|en\s(?:train|voiture))\b"
    r"|(?:ほど)?(?:離れ|かか)|の距離",
    re.IGNORECASE,
)
"""What follows a time that tells how far something is."""
_QUARTER: Final = re.compile(r"\b[QT][1-4]\b|第[1-4一二三四]四半期")
_PERIOD: Final = {name: re.compile(pattern, re.IGNORECASE) for name, pattern in _PERIODS.items()}


class Cues(NamedTuple):
    """What the clause and the sentence of a slot say of its value.

    ``moved``: the clause says that this value changed; ``now``: that it is how things stand; ``sums``: that it is all
    that came about up to now; ``goal``, ``deed``, ``habit``: that it is wished for, was done once, happens again and
    again; ``stir``: the sentence tells of a change or of how things stand, elsewhere. ``instead_of``: the values of
    its sort that the sentence says it takes the place of. ``periods`` and ``quarters``: how often it is due, and of
    which part of the year it is. ``names`` and ``titles``: capitalised words and quoted titles of the sentence.
    ``fellows``: values of its sort that the sentence states, itself counted. ``whose``: "mine" or "theirs", of whom the
    clause speaks last before the value, "" where it does not say; ``once``: it tells of one day; ``edge``: the value is
    the "start" or the "end" of something, or how far "away" it is.
    """

    moved: bool
    now: bool
    sums: bool
    goal: bool
    deed: bool
    habit: bool
    stir: bool
    instead_of: frozenset[str]
    periods: frozenset[str]
    quarters: frozenset[str]
    names: frozenset[str]
    titles: frozenset[str]
    fellows: int
    whose: str
    once: bool
    edge: str


def cues_of(slot: Slot) -> Cues:
    """Return what the sentence of a slot says of its value."""
    sentence, value = slot.sentence, slot.value
    clause = sentence[slot.start : slot.end]
    left = [each for each in slot.values if _FROM.search(sentence[max(each.start - 24, 0) : each.start])]
    sums = says_sum(clause)
    thought = says_thought(sentence[slot.start : value.start])
    stir = not thought and (says_changed(sentence) or says_now(sentence))
    return Cues(
        not thought and _moved(slot, left), says_now(clause) or sums, sums, says_goal(slot.clause),
        says_deed(clause) and not sums, says_habit(clause) and not thought, stir,
        frozenset(each.form for each in left if each.sort == value.sort),
        frozenset(name for name, pattern in _PERIOD.items() if pattern.search(slot.clause)),
        frozenset(_QUARTER.findall(sentence)),
        _names(sentence), _titles(sentence),
        sum(each.sort == value.sort and not is_beside(sentence, each) for each in slot.values),
        _whose(sentence[slot.start : value.start]), _ONCE.search(clause) is not None,
        _edge(sentence, value),
    )  # fmt: skip


def _edge(sentence: str, value: Value) -> str:
    if value.sort == "span" and _AWAY.match(sentence, value.end):
        return "away"
    return next((name for name, form in _EDGES.items() if form.search(sentence[: value.start])), "")


def _whose(words: str) -> str:
    found = list(_WHOSE.finditer(words))
    return "" if not found else "mine" if found[-1]["mine"] else "theirs"


def _moved(slot: Slot, left: list[Value]) -> bool:
    """A moment is moved only where nothing else is, and nothing stands between it and the word that says so."""
    sentence, value = slot.sentence, slot.value
    if value.sort not in MOMENTS:
        clause = sentence[slot.start : slot.end]
        if value.sort == "version" and says_went_back(clause):
            return True
        return says_changed(clause) and (value.sort == "span" or not says_postponed(clause))
    if (left and all(other.sort != value.sort for other in left)) or _WHEN.search(sentence[: value.start]):
        return False
    begin = max(
        (other.end for other in slot.values if other.end <= value.start and other.sort not in MOMENTS),
        default=slot.start,
    )
    return says_changed(sentence[max(begin, slot.start) : value.start])


def _names(sentence: str) -> frozenset[str]:
    words = [
        part
        for found in _NAME.findall(_HEADING.sub("", sentence))
        for part in found.strip('"').split()
        if not _NO_NAME.match(part) and len(part) > 2
    ]
    return frozenset(analyze(" ".join(words))) - stop_terms()


def _titles(sentence: str) -> frozenset[str]:
    found = [*_TITLE.findall(sentence), *_QUOTED.findall(sentence)]
    return frozenset(title.lower().strip(" ,.") for title in found)
