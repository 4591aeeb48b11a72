"""How an exchange with notes of agents is told to people."""

from __future__ import annotations

from typing import Any

from omoide.serve.cli.blocks import Block, Line, tidy
from omoide.serve.messages.speech import Speech


def native_import_view(result: Any, say: Speech) -> list[Block]:
    """A line for each note, and one for each statement that was left out."""
    lines: list[Block] = []
    for note in result["files"]:
        counts = {name: len(note[name]) for name in ("revised", "forgotten")}
        lines.append(Line(say("native.note", path=tidy(note["path"]), new=note["new"], same=note["same"], **counts)))
        lines += [
            Line(say("native.left_out", line=left["line"], reason=tidy(say.sentence(left["reason"]))), "warn")
            for left in note["left_out"]
        ]
    return lines or [Line(say("native.none"), "dim")]


def native_write_view(result: Any, say: Speech) -> list[Block]:
    """One sentence."""
    key = "native.same" if not result["changed"] else "native.would" if result["dry_run"] else "native.wrote"
    return [Line(say(key, path=tidy(result["path"]), n=len(result["memories"])), "good")]
