"""From a memory to the words it came from: turns of a session, saved segments, documents."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from omoide.errors import InvalidInputError, NotFoundError
from omoide.model.policy import Scope
from omoide.model.records import SESSION
from omoide.store.sqlite.transaction import Read
from omoide.text.levels import fitting
from omoide.types.levels import Traced
from omoide.verbs.context import Context
from omoide.verbs.conversations import reading
from omoide.verbs.passages import documents
from omoide.verbs.whose import to_read

MOST: Final = 64
"""Sources of one memory that are followed."""

_PLACE: Final = re.compile(r"(?P<name>.+?)(?:#L?|:)(?P<first>\d{1,9})(?:[-\u2013]L?(?P<last>\d{1,9}))?")


def trace(ctx: Context, memory_id: int, max_tokens: int | None) -> list[Traced]:
    """Return every source of a memory, each with its words where this store holds them.

    A source is followed when it names a session, a segment or a document, whole or with a place behind it:
    ``session#3-5`` are turns, ``notes.md#L10-L20`` and ``notes.md:10`` lines. ``max_tokens`` is for each.

    Raises:
        NotFoundError: there is no such memory here.
    """
    memory_id = to_read(ctx, memory_id).id
    scope = ctx.scope(None)
    with ctx.store.read(None) as tx:
        sources = list(dict.fromkeys(_sources(tx, memory_id)))[:MOST]
    return [_followed(ctx, scope, source, max_tokens) for source in sources]


def _sources(tx: Read, memory_id: int) -> Iterator[str]:
    for row in tx.versions.of_memory(memory_id):
        told_in = row.claim.metadata.get(SESSION)
        named = (row.claim.source, (row.origin or {}).get("ref"), told_in)
        yield from (name.strip() for name in named if isinstance(name, str) and name.strip())
    for item in tx.relations.evidence(memory_id):
        if item.source is not None and item.source.strip():
            yield item.source.strip()


def _followed(ctx: Context, scope: Scope, source: str, max_tokens: int | None) -> Traced:
    place = _PLACE.fullmatch(source)
    ways: list[tuple[str, int | None, int | None]] = [(source, None, None)]
    if place is not None:
        start = int(place["first"])
        ways.append((place["name"], start, int(place["last"] or start)))
    for name, first, last in ways:
        asked = ctx, scope, source, name, first, last, max_tokens
        found = _said(*asked) or _written(*asked)
        if found is not None:
            return found
    return Traced(source, "elsewhere")


def _said(
    ctx: Context, scope: Scope, source: str, name: str, first: int | None, last: int | None, max_tokens: int | None
) -> Traced | None:
    """Return what a session, turn or segment of that name holds."""
    try:
        found = reading.read(ctx, scope, name, reading.check_part(first, last, None, max_tokens))
    except (NotFoundError, InvalidInputError):
        return None
    return Traced(source, found.origin, str(found), found.start, found.end, found.of, found.truncated, "observed")


def _written(
    ctx: Context, scope: Scope, source: str, name: str, first: int | None, last: int | None, max_tokens: int | None
) -> Traced | None:
    """Return what a document with that source says, as it is in the index."""
    listed = documents.list_documents(ctx, scope, where=None, source=name, removed=False, limit=1)
    document = documents.get(ctx, listed[0].id) if listed else None
    if document is None or document.text is None:
        return None
    lines = document.text.split("\n")
    if first is not None and first > len(lines):
        return None
    start, end = (1, len(lines)) if first is None else (first, min(last or first, len(lines)))
    text, cut = fitting("\n".join(lines[start - 1 : end]), max_tokens)
    return Traced(source, "document", text, start, end, len(lines), cut, document.trust)
