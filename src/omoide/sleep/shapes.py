"""Sentences that are the same but for one part, which says how a thing stands: "lives in Osaka", "lives in Tokyo"."""

from __future__ import annotations

import re
from typing import Final

from omoide.text.changes import says_order
from omoide.text.lookalikes import skeleton

_LONGEST: Final = 300
_PART: Final = 5
"""Words of the part that may differ."""
_FEWEST: Final = 2
"""Words that have to be the same."""
_CJK: Final = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_PIECE: Final = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|[^\W\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+")
_ITEM: Final = re.compile(
    r"\b(?:chapter|module|part|section|step|phase|question|exercise|lesson|task|item|page|slide|day|week|article|figure"
    r"|volume|episode|chapitre|partie|étape|leçon|exercice|semaine|jour)s?\b[ #]*$|第$",
    re.IGNORECASE,
)
"""What stands before a number that names one of several things, of which each is as it is."""
_ADDRESS: Final = re.compile(r"!?\[\[[^\]]*\]\]|\]\([^)]*\)|<?\w+://\S+|`[^`]*`|(?<!\S)\S*/\S*\w/?\S*")
"""Links, addresses, paths and code."""
_DIGIT: Final = re.compile(r"\d")
_NUMBER: Final = re.compile(r"\d+(?:[ .,]\d+)*")
_MANY: Final = re.compile(
    r"\b(?:likes?|loves?|enjoys?|uses?|knows?|speaks?|visit(?:s|ed)?|buys?|bought|owns?|has|have|had|met|reads?|read"
    r"|watch(?:es|ed)?|went|eats?|ate|allergic|hates?|dislikes?|wants?|asked|said|attended|added|includes?|contains?"
    r"|supports?|fixed|see|aime|adore|utilise|parle|possède|connaît|a|déteste|veut)\b|好き|嫌い|使|話|持|知|行っ|買",
    re.IGNORECASE,
)
"""Statements that may be true of several things at once."""
_STATE: Final = re.compile(
    r"\b(?:is|are|lives?|works?|resides?|based|located|named|called|runs?\son|costs?|moved|prefers?|employed|married"
    r"|password|deadline|version|port|limit|habite|vit|travaille|est|s'appelle|coûte|préfère)\b"
    r"|住んで|住む|在住|勤め|勤務|働い|です|である|だ$|は",
    re.IGNORECASE,
)


def shape_keys(text: str) -> list[tuple[str, str]]:
    """Return what texts of one shape share: how they begin, and how they end."""
    if len(text) > _LONGEST:
        return []
    pieces = _pieces(text)
    if len(pieces) <= _FEWEST:
        return []
    size = 4 if _CJK.search(text) else 2
    return [("begins", " ".join(pieces[:size])), ("ends", " ".join(pieces[-size:]))]


def replaced_part(old: str, new: str, *, named: bool) -> float:
    """Return how sure it is that a text is an earlier one with another value in it, 0 for not at all.

    ``named``: the subject is known apart, so that the part that differs may come first; else it would name whom
    it is about.
    """
    before, after = _pieces(old), _pieces(new)
    if before == after:
        return 0.0
    start = _common(before, after)
    end = _common(before[start:][::-1], after[start:][::-1])
    gone, come = before[start : len(before) - end], after[start : len(after) - end]
    cjk = bool(_CJK.search(old))
    most, fewest = (3 * _PART, 2 * _FEWEST) if cjk else (_PART, _FEWEST)
    if not gone or not come or max(len(gone), len(come)) > most or start + end < max(fewest, len(gone)):
        return 0.0
    if _counted(gone) or _counted(come):
        stated = _masked(gone) == _masked(come) and (named or cjk or _worded(before[:start]) >= _FEWEST)
        return 0.75 if stated and not _names_one(old, new, before[:start]) else 0.0
    if (set(gone) & set(come) and not cjk) or _MANY.search(old):  # the same thing in other words, or one of several
        return 0.0
    lead = " ".join(before[max(start - 2, 0) : start])
    if named:
        return 0.75 if _STATE.search(old if cjk else lead) else 0.0
    return 0.6 if not end and start > _FEWEST and _STATE.search(lead) else 0.0


def _names_one(old: str, new: str, lead: list[str]) -> bool:
    """Say whether the numbers that differ name things rather than tell how one stands, or the text asks for something.

    They do in addresses, links and code, and after the word for one of several.
    """
    item = _ITEM.search(" ".join(lead)) is not None
    return item or says_order(new) or _ADDRESS.sub(" ", old) == _ADDRESS.sub(" ", new)


def _counted(part: list[str]) -> bool:
    return any(map(_DIGIT.search, part))


def _worded(part: list[str]) -> int:
    return sum(_DIGIT.search(piece) is None for piece in part)


def _masked(part: list[str]) -> str:
    return _NUMBER.sub("#", " ".join(part))


def _pieces(text: str) -> list[str]:
    return _PIECE.findall(skeleton(text))


def _common(one: list[str], other: list[str]) -> int:
    count = 0
    for mine, yours in zip(one, other, strict=False):
        if mine != yours:
            break
        count += 1
    return count
