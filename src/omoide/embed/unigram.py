"""Token ids of the XLM-RoBERTa vocabulary: normalise, split at blanks, best split of every word.

A word's split is the one with the largest sum of piece scores (Kudo 2018, https://arxiv.org/abs/1804.10959,
section 3.2). No piece goes on beyond the end of a word, so words are split one by one and remembered.
Special tokens are never found in a text: ``</s>`` in it is four characters like any other.
"""

from __future__ import annotations

import unicodedata
from array import array
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Final

START: Final = 0
END: Final = 2
UNKNOWN: Final = 3

LONGEST_PIECE: Final = 16  # characters
LONGEST_REMEMBERED: Final = 24  # characters; longer words hardly come again
REMEMBERED_WORDS: Final = 8192
UNKNOWN_PENALTY: Final = 10.0  # below the worst piece, as in sentencepiece
SPECIAL: Final = ("<s>", "<pad>", "</s>", "<unk>", "<mask>")

# What the model's own normaliser does beyond NFKC: control characters go, other separators are blanks.
_TAB, _LINE_FEED, _FORM_FEED, _RETURN = 0x09, 0x0A, 0x0C, 0x0D
_DROPPED = {*range(0x01, 0x20), 0x7F, 0x8F, 0x9F} - {_TAB, _LINE_FEED, _FORM_FEED, _RETURN}
_BLANKS = {_TAB, _LINE_FEED, _FORM_FEED, _RETURN, 0x1680, *range(0x200B, 0x2010), 0x2028, 0x2029, 0x2581, 0xFEFF}
_BLANKS |= {0xFFFD}
_MAP: Final = dict.fromkeys(_DROPPED, "") | dict.fromkeys(_BLANKS, " ")
_WAVE: Final = "\uff5e"  # the one character whose compatibility form the model does not use


def normalize(text: str) -> str:
    """Return the text as the model was trained on it, blanks not yet folded."""
    text = text.translate(_MAP)
    if text.isascii():
        return text
    return _WAVE.join(unicodedata.normalize("NFKC", part) for part in text.split(_WAVE))


class Unigram:
    """The vocabulary: 250 thousand pieces and their scores, about 40 MB."""

    def __init__(self, pieces: list[str], scores: array[float]) -> None:
        self._ids = dict(zip(pieces, range(len(pieces)), strict=True))
        for piece in SPECIAL:
            self._ids.pop(piece, None)
        self._scores = scores
        self._unknown = min(scores) - UNKNOWN_PENALTY
        self._remembered = lru_cache(REMEMBERED_WORDS)(self._split)

    @classmethod
    def read(cls, folder: Path) -> Unigram:
        """Read ``pieces.txt`` (one a line, a blank for the start of a word) and ``scores.bin`` (float32)."""
        scores = array("f", (folder / "scores.bin").read_bytes())
        pieces = (folder / "pieces.txt").read_text(encoding="utf-8").split("\n")
        if len(pieces) != len(scores):
            raise ValueError(f"{len(pieces)} pieces and {len(scores)} scores in {folder} are not one vocabulary")
        return cls(pieces, scores)

    def words(self, text: str) -> Iterator[tuple[int, ...]]:
        """Give the token ids of one word after the other."""
        for word in normalize(text).split():
            split = self._remembered if len(word) < LONGEST_REMEMBERED else self._split
            yield split(" " + word)

    def ids(self, text: str, limit: int) -> list[int]:
        """Return the token ids with start and end, cut to the limit; the end is always there."""
        found = [START]
        # More characters than that cannot fit, and a megabyte without a blank would take seconds.
        for word in self.words(text.strip()[: limit * LONGEST_PIECE]):
            found.extend(word)
            if len(found) >= limit:
                break
        return [*found[: limit - 1], END]

    def count(self, text: str) -> int:
        """Return the number of tokens, start and end not counted."""
        return sum(map(len, self.words(text)))

    def _split(self, word: str) -> tuple[int, ...]:
        """Return the best split: for every end the best last piece, then back from the end."""
        size = len(word)
        best = [0.0] + [-1e30] * size
        starts = [0] * (size + 1)
        chosen = [UNKNOWN] * (size + 1)
        ids, scores = self._ids, self._scores
        for start in range(size):
            base = best[start]
            if base + self._unknown > best[start + 1]:
                best[start + 1], starts[start + 1] = base + self._unknown, start
                chosen[start + 1] = UNKNOWN
            for end in range(start + 1, min(start + LONGEST_PIECE, size) + 1):
                found = ids.get(word[start:end])
                if found is not None and base + scores[found] > best[end]:
                    best[end], starts[end], chosen[end] = base + scores[found], start, found
        return _walk_back(starts, chosen)


def _walk_back(starts: list[int], chosen: list[int]) -> tuple[int, ...]:
    """Return the pieces from first to last; a run of unknown characters is one token."""
    split: list[int] = []
    end = len(starts) - 1
    while end:
        if chosen[end] != UNKNOWN or not split or split[-1] != UNKNOWN:
            split.append(chosen[end])
        end = starts[end]
    return tuple(reversed(split))
