"""A line that stands for a text, made from its own words."""

from __future__ import annotations

import re
from typing import Final

LONGEST: Final = 160
"""Characters of a summary."""
_LOOKED_AT: Final = 4_000
_MARKUP: Final = re.compile(r"^\s*(?:#{1,6}\s+|[-*+•]\s+|\d+[.)]\s+|>\s*|\|)|[*_`~]{2,}|\s*#+\s*$")
_EMPTY: Final = re.compile(r"^[\W_]*$")
_FENCE: Final = re.compile(r"^\s*(?:```|~~~|---\s*$|===)")
_HEADING: Final = re.compile(r"^\s*#{1,6}\s+\S")
_SENTENCE_END: Final = re.compile(r"(?<=[.!?…])\s+|(?<=[。！？])")
_BLANKS: Final = re.compile(r"\s+")
_LABEL: Final = re.compile(r"^(?:user|human|assistant|ai|system|tool)\s*:\s*", re.IGNORECASE)


def summarise(text: str) -> str:
    """Return the first heading, and the first sentence after it, or the first sentence alone; one line.

    At most ``LONGEST`` characters. Empty only for a text without a letter or digit.
    """
    lines = [line for line in text[:_LOOKED_AT].splitlines() if not _FENCE.match(line) and not _EMPTY.match(line)]
    if not lines:
        return cut(_BLANKS.sub(" ", text).strip())
    head = plain_line(lines[0])
    if _HEADING.match(lines[0]) and len(lines) > 1:
        after = plain_line(lines[1])
        return cut(f"{head}: {_SENTENCE_END.split(after, maxsplit=1)[0]}")
    sentence = _SENTENCE_END.split(head, maxsplit=1)[0]
    return cut(sentence if len(sentence) >= LONGEST // 8 else head)


def plain_line(line: str) -> str:
    """Return a line without marks of layout, labels of speakers and repeated blanks."""
    return _LABEL.sub("", _BLANKS.sub(" ", _MARKUP.sub("", line)).strip())


def cut(line: str) -> str:
    """Return a line of at most ``LONGEST`` characters, cut at a blank where there is one near."""
    if len(line) <= LONGEST:
        return line
    kept = line[: LONGEST - 1]
    blank = kept.rfind(" ")
    return (kept[:blank] if blank > LONGEST // 2 else kept).rstrip() + "…"
