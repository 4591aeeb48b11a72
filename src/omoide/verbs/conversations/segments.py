"""Segments saved on purpose: written, listed, described."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final, NamedTuple

from omoide.errors import InvalidInputError
from omoide.model.history import SegmentRow, Wanted, check_segment_kind, segment_claim, stem_of
from omoide.model.kinds import importance_value
from omoide.model.policy import Scope, WriteScope
from omoide.model.records import Claim
from omoide.model.time import Micros, optional_datetime, to_datetime
from omoide.model.trust import lowered
from omoide.store.sqlite.conversations import history_writing
from omoide.store.sqlite.conversations.history_rows import segment_condition
from omoide.store.sqlite.conversations.history_writing import Saved
from omoide.store.sqlite.transaction import Read, Write
from omoide.text.entities import entities
from omoide.text.summary import cut, plain_line, summarise
from omoide.types import Trust
from omoide.types.history import Segment, SegmentId
from omoide.verbs import drafts
from omoide.verbs.context import Context
from omoide.verbs.conversations.domains import check_domain
from omoide.verbs.drafts import embedded_text, searched_text
from omoide.verbs.writing import writing

DIRECTION: Final = "s.number DESC"


class Draft(NamedTuple):
    """A segment to be saved, its arguments checked and its secrets masked."""

    text: str
    kind: str
    summary: str
    tags: tuple[str, ...]
    project: str | None
    domain: str | None
    session: str | None
    entities: Mapping[str, tuple[str, ...]]
    importance: int
    metadata: Mapping[str, Any]
    trust: Trust
    masked: Mapping[str, int]

    @property
    def claim(self) -> Claim:
        """What is searched of it."""
        return segment_claim(self.text, self.summary, self.tags, self.domain)


def draft(
    ctx: Context, text: object, *, summary: object, tags: object, kind: object, project: object, domain: object,
    session: object, given: object, importance: object, metadata: object, trust: str | None, allow: Sequence[str],
) -> Draft:  # fmt: skip
    """Return the segment that the arguments describe.

    Raises:
        InvalidInputError: names the first argument that cannot be accepted.
    """
    allow = check_allowed(allow)
    kept, masked = masked_text(drafts.draft_text(text), allow)
    line = masked_label(summary, "summary", allow)
    labels = tuple(masked_text(tag, allow)[0] for tag in drafts.draft_claim("-", door_trust="observed", tags=tags).tags)
    return Draft(
        text=kept, kind=check_segment_kind(kind), summary=summarise(kept) if line is None else one_line(line),
        tags=labels, project=masked_label(project, "project", allow), domain=masked_label(domain, "domain", allow),
        session=masked_label(session, "session", allow), entities=masked_values(_entities(kept, given), allow),
        importance=importance_value(importance), metadata=masked_values(drafts.draft_metadata(metadata), allow),
        trust=lowered(ctx.door_trust, trust), masked=masked,
    )  # fmt: skip


def check_allowed(allow: object) -> tuple[str, ...]:
    """Return the texts that are no secrets.

    Raises:
        InvalidInputError: no list of texts.
    """
    if not isinstance(allow, list | tuple | set | frozenset) or not all(isinstance(each, str) for each in allow):
        raise InvalidInputError(f"allow_secrets must be a list of texts, not {allow!r}", value=allow)
    return tuple(allow)


def masked_text(text: str, allow: Sequence[str]) -> tuple[str, dict[str, int]]:
    """Return a text with its secrets masked, and how many of each kind there were."""
    from omoide.text.secrets import mask

    kept, found = mask(text, allow=allow)
    counts: dict[str, int] = {}
    for each in found:
        counts[each.kind] = counts.get(each.kind, 0) + 1
    return kept, counts


def masked_label(value: object, name: str, allow: Sequence[str]) -> str | None:
    """Return a short text without blanks around it and with its secrets masked, or None.

    Raises:
        InvalidInputError: not a text, or blank.
    """
    label = drafts.draft_label(value, name)
    return None if label is None else masked_text(label, allow)[0]


def masked_values(value: Any, allow: Sequence[str]) -> Any:
    """Return a JSON value with the secrets in its texts and names masked."""
    if isinstance(value, str):
        return masked_text(value, allow)[0]
    if isinstance(value, list | tuple):
        return type(value)(masked_values(inner, allow) for inner in value)
    if isinstance(value, dict):
        return {masked_text(name, allow)[0]: masked_values(inner, allow) for name, inner in value.items()}
    return value


def one_line(summary: str) -> str:
    """Return a summary as one bounded line, so that it cannot pose as anything else."""
    return cut(plain_line(" ".join(summary.split())))


def _entities(text: str, given: object) -> dict[str, tuple[str, ...]]:
    found = entities(text)
    if given is None:
        return found
    if isinstance(given, str) or not isinstance(given, Sequence | Mapping):
        raise InvalidInputError(f"entities must be a list of names, or lists by sort, not {given!r}", value=given)
    by_sort = given if isinstance(given, Mapping) else {"named": given}
    added = {str(sort): drafts.draft_claim("-", door_trust="observed", tags=n).tags for sort, n in by_sort.items()}
    return {sort: tuple(dict.fromkeys((*found.get(sort, ()), *added.get(sort, ())))) for sort in {**found, **added}}


def save(ctx: Context, scope: WriteScope, drawn: Draft) -> SegmentId:
    """Write a segment and return its readable id; a text that is there already for this project keeps its id."""
    claim, digest = drawn.claim, text_digest(drawn.text)
    prepared = ctx.embedding.prepare_parts([embedded_text(claim)], [searched_text(claim)], ctx.store)[0]
    with writing(ctx, scope) as tx:
        check_domain(tx, scope.namespace, drawn.project, drawn.domain)
        ns = tx.ns_of(scope.namespace)
        known = tx.segments.same(ns, digest, drawn.project, drawn.kind)
        if known is not None:
            return _said_again(tx, known, drawn)
        row = _row(ctx, tx, scope.namespace, drawn)
        day = to_datetime(tx.now).astimezone(ctx.zone).date().isoformat()
        made = history_writing.add_segment(
            tx, Saved(row, drawn.text, digest, prepared), stem_of(day, drawn.project, drawn.kind)
        )
        if drawn.kind == "snapshot":
            _replace_older(tx, ns, made)
        tx.log("save", scope.namespace, [made.number])
    return SegmentId(made.segment_id, masked=drawn.masked)


def text_digest(text: str) -> bytes:
    """Return what stands for a text: its bytes, line ends aside."""
    return hashlib.blake2b(text.replace("\r\n", "\n").encode("utf-8"), digest_size=16).digest()


def _said_again(tx: Write, known: SegmentRow, drawn: Draft) -> SegmentId:
    if known.archived:
        history_writing.unarchive(tx, known)
        tx.log("unarchive", known.namespace, [known.number])
    return SegmentId(known.segment_id, known=True, masked=drawn.masked)


def _row(ctx: Context, tx: Write, namespace: str, drawn: Draft) -> SegmentRow:
    ns = tx.ns_of(namespace)
    session = None if drawn.session is None else tx.sessions.ensure(ns, drawn.session, tx.now)
    return SegmentRow(
        number=0, namespace=namespace, segment_id="", session_id=session, ord=0, kind=drawn.kind,
        summary=drawn.summary, tags=drawn.tags, project=drawn.project, domain=drawn.domain, entities=drawn.entities,
        importance=drawn.importance, lines=drawn.text.count("\n") + 1, archived=False, archived_at=None,
        restored_at=None, replaced_by=None, uses=0.0, used_at=None, metadata=drawn.metadata, actor=ctx.actor,
        door=ctx.door, trust=drawn.trust, batch=tx.voice.batch, at=tx.now,
    )  # fmt: skip


def _replace_older(tx: Write, ns: int, made: SegmentRow) -> None:
    """A newer snapshot of one project, domain and session says what the older ones said; these are marked."""
    condition = (
        "s.ns = ? AND s.kind = 'snapshot' AND s.project IS ? AND s.domain IS ? AND s.session_id IS ?"
        " AND s.replaced_by IS NULL AND s.number <> ?"
    )
    for row in tx.segments.select(
        condition, [ns, made.project, made.domain, made.session_id, made.number], None, DIRECTION
    ):
        tx.segments.set(row.number, replaced_by=made.segment_id)


class Listing(NamedTuple):
    """Which segments a list shows."""

    wanted: Wanted
    project: str | None
    since: Micros | None
    until: Micros | None
    archived: bool | None
    limit: int | None


def list_segments(ctx: Context, scope: Scope, listing: Listing) -> list[Segment]:
    """Return segments without their texts, newest first."""
    ctx.flush()
    found: list[Segment] = []
    with ctx.store.read(scope) as tx:
        for namespace in scope.readable:
            ns = tx.namespaces.id(namespace)
            if ns is not None:
                rows = tx.segments.select(*_condition(ns, listing), listing.limit, DIRECTION)
                found += [segment_of(tx, row) for row in rows]
    found.sort(key=lambda segment: segment.at, reverse=True)
    return found if listing.limit is None else found[: listing.limit]


def _condition(ns: int, listing: Listing) -> tuple[str, list[Any]]:
    plain = listing.wanted._replace(session=None)
    sql, values = segment_condition(plain)
    parts, bound = [f"s.ns = ? AND {sql}"], [ns, *values]
    if listing.wanted.session is not None:
        parts.append("s.session_id IN (SELECT session_id FROM session WHERE ns = ? AND (name = ? OR uid = ?))")
        bound += [ns, listing.wanted.session, listing.wanted.session]
    for column, value in (
        ("s.project = ?", listing.project),
        ("s.at >= ?", listing.since),
        ("s.at < ?", listing.until),
    ):
        if value is not None:
            parts.append(column)
            bound.append(value)
    if listing.archived is not None:
        parts.append("s.archived = ?")
        bound.append(int(listing.archived))
    return " AND ".join(parts), bound


def segment_of(tx: Read, row: SegmentRow) -> Segment:
    """Return a stored segment as users see it."""
    session = None if row.session_id is None else tx.sessions.get(row.session_id)
    return Segment(
        id=row.segment_id, namespace=row.namespace, kind=row.kind, summary=row.summary, at=_time(row.at), tags=row.tags,
        project=row.project, domain=row.domain, session=None if session is None else session.name,
        entities=dict(row.entities), importance=row.importance, lines=row.lines, archived=row.archived,
        archived_at=optional_datetime(row.archived_at), replaced_by=row.replaced_by, uses=row.uses, trust=row.trust,
        metadata=dict(row.metadata), actor=row.actor, batch=row.batch,
    )  # fmt: skip


def _time(at: Micros) -> datetime:
    return to_datetime(at)
