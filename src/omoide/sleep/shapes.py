"""Sentences that are the same but for one part, which says how a thing stands: "lives in Osaka", "lives in Tokyo"."""

from __future__ import annotations

import re
from typing import Final

from omoide.sleep.single import is_single_valued
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
_NAME_WITH_DIGITS: Final = re.compile(r"[^\W\d_]{2,}\d")
"""A word that ends in a number is a name."""
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
_BARE: Final = re.compile(r"\b(?:is|are|est|sont)\b|は", re.IGNORECASE)
"""A verb that says nothing itself of what follows it: a value, what somebody does, or what somebody thinks."""
_POINTING: Final = frozenset({
    "he", "she", "it", "they", "that", "this", "those", "these", "one", "ones", "there", "you", "here", "il", "elle",
    "ils", "elles", "ce", "cela", "ça", "c", "vous", "tu", "his", "her", "its", "their", "your", "son", "sa", "leur",
    "both", "some", "most", "many", "all", "everyone", "everybody", "each", "others", "tous", "toutes", "chacun",
    "certains",
})  # fmt: skip
"""Words for what somebody has just spoken of, or is speaking to."""
_NOW_IT: Final = re.compile(r"\b(?:it|that|there)\s?s\b|\b(?:are|was|were|has|have|had|il\sy\sa|sont)\b")
"""Verbs of a statement with a number, besides those of a state."""
_TO_DO: Final = frozenset({"to", "de", "d", "zu"})
"""What a plan begins with: "is to do", "est de faire"."""
_POINTS: Final = re.compile(r"^(?:それ|これ|あれ|そこ|ここ|彼|彼女|あなた|他)")
_ASKS: Final = re.compile(
    r"[?？]\s*$|か[。.]?\s*$|^(?:(?:so|and|but|well|oh|hey|hi|ok|okay|um|et|mais|alors)\b[\s,]*)*"
    r"(?:(?:what|which|who|whom|whose|where|when|why|how)(?:['’]s|(?:\s\w+){0,2}\s(?:is|are|was|were|do|does|did|can|could"
    r"|will|would|should|have|has))\b"
    r"|(?:is|are|was|were|do|does|did|have|has|can|could|will|would|should)\s(?:you|we|they|it|he|she|i|the|that|this"
    r"|there|your|my|any)\b|quel(?:le)?s?\s(?:est|sont)\b|est-ce\b|(?:où|quand|comment|combien|pourquoi)\s(?:est|sont|tu|vous)\b)",
    re.IGNORECASE,
)
"""How a question ends or begins: it states nothing."""
_PROPERTY: Final = re.compile(
    r"(?:住所|居住地|勤務先|会社|職業|役職|電話|年齢|状態|バージョン|締切|期限|価格|予算|給料|名前|担当)$"
)
_NAMED: Final = re.compile(r"\s(?:[A-Z][\w'’.-]*)(?:\s[A-Z][\w'’.-]*)*$")
"""A proper name at the end."""


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
    it is about, and the text has to say itself what it is about.
    """
    before, after = _pieces(old), _pieces(new)
    start = _common(before, after)
    end = _common(before[start:][::-1], after[start:][::-1])
    gone, come = before[start : len(before) - end], after[start : len(after) - end]
    cjk = bool(_CJK.search(old))
    most, fewest = (3 * _PART, 2 * _FEWEST) if cjk else (_PART, _FEWEST)
    if not gone or not come or max(len(gone), len(come)) > most or start + end < max(fewest, len(gone)):
        return 0.0
    if _ASKS.search(old) or _ASKS.search(new):
        return 0.0
    lead = before[:start]
    if _counted(gone) or _counted(come):
        stated = _masked(gone) == _masked(come) and (named or _tells(before, start, old))
        return 0.75 if stated and not _names_one(old, new, lead) else 0.0
    if _is_beside(gone, come, cjk=cjk) or _MANY.search(old):
        return 0.0
    if named:
        return 0.75 if _STATE.search(old if cjk else " ".join(lead[-2:])) else 0.0
    return 0.6 if not end and start > _FEWEST and _says_state(lead, old, new) else 0.0


def _tells(pieces: list[str], start: int, text: str) -> bool:
    """Say whether a sentence with a number at ``start`` says how something stands: it has a verb for it or a property.

    A line that only names what a number or a time belongs to is a record, of which there are many.
    """
    lead, tail = pieces[:start], pieces[start + 1 :]
    if _CJK.search(text):
        return _STATE.search(text) is not None
    if _worded(lead) < _FEWEST:
        return False
    verb = _STATE.search(" ".join(lead)) or _NOW_IT.search(" ".join(lead))
    return verb is not None or any(map(is_single_valued, [*lead[-2:], *tail[:1]]))


def _is_beside(gone: list[str], come: list[str], *, cjk: bool) -> bool:
    """Say whether two parts are one thing in other words, or one of them names no value."""
    return (bool(set(gone) & set(come)) and not cjk) or _says_the_same(gone, come) or _is_open(gone) or _is_open(come)


def _says_the_same(gone: list[str], come: list[str]) -> bool:
    """Say whether one part is the initials of the other: two names of one thing."""
    for short, long in ((gone, come), (come, gone)):
        if len(short) == 1 and len(long) > 1 and short[0] == "".join(word[0] for word in long):
            return True
    return False


def _is_open(part: list[str]) -> bool:
    """Say whether a part names no value: it points at one, or says what is to be done."""
    return part[0] in _TO_DO or (len(part) <= _FEWEST and not _POINTING.isdisjoint(part))


def _says_state(lead: list[str], *texts: str) -> bool:
    """Say whether sentences that begin alike say of something that they name how it stands."""
    verb = " ".join(lead[-2:])
    if not _STATE.search(verb) or _points(lead):
        return False
    return _STATE.search(_BARE.sub(" ", verb)) is not None or _is_property(lead, *texts)


def _points(lead: list[str]) -> bool:
    """Say whether what a sentence begins with speaks of something that was named before it."""
    return not _POINTING.isdisjoint(lead) or _POINTS.search("".join(lead)) is not None


def _is_property(lead: list[str], *texts: str) -> bool:
    """Say whether "x is" is said of a property that has one value, or names what it is in every text."""
    if not _BARE.search(lead[-1]):
        return False
    return is_single_valued(lead[-2]) or bool(_PROPERTY.search("".join(lead[:-1]))) or all(map(_ends_in_name, texts))


def _ends_in_name(text: str) -> bool:
    return _NAMED.search(text.rstrip(" .!。")) is not None


def _names_one(old: str, new: str, lead: list[str]) -> bool:
    """Say whether the numbers that differ name things rather than tell how one stands, or the text asks for something.

    They do in addresses, links and code, and after the word for one of several.
    """
    item = _ITEM.search(" ".join(lead)) is not None
    return item or says_order(new) or _ADDRESS.sub(" ", old) == _ADDRESS.sub(" ", new)


def _counted(part: list[str]) -> bool:
    return any(map(_DIGIT.search, part)) and not any(map(_NAME_WITH_DIGITS.match, part))


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
