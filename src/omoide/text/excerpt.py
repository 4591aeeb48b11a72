"""The part of a long text that answers a question, in whole lines where these are short enough."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from omoide.text.normalize import fold
from omoide.text.scripts import HAN, HANGUL, KANA, SOUTHEAST

_UNSPACED: Final = re.compile(f"[{HAN}{KANA}{HANGUL}{SOUTHEAST}]")
_WORD: Final = re.compile(r"\w+")
_LINE_MOST: Final = 400


class Excerpt(NamedTuple):
    """Some lines of a text; ``first`` and ``last`` count from 1, both included, of ``of``."""

    text: str
    first: int
    last: int
    of: int


def excerpt(text: str, question: str, most: int) -> Excerpt:
    """Return the stretch of at most ``most`` characters that holds most of a folded question's words.

    A line that is longer than that is cut around the first of them.
    """
    lines = text.split("\n")
    needles = needles_of(question)
    scores = [_score(line, needles) for line in lines]
    best = _best(lines, scores, most)
    first, last = best
    shown = "\n".join(lines[first : last + 1])
    if len(shown) > most:
        shown = around(shown, needles, most)
    return Excerpt(shown, first + 1, last + 1, len(lines))


def around(line: str, needles: list[str], most: int) -> str:
    """Return at most ``most`` characters of a line around the first needle in it, an ellipsis where it was cut."""
    folded = line.casefold()
    places = [place for place in (folded.find(needle) for needle in needles) if place >= 0]
    centre = min(places, default=0)
    start = max(0, min(centre - most // 3, len(line) - most))
    end = start + most
    return ("…" if start else "") + line[start:end] + ("…" if end < len(line) else "")


def needles_of(question: str) -> list[str]:
    """Return what to look for: the beginnings of words, so that their forms are found, and pairs of characters."""
    needles: list[str] = []
    for word in dict.fromkeys(_WORD.findall(question)):
        if _UNSPACED.search(word):
            needles += [word, *(word[at : at + 2] for at in range(len(word) - 1))]
        elif len(word) > 2:
            needles.append(word[: max(4, len(word) - 3)])
    return needles


def _score(line: str, needles: list[str]) -> int:
    if not line or not needles:
        return 0
    folded = fold(line[: 20 * _LINE_MOST])
    return sum(needle in folded for needle in needles)


def _best(lines: list[str], scores: list[int], most: int) -> tuple[int, int]:
    """Return first and last index of the window with the highest sum of scores that fits, the earliest of them."""
    best, best_sum = (0, 0), -1
    first = size = total = 0
    for last, line in enumerate(lines):
        size += len(line) + 1
        total += scores[last]
        while size > most and first < last:
            size -= len(lines[first]) + 1
            total -= scores[first]
            first += 1
        if total > best_sum:
            best, best_sum = (first, last), total
    return _widened(lines, best, most)


def _widened(lines: list[str], window: tuple[int, int], most: int) -> tuple[int, int]:
    first, last = window
    room = most - sum(len(line) + 1 for line in lines[first : last + 1])
    while last + 1 < len(lines) and len(lines[last + 1]) + 1 <= room:
        last += 1
        room -= len(lines[last]) + 1
    while first > 0 and len(lines[first - 1]) + 1 <= room:
        first -= 1
        room -= len(lines[first]) + 1
    return first, last
