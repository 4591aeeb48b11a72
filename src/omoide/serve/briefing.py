"""The block that a session is shown: rules, memories, remarks, fenced and within a budget of tokens."""

from __future__ import annotations

import re

from omoide.serve.fencing import fence, neutral
from omoide.serve.messages.speech import Speech
from omoide.store.sqlite.glance import Glance
from omoide.text.budget import estimate_tokens

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    Row = Mapping[str, Any]

REMARK_TOKENS = 20
"""What the fence may add about what it leaves out."""
_HEAD = re.compile(r"^\[memory (\d+)\]", re.MULTILINE)


class Block:
    """A text for a prompt, the rows that stand in it, and what it costs."""

    __slots__ = ("rows", "text", "tokens")

    def __init__(self, text: str = "", rows: Sequence[Row] = ()) -> None:
        self.text = text
        self.rows = list(rows)
        self.tokens = estimate_tokens(text)


def composed(look: Glance, left: Sequence[Row], budget: int, say: Speech, most: int | None = None) -> Block:
    """Return the block of what was seen in a store and of sessions that were left; at most ``most`` characters."""
    for _ in range(4):
        made = _composed(look, left, budget, say)
        if most is None or len(made.text) <= most:
            return made
        budget = int(budget * 0.95 * most / len(made.text))
    return Block()


def _composed(look: Glance, left: Sequence[Row], budget: int, say: Speech) -> Block:
    remarks = _remarks(look, left, say)
    room = budget - sum(map(estimate_tokens, remarks))
    parts: list[str] = []
    held: list[Row] = []
    for key, rows in (("hook.rules", look.rules), ("hook.memories", look.others)):
        part = headed(say(key), rows, room)
        if part.text:
            room -= part.tokens
            parts.append(part.text)
            held += part.rows
    return Block("\n\n".join([*parts, *remarks]), held)


def headed(heading: str, rows: Sequence[Row], budget: int) -> Block:
    """Return rows fenced below a heading; an empty block when not even a part of one fits."""
    room = budget - estimate_tokens(heading) - REMARK_TOKENS
    fenced = fence(rows, max_tokens=room) if rows and room > 0 else None
    if fenced is None or not fenced.shown:
        return Block()
    names = set(map(int, _HEAD.findall(fenced.text)))
    return Block(f"{heading}\n{fenced.text}", [row for row in rows if row["id"] in names])


def _remarks(look: Glance, left: Sequence[Row], say: Speech) -> list[str]:
    remarks = ["\n".join([say("hook.unsaved"), *(f"- {neutral(line_of(row, say))}" for row in left)])] if left else []
    if look.proposals:
        remarks.append(say.count("hook.proposals", look.proposals))
    return remarks


def line_of(row: Row, say: Speech) -> str:
    """Return one line about a session that was left, without any of its words."""
    parts = [f"{row['session']} ({row['host']})", str(row["last"] or "")[:16].replace("T", " ")]
    if row["edits"]:
        parts.append(say("left.edits", edits=row["edits"], files=row["files"]))
    if row["programs"]:
        parts.append(", ".join(row["programs"]))
    parts.append(str(row["transcript"]) if row["there"] else say("left.gone"))
    return "; ".join(part for part in parts if part)
