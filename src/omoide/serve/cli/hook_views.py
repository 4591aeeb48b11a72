"""How the results of operations on hooks are told to people."""

from __future__ import annotations

from typing import Any

from omoide.serve.briefing import composed, line_of
from omoide.serve.cli.blocks import Block, Line, table, tidy
from omoide.serve.messages.speech import Speech
from omoide.store.sqlite.glance import Glance


def context_view(result: Any, say: Speech) -> list[Block]:
    """Return the text that is meant for a prompt, as it would be injected."""
    look = Glance(result["results"], result["proposals"])
    whole = max(400, result["tokens"] * 2)
    text = composed(look, result["unsaved"], whole, say).text
    return [Line(line) for line in text.split("\n")] if text else [Line(say("hook.none"), "dim")]


def captures_view(result: Any, say: Speech) -> list[Block]:
    """Return the ledger, and the sessions that were left."""
    columns = [say("col.status"), say("col.at"), say("hook.col.host"), say("hook.col.session"), say("col.detail")]
    rows = [
        (say.word(row["state"]), str(row["at"] or "")[:19], row["host"], row["session"], _detail(row, say))
        for row in result["results"]
    ]
    blocks: list[Block] = [table(columns, [tuple(map(tidy, row)) for row in rows], wide=4)] if rows else []
    if result["unsaved"]:
        blocks.append(Line(say("hook.unsaved"), "warn"))
        blocks += [Line(tidy(line_of(row, say))) for row in result["unsaved"]]
    return blocks or [Line(say("hook.none"), "dim")]


def _detail(row: Any, say: Speech) -> str:
    if row["reason"]:
        return say.sentence(str(row["reason"]))
    return "" if row["new"] is None else f"+{row['new']} ({row['turns']})"


def injected_view(result: Any, say: Speech) -> list[Block]:
    """Return one line for each time something was shown."""
    columns = [say("col.at"), say("hook.col.host"), say("hook.col.session"), say("hook.col.event"), say("col.targets")]
    rows = [
        (str(row["at"] or "")[:19], row["host"], row["session"], row["event"], ", ".join(map(str, row["memories"])))
        for row in result["results"]
    ]
    return (
        [table(columns, [tuple(map(tidy, row)) for row in rows], wide=4)] if rows else [Line(say("hook.none"), "dim")]
    )
