"""The vocabulary as two files: one piece a line in the order of the ids, and their scores."""

from __future__ import annotations

from builder.carrier import Carrier, FormatError

WORD_START = "\u2581"


def vocabulary(carrier: Carrier) -> tuple[bytes, bytes]:
    """Return ``pieces.txt`` (UTF-8, a blank for the start of a word) and ``scores.bin`` (float32)."""
    pieces = [piece.replace(WORD_START, " ") for piece in carrier.pieces]
    if any(" " in piece[1:] or "\n" in piece for piece in pieces):
        raise FormatError("a piece goes on beyond the end of a word, so words cannot be split one by one")
    return "\n".join(pieces).encode(), carrier.scores.tobytes()
