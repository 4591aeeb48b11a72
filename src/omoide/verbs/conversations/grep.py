"""Grep over conversations: lines that match an expression, with their neighbours; every match is counted."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

from omoide.errors import InvalidInputError
from omoide.store.sqlite.conversations.history_rows import Listed
from omoide.store.sqlite.transaction import Read
from omoide.text.patterns import Pattern
from omoide.types import Hit
from omoide.types.history import Line, Lines
from omoide.verbs.asking.asked import Ask
from omoide.verbs.context import Context
from omoide.verbs.conversations.history_search import fetched

WIDTH: Final = 400
"""Characters of a line that are shown, around the match."""
NEIGHBOUR: Final = 200
"""Characters of a neighbouring line that are shown."""
MOST_CONTEXT: Final = 20
TOGETHER: Final = 40
"""Texts that are looked over together before each is looked at."""


class Found(NamedTuple):
    """A line that matched: where its text is, its place in it, and where in the line the match lies."""

    at: int
    item: int
    line: int
    start: int
    end: int
    score: float = 100.0


def check_context(context: object) -> int:
    """Return how many neighbouring lines are shown on each side.

    Raises:
        InvalidInputError: not a number from 0 to 20.
    """
    if isinstance(context, bool) or not isinstance(context, int) or not 0 <= context <= MOST_CONTEXT:
        raise InvalidInputError(f"context must be a number from 0 to {MOST_CONTEXT}, not {context!r}", value=context)
    return context


def grep(ctx: Context, ask: Ask, pattern: Pattern, *, context: int, limit: int) -> Lines:
    """Return the newest lines that match, at most ``limit``, and how many do."""
    ctx.flush()
    with ctx.store.read(ask.scope) as tx:
        best, total, searched = list[Found](), 0, 0
        for rows in some_texts(tx, ask):
            searched += len(rows)
            if not pattern.may_match(b"\n".join([data for _, _, data in rows])):
                continue
            for at, item, data in rows:
                if pattern.regex.search(data) is not None:
                    found = list(_in_text(pattern, at, item, data))
                    total += len(found)
                    best += found
            if len(best) > 8 * (limit + 64):
                best = _newest(best, limit)
        return Lines(shown(tx, _newest(best, limit), context), total=total, searched=searched)


def _newest(found: Sequence[Found], limit: int) -> list[Found]:
    return sorted(found, key=lambda each: (-each.at, each.item, each.line))[:limit]


def some_texts(tx: Read, ask: Ask) -> Iterator[list[tuple[int, int, bytes]]]:
    """Yield (time, item of the index, text in UTF-8) of all that a question may look at, ``TOGETHER`` at a time."""
    for namespace in ask.scope.readable:
        listed = Listed(tx.namespaces.id(namespace), None, ask.trusts, ask.project, ask.since, ask.until, ask.wanted)
        for rows in tx.said.texts(listed, TOGETHER):
            yield [
                (at, 2 * number + 1 - saved, data if data is not None else zlib.decompress(packed or b""))
                for at, saved, number, data, packed in rows
            ]


def _in_text(pattern: Pattern, at: int, item: int, data: bytes) -> Iterator[Found]:
    """Yield one finding a line; a match over several lines counts where it begins."""
    last = -1
    line, line_start = 0, 0
    for match in pattern.regex.finditer(data):
        first, end = match.span()
        line += data.count(b"\n", line_start, first)
        begin = data.rfind(b"\n", 0, first) + 1
        line_start = max(line_start, first)
        if line == last:
            continue
        last = line
        stop = data.find(b"\n", first)
        stop = len(data) if stop < 0 else stop
        before, inside = data[begin:first].decode("utf-8", "replace"), data[first : min(end, stop)]
        yield Found(at, item, line, len(before), len(before) + len(inside.decode("utf-8", "replace")))


def shown(tx: Read, found: Sequence[Found], context: int) -> list[Line]:
    """Return findings as users see them."""
    hits = fetched(tx, list(dict.fromkeys(each.item for each in found)), None, whole=True)
    texts = {item: hit.text.split("\n") for item, hit in hits.items()}
    return [_line(each, hits[each.item], texts[each.item], context) for each in found if each.item in hits]


def _line(found: Found, hit: Hit, lines: Sequence[str], context: int) -> Line:
    text, start, end = centred(lines[found.line], found.start, found.end)
    first = max(0, found.line - context)
    meta: Any = hit.metadata
    return Line(
        id=str(hit.id), origin="turn" if hit.kind == "turn" else "segment", line=found.line + 1, of=len(lines),
        text=text, start=start, end=end,
        before=tuple(line[:NEIGHBOUR] for line in lines[first : found.line]),
        after=tuple(line[:NEIGHBOUR] for line in lines[found.line + 1 : found.line + 1 + context]),
        score=found.score, project=hit.project, role=meta.get("role"), session=meta.get("session"),
        at=hit.valid_from, archived=hit.status == "archived", namespace=hit.namespace,
    )  # fmt: skip


def centred(line: str, start: int, end: int) -> tuple[str, int, int]:
    """Return a line of at most ``WIDTH`` characters that shows the match, and where the match lies in it."""
    if len(line) <= WIDTH:
        return line, start, end
    first = max(0, min(start - (WIDTH - min(end - start, WIDTH)) // 2, len(line) - WIDTH))
    shift = first - bool(first)
    text = ("…" if first else "") + line[first : first + WIDTH] + ("…" if first + WIDTH < len(line) else "")
    return text, start - shift, min(end, first + WIDTH) - shift
