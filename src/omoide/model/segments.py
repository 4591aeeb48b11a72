"""What parts of a conversation are called."""

from __future__ import annotations

from typing import Final

SEGMENT_KINDS: Final = ("session", "snapshot", "debug")
TURN: Final = "turn"
"""What a hit calls a turn, beside the kinds of segments."""
