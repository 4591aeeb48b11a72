"""Writing systems as character classes, and a chunk of text cut into pieces of one kind."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

HAN = "\u2e80-\u2fd5\u3005\u3007\u3021-\u3029\u3038-\u303b\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af"
KANA = "\u3041-\u3096\u3099\u309a\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff\u3105-\u312f"
HANGUL = "\u1100-\u11ff\ua960-\ua97c\uac00-\ud7fb"
# Thai, Lao, Tibetan, Burmese, Khmer, Tai, Balinese, Javanese: no blanks between words.
SOUTHEAST = (
    "\u0e01-\u0e3a\u0e40-\u0e4e\u0e80-\u0ecf\u0edc-\u0edf\u0f00\u0f18\u0f19\u0f35\u0f37\u0f39\u0f3e-\u0fbc"
    "\u1000-\u103f\u1050-\u108f\u109a-\u109d\u1780-\u17d3\u17d7\u17dc\u17dd\u1950-\u19cf\u1a20-\u1a7c\u1b00-\u1b4c"
    "\ua980-\ua9c0\ua9e0-\ua9ef\ua9fa-\ua9fe\uaa60-\uaac2"
)
# Vowel signs, tones and the like that attach to the base before them.
_SIGNS = (
    "\u0e31\u0e33-\u0e3a\u0e45\u0e47-\u0e4e\u0eb1\u0eb3-\u0ebc\u0ec8-\u0ece\u0f18\u0f19\u0f35\u0f37\u0f39\u0f3e\u0f3f"
    "\u0f71-\u0fbc\u102b-\u1038\u103a-\u103e\u1056-\u1059\u105e-\u1060\u1062-\u1064\u1067-\u106d\u1071-\u1074"
    "\u1082-\u108d\u108f\u109a-\u109d\u17b4-\u17d1\u17d3\u17dd\u19b0-\u19c0\u19c8\u19c9\u1a55-\u1a7c\u1b00-\u1b04"
    "\u1b34-\u1b44\ua980-\ua983\ua9b3-\ua9c0\uaa7b-\uaa7d\uaab0-\uaabf"
)
SYMBOLS = "\u00a2-\u00a5\u00a9\u00ae\u00b0\u20a0-\u20c0\u2100-\u214f\u2190-\u2bff\U0001f000-\U0001faff"
# Combining marks of spaced scripts, which ``\w`` leaves out: accents, points, harakat, Indic vowel signs.
_WORD_MARKS = (
    "\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u064b-\u065f\u0670"
    "\u06d6-\u06dc\u06df-\u06e8\u06ea-\u06ed\u0711\u0730-\u074a\u07a6-\u07b0\u0900-\u0903\u093a-\u094f\u0951-\u0957"
    "\u0962\u0963\u0981-\u0983\u09bc-\u09cd\u09d7\u09e2\u09e3\u0a01-\u0a03\u0a3c-\u0a51\u0a70\u0a71\u0a81-\u0a83"
    "\u0abc-\u0acd\u0b01-\u0b03\u0b3c-\u0b57\u0b82\u0bbe-\u0bd7\u0c00-\u0c04\u0c3e-\u0c56\u0c81-\u0c83\u0cbc-\u0cd6"
    "\u0d00-\u0d03\u0d3b-\u0d4d\u0d57\u0d81-\u0d83\u0dca-\u0df3\u135d-\u135f\u1ab0-\u1aff\u1dc0-\u1dff"
)


class Piece(NamedTuple):
    """A stretch of one kind: run (a word or identifier), cjk, hangul, cluster, flag or symbol."""

    kind: str
    text: str
    after: str


def _run(word: str) -> str:
    segment = rf"{word}+(?:[._\-'‐]+{word}+)*(?:\+\+|#)?"
    return rf"(?P<run>{segment}(?:[/:@\\&+#]+{segment})*)"


_ASCII_PIECE = re.compile(_run(r"\w"), re.ASCII)
COUNTER = re.compile(f"[{HAN}{HANGUL}]")


@cache
def _any_piece() -> re.Pattern[str]:
    # Compiling it takes longer than a command line that only meets ASCII should wait.
    unspaced = HAN + KANA + HANGUL + SOUTHEAST
    return re.compile(
        f"(?P<cjk>[{HAN}{KANA}]+)|(?P<hangul>[{HANGUL}]+)|(?P<cluster>[{SOUTHEAST}]+)"
        f"|(?P<flag>[\U0001f1e6-\U0001f1ff]{{2}})|(?P<symbol>[{SYMBOLS}])(?P=symbol)*"
        "|" + _run(rf"(?:[^\W{unspaced}]|[{_WORD_MARKS}])")
    )


@cache
def _cluster() -> re.Pattern[str]:
    # A leading vowel that is written before its consonant, the base, its signs, consonants stacked below it.
    return re.compile(f"[\u0e40-\u0e44\u0ec0-\u0ec4]?.(?:[{_SIGNS}]|[\u1039\u17d2].)*", re.DOTALL)


def pieces(chunk: str) -> Iterator[Piece]:
    """Yield the searchable pieces of a chunk without white space; punctuation and controls only separate."""
    pattern = _ASCII_PIECE if chunk.isascii() else _any_piece()
    for match in pattern.finditer(chunk):
        kind = match.lastgroup or ""
        yield Piece(kind, match[kind], chunk[match.end() : match.end() + 1])


def clusters(text: str) -> list[str]:
    """Split a text of an unspaced Southeast Asian script into grapheme clusters."""
    return _cluster().findall(text)
