"""Where a text may be cut without breaking what a reader sees as one character."""

from __future__ import annotations

import unicodedata

MAX_CLUSTER = 64
"""Code points after which a run of marks is cut all the same: twice the limit of Unicode's stream-safe format."""

_ZWJ = "\u200d"


def safe_cut(text: str, at: int, floor: int) -> int:
    """Return the last place at or before ``at`` and above ``floor`` that is between two characters.

    Where there is none, the first one after ``at``, so that the cut always moves on.
    """
    lowest = max(floor, at - MAX_CLUSTER)
    for place in range(at, lowest, -1):
        if is_boundary(text, place):
            return place
    if lowest > floor:
        return at
    for place in range(at + 1, min(len(text), at + MAX_CLUSTER)):
        if is_boundary(text, place):
            return place
    return min(len(text), at + MAX_CLUSTER)


def is_boundary(text: str, at: int) -> bool:
    """Whether ``text`` may be cut before position ``at``: an approximation of Unicode's grapheme clusters (UAX 29)."""
    if at <= 0 or at >= len(text):
        return True
    before, after = text[at - 1], text[at]
    if after < "\u0300" and before < "\u0300":
        return not (before == "\r" and after == "\n")
    return not (_extends(after) or _is_joined(before, after) or _is_half_a_flag(text, at))


def _extends(character: str) -> bool:
    if unicodedata.category(character) in {"Mn", "Me", "Mc"}:
        return True
    return (
        character in "\u200c\u200d\u0e33\u0eb3\uff9e\uff9f"
        or "\U0001f3fb" <= character <= "\U0001f3ff"
        or _is_tag(character)
    )


def _is_tag(character: str) -> bool:
    return "\U000e0020" <= character <= "\U000e007f"


def _is_joined(before: str, after: str) -> bool:
    if before == _ZWJ or ("\ud800" <= before <= "\udbff" and "\udc00" <= after <= "\udfff"):
        return True
    return _is_jamo(before) and "\u1160" <= after <= "\u11ff"


def _is_jamo(character: str) -> bool:
    return "\u1100" <= character <= "\u11ff" or "\uac00" <= character <= "\ud7a3"


def _is_half_a_flag(text: str, at: int) -> bool:
    if not _is_indicator(text[at]):
        return False
    run = 0
    while run < MAX_CLUSTER and at - run > 0 and _is_indicator(text[at - run - 1]):
        run += 1
    return run % 2 == 1


def _is_indicator(character: str) -> bool:
    return "\U0001f1e6" <= character <= "\U0001f1ff"
