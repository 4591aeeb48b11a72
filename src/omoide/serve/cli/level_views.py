"""How memories read by level, their sources and batches are told to people."""

from __future__ import annotations

from typing import Any

from omoide.serve.cli.blocks import Block, Line, harmless, tidy
from omoide.serve.messages.speech import Speech


def level_view(result: Any, say: Speech) -> list[Block]:
    """Return the text of a memory at a level, how much of it that is, and how to go on."""
    size = say("level.shown", tokens=result["tokens"], total=result["total_tokens"])
    section = f"  {say('level.section', section=tidy(result['section']))}" if result["section"] else ""
    place = f"  {tidy(result['path'])}" if result["path"] else ""
    blocks: list[Block] = [Line(f"{result['id']}{place}{section}  {size}", "title"), Line(harmless(result["text"]))]
    return blocks + ([Line(say("level.more", id=result["id"]), "dim")] if result["truncated"] else [])


def trace_view(result: Any, say: Speech) -> list[Block]:
    """Return every source with the words there."""
    blocks: list[Block] = []
    for row in result["results"]:
        blocks.append(Line(tidy(row["source"]), "title"))
        if row["text"] is None:
            blocks.append(Line(say("trace.elsewhere"), "dim"))
            continue
        part = {name: row[name] for name in ("kind", "start", "end", "of")}
        blocks += [Line(say("trace.part", **part), "dim"), Line(harmless(row["text"]))]
        if row["truncated"]:
            blocks.append(Line(say("trace.cut"), "dim"))
    return blocks or [Line(say("trace.none"), "dim")]


def feedback_view(result: Any, say: Speech) -> list[Block]:
    """Return what a memory is worth now."""
    return [Line(say("feedback.done", id=result["id"], value=result["value"]), "good")]


def many_view(result: Any, say: Speech) -> list[Block]:
    """Return how many were stored and why the others were not."""
    style = "warn" if result["refused"] else "good"
    refused = [row for row in result["results"] if row["id"] is None]
    lines = [
        Line(say("many.refused", position=row["position"], reason=tidy(say.sentence(row["reason"]))), "warn")
        for row in refused
    ]
    return [Line(say("many.done", saved=result["saved"], refused=result["refused"]), style), *lines]
