"""What reading a file gives."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

MAX_BYTES = 50_000_000
"""Largest file that is read by default."""

MAX_TEXT = 50_000_000
"""Most characters taken out of a packed or rendered document."""

MAX_SECONDS = 60.0
"""Longest time by default that one document may take."""


@dataclass(frozen=True, slots=True)
class Extracted:
    """The text of a document and how to cut it.

    ``splitter`` is a name for `omoide.text.chunkers.cut`; ``pages`` are the positions where pages begin, None without
    pages; ``encoding`` is None where the format fixes it; ``notes`` say what was left out or guessed.
    """

    text: str
    splitter: str = "text"
    title: str | None = None
    pages: tuple[int, ...] | None = None
    encoding: str | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
