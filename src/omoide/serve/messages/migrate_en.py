"""English: what was taken in from other systems."""

from __future__ import annotations

from typing import Final

MIGRATE: Final[dict[str, str]] = {
    "imported.source": "Source",
    "imported.read": "Read",
    "imported.added": "Added",
    "imported.changed": "Changed",
    "imported.known": "Known already",
    "imported.documents": "Documents",
    "imported.segments": "Segments",
    "imported.turns": "Turns",
    "imported.conflicts": "Conflicts",
    "imported.refused": "Refused",
    "imported.left_out": "Left out",
    "imported.more": "... and {n} more; --json lists them all.",
    "imported.undo": "Take it back: omoide undo {batch}",
    "imported.trial": "A trial: nothing was stored.",
}
