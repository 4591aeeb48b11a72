"""Token ids of the uncased BERT vocabulary: words in small letters without accents, longest pieces first.

Greedy longest match from the left, as BERT does it (Wu and others 2016, https://arxiv.org/abs/1609.08144, section
4.1): a word that cannot be put together is one unknown token. Special tokens are never found in a text.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Final

START: Final = "[CLS]"
END: Final = "[SEP]"
UNKNOWN: Final = "[UNK]"
SPECIAL: Final = ("[PAD]", UNKNOWN, START, END, "[MASK]")
INSIDE: Final = "##"

LONGEST_WORD: Final = 100  # characters; longer ones are unknown
LONGEST_PIECE: Final = 20  # characters
REMEMBERED_WORDS: Final = 8192

_BLANKS: Final = "\t\n\r"
_ASCII_MARKS: Final = frozenset("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")
_HAN: Final = (
    (0x4E00, 0x9FFF), (0x3400, 0x4DBF), (0x20000, 0x2A6DF), (0x2A700, 0x2B73F), (0x2B740, 0x2B81F),
    (0x2B920, 0x2CEAF), (0xF900, 0xFAFF), (0x2F800, 0x2FA1F),
)  # fmt: skip


class WordPiece:
    """A vocabulary of 30 thousand pieces."""

    def __init__(self, pieces: Sequence[str]) -> None:
        ids = {piece: place for place, piece in enumerate(pieces)}
        self._start, self._end, self._unknown = ids[START], ids[END], ids[UNKNOWN]
        self._ids = {piece: place for piece, place in ids.items() if piece not in SPECIAL}
        self._remembered = lru_cache(REMEMBERED_WORDS)(self._split)

    @classmethod
    def read(cls, folder: Path) -> WordPiece:
        """Read ``vocab.txt``, one piece a line in the order of the ids."""
        return cls((folder / "vocab.txt").read_text(encoding="utf-8").removesuffix("\n").split("\n"))

    def ids(self, text: str, limit: int) -> list[int]:
        """Return the token ids with start and end, cut to the limit; the end is always there."""
        found = [self._start]
        # More characters than that cannot fit, and a megabyte without a blank would take seconds.
        for word in words(text[: limit * LONGEST_WORD]):
            found.extend(self._remembered(word))
            if len(found) >= limit:
                break
        return [*found[: limit - 1], self._end]

    def count(self, text: str) -> int:
        """Return the number of tokens, start and end not counted."""
        return sum(len(self._remembered(word)) for word in words(text))

    def _split(self, word: str) -> tuple[int, ...]:
        if len(word) > LONGEST_WORD:
            return (self._unknown,)
        pieces: list[int] = []
        at = 0
        while at < len(word):
            found = self._longest(word, at)
            if found is None:
                return (self._unknown,)
            piece, at = found
            pieces.append(piece)
        return tuple(pieces)

    def _longest(self, word: str, at: int) -> tuple[int, int] | None:
        prefix = INSIDE if at else ""
        for end in range(min(len(word), at + LONGEST_PIECE), at, -1):
            piece = self._ids.get(prefix + word[at:end])
            if piece is not None:
                return piece, end
        return None


def words(text: str) -> Iterator[str]:
    """Yield the words of a text; every punctuation mark and every Han character is one."""
    bare = text.lower() if text.isascii() else _bare(text)
    yield from "".join(map(_spaced, bare)).split()


def _bare(text: str) -> str:
    """Return small letters without accents, as the model was trained on them."""
    spread = unicodedata.normalize("NFD", text)
    return "".join(character for character in spread if unicodedata.category(character) != "Mn").lower()


@lru_cache(4096)
def _spaced(character: str) -> str:
    if character in _BLANKS or unicodedata.category(character) == "Zs":
        return " "
    category = unicodedata.category(character)
    if category[0] == "C" or character == "\ufffd":
        return ""
    if character in _ASCII_MARKS or category[0] == "P" or _is_han(ord(character)):
        return f" {character} "
    return character


def _is_han(point: int) -> bool:
    return any(first <= point <= last for first, last in _HAN)
