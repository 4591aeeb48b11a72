"""What an import says to people: what came to what, what stayed out and why, and how to take it back."""

from __future__ import annotations

from typing import Any, Final

from omoide.serve.cli.blocks import Block, Line, table, tidy
from omoide.serve.messages.speech import Speech

_SHOWN: Final = 20
_COUNTS: Final = (
    "read",
    "added",
    "changed",
    "known",
    "documents",
    "segments",
    "turns",
    "conflicts",
    "refused",
    "left_out",
)


def import_view(result: Any, say: Speech) -> list[Block]:
    """Return the counts that are not zero, the records that were left out, and the batch."""
    counts = [(name, result[name] if isinstance(result[name], int) else len(result[name])) for name in _COUNTS]
    rows = [(say(f"imported.{name}"), count) for name, count in counts if count or name in ("read", "added")]
    blocks: list[Block] = [
        table([say("col.name"), say("col.value")], [(say("imported.source"), result["source"]), *rows])
    ]
    left = result["left_out"]
    if left:
        shown = [(row["ref"], say.sentence(row["reason"])) for row in left[:_SHOWN]]
        blocks.append(table([say("imported.left_out"), say("col.reason")], shown))
    if len(left) > _SHOWN:
        blocks.append(Line(say("imported.more", n=len(left) - _SHOWN), "dim"))
    if result["dry_run"]:
        blocks.append(Line(say("imported.trial"), "dim"))
    elif result["batch"] is not None:
        blocks.append(Line(say("imported.undo", batch=tidy(result["batch"])), "dim"))
    return blocks
