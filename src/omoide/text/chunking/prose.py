"""Running text: one section, cut at paragraphs, lines and sentences."""

from __future__ import annotations

from omoide.text.chunking.pieces import Section
from omoide.text.chunking.room import Room


def split_prose(text: str, _room: Room) -> list[Section]:
    """Return the whole text as one section."""
    return [Section(0, len(text))]


def split_lines(text: str, _room: Room) -> list[Section]:
    """Return the whole text as one section that is cut at blank lines and line ends: code without a parser, logs."""
    return [Section(0, len(text), style="lines")]
