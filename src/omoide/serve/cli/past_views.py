"""How the past of what is believed is told to people: versions, timelines, reasons, changes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from omoide.serve.cli.blocks import Block, Line, Table, day, table, tidy
from omoide.serve.messages.speech import Speech


def _versions(rows: Iterable[Any], say: Speech) -> Table:
    columns = ("col.id", "col.text", "col.from", "col.to", "col.known", "col.cause", "col.trust", "col.source")
    cells = [
        (
            row["memory_id"],
            row["text"],
            day(row["valid_from"]),
            day(row["valid_to"]),
            day(row["known_from"]) + (f" → {day(row['known_to'])}" if row["known_to"] else ""),
            say.word(row["cause"]),
            row["trust"],
            row["source"],
        )
        for row in rows
    ]
    return table([say(name) for name in columns], cells)


def timeline_view(result: Any, say: Speech) -> list[Block]:
    """Return the versions of a timeline."""
    return [_versions(result["versions"], say)] if result["versions"] else [Line(say("nothing"), "dim")]


def chain_view(result: Any, say: Speech) -> list[Block]:
    """Return the versions of a memory, what it stands with, and its evidence."""
    blocks: list[Block] = [Line(say("why.versions"), "title"), _versions(result["versions"], say)]
    related = ("supersedes", "superseded_by", "derived", "conflicts")
    blocks += [Line(say(f"why.{name}", ids=tidy(result[name]))) for name in related if result[name]]
    if result["evidence"]:
        columns = ("col.at", "col.cause", "col.source", "col.actor", "col.door")
        rows = [
            (day(row["at"]), say.word(row["cause"]), row["source"], row["actor"], row["door"])
            for row in result["evidence"]
        ]
        blocks += [Line(say("why.evidence"), "title"), table([say(name) for name in columns], rows, wide=2)]
    return blocks


def diff_view(result: Any, say: Speech) -> list[Block]:
    """Return what was revised, learned and retracted."""
    blocks: list[Block] = []
    for name in ("learned", "retracted"):
        if result[name]:
            blocks += [Line(say(f"diff.{name}"), "title"), _versions(result[name], say)]
    if result["revised"]:
        columns = [say("col.id"), say("diff.retracted"), say("diff.learned")]
        rows = [_pair(pair) for pair in result["revised"]]
        blocks[0:0] = [Line(say("diff.revised"), "title"), table(columns, rows, wide=2)]
    return blocks or [Line(say("diff.none"), "dim")]


def _pair(pair: Mapping[str, Any]) -> tuple[Any, ...]:
    old, new = pair["old"], pair["new"]
    return new["memory_id"], vouched(old) if old else "", vouched(new)


def vouched(row: Mapping[str, Any]) -> str:
    """Return the text, marked where nobody vouches for it."""
    return f"[untrusted] {row['text']}" if row["trust"] == "untrusted" else str(row["text"])
