"""English: conversations."""

from __future__ import annotations

from typing import Final

HISTORY: Final[dict[str, str]] = {
    "cmd.history": "Conversations: saved, searched, read, archived, erased.",
    "cmd.history.retention": "What is put behind the others, brought back, erased.",
    "cmd.history.erase_old": "Erase for good what was archived for long; only a person may.",
    "history.saved": "Saved as {id}.",
    "history.known": "Saved before as {id}.",
    "history.masked": "Masked: {what}",
    "history.lines": "lines {first}-{last} of {of}",
    "history.more": "{shown} of {total} shown.",
    "history.rest": "Goes on: omoide history read {id} --start {start}",
    "history.archived": "archived",
    "history.restore": "Archived segments come back with omoide history retention restore ID.",
    "history.nothing": "No line matches; {n} texts were searched.",
    "history.archive.done": "Archived; it stays searchable.",
    "history.restore.done": "It is back.",
    "history.would": "Would be archived:",
    "history.would_erase": "Would be erased:",
    "history.did": "Archived:",
    "history.erased": "Erased:",
    "history.kept": "Kept: {what}",
    "history.ingested": "{new} new records, {turns} of them searchable; {known} were known.",
    "history.batch": "Take it back: omoide undo {batch}",
    "history.failed": "Could not be taken in:",
    "history.domains.any": "{project} may have any domain.",
    "history.domains.set": "{project} has the domains {names}.",
    "preview.history_erase": "{name} would be erased for good.",
    "history.erase_old": "Segments that were archived for long would be erased for good.",
    "col.summary": "Summary",
    "col.project": "Project",
    "col.tags": "Tags",
    "col.line": "Line",
    "col.host": "Program",
    "col.turns": "Turns",
    "col.segments": "Segments",
    "col.place": "Where",
    "col.domain": "Domain",
}
