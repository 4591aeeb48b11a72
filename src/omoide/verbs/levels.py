"""Read a memory at the level of detail that is wanted: a line, the headings, a section, all of it."""

from __future__ import annotations

from dataclasses import replace

from omoide.errors import InvalidInputError, NotFoundError
from omoide.model.records import Row
from omoide.store.sqlite.notes import Notes
from omoide.store.sqlite.transaction import Read
from omoide.text import levels
from omoide.text.budget import estimate_tokens
from omoide.text.excerpt import needles_of
from omoide.text.normalize import fold
from omoide.types import Hit, Hits
from omoide.types.levels import HeadingLine, Levelled
from omoide.verbs.context import Context
from omoide.verbs.drafts import Moment as Given
from omoide.verbs.look import piece_of
from omoide.verbs.whose import missing


def read(
    ctx: Context, memory_id: int, level: str, section: str | None, max_tokens: int | None, as_of: Given | None
) -> Levelled:
    """Return a memory at a level; what was forgotten is read as it was last believed.

    Raises:
        NotFoundError: no such memory here, or no such section in it.
        InvalidInputError: no such level, or a section asked for without its name.
    """
    if level not in levels.LEVELS:
        raise InvalidInputError(f"level must be one of {', '.join(levels.LEVELS)}, not {level!r}", value=level)
    if (level == "section") != (section is not None):
        raise InvalidInputError("name the section with section=, and only at the level 'section'", value=section)
    ctx.flush()
    with ctx.store.read(None) as tx:
        found = piece_of(ctx, tx, memory_id, as_of)
        if found is not None:
            return _told(tx, *found, level, section, max_tokens)
    raise missing(ctx, memory_id)


def abstracts(ctx: Context, hits: Hits, query: str | None, max_tokens: int | None) -> Hits:
    """Return hits with one line in the place of their text, the section that answers, and their note in a vault."""
    wanted = needles_of(fold(query or ""))
    with ctx.store.read(None) as tx:
        paths = Notes(tx.connection).of_memories([hit.id for hit in hits if isinstance(hit.id, int)])
    kept: list[Hit] = []
    left = max_tokens
    for hit in hits:
        line = levels.abstract_of(hit.text, hit.abstract)
        cost = estimate_tokens(line)
        if left is not None and cost > left:
            hits.truncated = True
            continue
        left = None if left is None else left - cost
        part = levels.best_section(levels.outline(hit.text), hit.text, wanted) if wanted else None
        path = paths.get(hit.id) if hit.origin == "memory" and isinstance(hit.id, int) else None
        kept.append(replace(hit, text=line, path=path, anchor=None if part is None else part.anchor))
    hits[:] = kept
    return hits


def _told(tx: Read, row: Row, uid: str, level: str, section: str | None, max_tokens: int | None) -> Levelled:
    text, claim = row.claim.text, row.claim
    parts = levels.outline(text)
    chosen = None if section is None else levels.section(parts, section)
    if section is not None and chosen is None:
        known = ", ".join(part.anchor for part in parts) or "none"
        raise NotFoundError(f"memory {row.memory_id} has no section {section!r}; there are: {known}", value=section)
    abstract = levels.abstract_of(text, claim.abstract)
    if level == "abstract":
        shown = abstract
    elif level == "outline":
        shown = "\n".join(f"{'#' * part.level} {part.title}" for part in parts) or abstract
    else:
        shown = text if chosen is None else text[chosen.start : chosen.end]
    kept, cut = levels.fitting(shown, max_tokens)
    note = Notes(tx.connection).of(uid)
    return Levelled(
        row.memory_id, level, kept, abstract, tuple(_line(text, part) for part in parts), estimate_tokens(kept),
        estimate_tokens(text), truncated=cut, section=None if chosen is None else chosen.anchor,
        path=None if note is None else note.path, subject=claim.subject, trust=claim.trust, source=claim.source,
    )  # fmt: skip


def _line(text: str, part: levels.Part) -> HeadingLine:
    tokens = estimate_tokens(text[part.start : part.end])
    return HeadingLine(part.level, part.title, part.anchor, part.line, tokens)
