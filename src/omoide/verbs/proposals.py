"""Proposals: listed, looked at, accepted, refused."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from omoide.errors import AccessDeniedError, InvalidInputError, NotFoundError
from omoide.model.changes import KINDS, STATES
from omoide.model.consolidate import ADDITIVE, require_decider
from omoide.model.records import Claim, Voice
from omoide.model.time import optional_datetime, to_datetime
from omoide.model.uids import uuid7
from omoide.store.sqlite.proposals import ProposalRow, Proposals
from omoide.store.sqlite.transaction import Read, Write
from omoide.types.consolidation import Decision, Proposal
from omoide.verbs import accepting
from omoide.verbs.context import Context
from omoide.verbs.writing import writing

POLICY = "policy"
"""Who decided, where a written policy did."""


def list_proposals(ctx: Context, *, state: str | None, kind: str | None, limit: int | None) -> list[Proposal]:
    """Return the proposals of the handle's namespace, the surest first.

    Raises:
        InvalidInputError: there is no such state or kind.
    """
    for value, known, name in ((state, STATES, "state"), (kind, KINDS, "kind")):
        if value is not None and value not in known:
            raise InvalidInputError(f"{name} must be one of {', '.join(known)}, not {value!r}", value=value)
    ctx.flush()
    with ctx.store.read(ctx.scope(None)) as tx:
        ns = tx.namespaces.id(ctx.namespace)
        rows = [] if ns is None else Proposals(tx.connection).select(ns, kind=kind)
        shown = [shown_row(tx, row) for row in rows]
    found = [each for each in shown if state is None or each.state == state]
    return found if limit is None else found[:limit]


def explain(ctx: Context, proposal: str) -> Proposal:
    """Return one proposal.

    Raises:
        NotFoundError: there is none with this id here.
    """
    with ctx.store.read(ctx.scope(None)) as tx:
        return shown_row(tx, _found(tx, ctx.namespace, proposal))


def refuse(ctx: Context, proposals: Sequence[str]) -> Decision:
    """Refuse proposals for good; the same change of the same texts is not proposed again.

    Raises:
        NotFoundError: there is none with one of the ids here.
        AccessDeniedError: the door's trust is below ``observed``.
    """
    scope = ctx.policy.write_scope(ctx.namespace, ctx.namespace)
    with writing(ctx, scope) as tx:
        ns = tx.ns_of(ctx.namespace)
        rows = [_found(tx, ctx.namespace, each) for each in dict.fromkeys(proposals)]
        failed = {row.id: _why_decided(row) for row in rows if row.state == "accepted"}
        kept = [row for row in rows if row.id not in failed]
        for row in kept:
            require_decider("refuse", ctx.door_trust)
            Proposals(tx.connection).decide(ns, row.id, "refused", at=tx.now, by=_decider(ctx), batch=None)
        if kept:
            tx.log("refuse", ctx.namespace, sorted({target for row in kept for target in row.targets}))
    return Decision(tuple(row.id for row in kept), failed=failed)


def accept(
    ctx: Context, proposals: Sequence[str], *, wording: str | None = None, policy: bool = False,
    batch: str | None = None,
) -> Decision:  # fmt: skip
    """Carry proposals out, all of them under one batch; what cannot be is in ``failed``, with the reason.

    ``wording``: another text for the one proposal that is accepted. ``policy``: a written policy accepts, not the
    door; only additive kinds, and what they write is derived. ``batch``: the one to write under, else a new one.

    Raises:
        NotFoundError: there is none with one of the ids here.
        AccessDeniedError: this door may not decide one of them; nothing was changed.
        InvalidInputError: a wording for several.
    """
    names = list(dict.fromkeys(proposals))
    if wording is not None and len(names) != 1:
        raise InvalidInputError("a wording is for one proposal", value=wording)
    scope = ctx.policy.write_scope(ctx.namespace, ctx.namespace)
    ctx.flush()
    with ctx.store.read(ctx.scope(None)) as read:
        rows = [_found(read, ctx.namespace, each) for each in names]
        made = batch or uuid7(read.now)
    for row in rows:
        _may_decide(ctx, row, policy=policy)
    texts = [text for row in rows for text in accepting.new_texts(row, wording or _worded(row))]
    if texts:
        ctx.embedding.prepare([Claim(text) for text in texts], ctx.store)
    voice = ctx.voice(made)
    with ctx.store.write(replace(voice, door="sleep", trust="derived") if policy else voice, scope) as tx:
        tx.has_model = ctx.embedding.record(tx)
        return _accept(ctx, tx, names, made, wording, by=POLICY if policy else _decider(ctx))


def _accept(ctx: Context, tx: Write, names: Sequence[str], batch: str, wording: str | None, *, by: str) -> Decision:
    ns, table = tx.ns_of(ctx.namespace), Proposals(tx.connection)
    failed: dict[str, str] = {}
    decided: list[str] = []
    changed: list[int] = []
    for name in names:
        row = _found(tx, ctx.namespace, name)
        if row.state not in ("open", "stale") or accepting.is_stale(tx, row):
            failed[row.id] = _why_decided(row)
            continue
        try:
            words = wording or (None if by == POLICY else _worded(row))
            changed += accepting.apply(accepting.Act(ctx, tx, row, words))
        except InvalidInputError as error:  # refused before anything was written
            failed[row.id] = str(error)
            continue
        table.decide(ns, row.id, "accepted", at=tx.now, by=by, batch=batch)
        decided.append(row.id)
    if decided:
        tx.batches.begin(batch, ns, "consolidation", tx.now, ctx.actor, None)
        tx.log("accept", ctx.namespace, sorted(set(changed)))
    return Decision(tuple(decided), batch if decided else None, tuple(dict.fromkeys(changed)), failed)


def shown_row(tx: Read, row: ProposalRow) -> Proposal:
    """Return a stored proposal as users see it."""
    draft = row.draft
    state = "stale" if row.state == "open" and accepting.is_stale(tx, row) else row.state
    advice = None if row.advice is None else " ".join(filter(None, (row.advice.get("verdict"), row.advice.get("why"))))
    return Proposal(
        id=row.id, namespace=tx.namespaces.name(row.ns), kind=row.kind, ids=row.targets, reason=draft["reason"],
        before=tuple(draft["texts"]), after=_after(row),
        evidence=row.evidence, score=round(row.score, 3), state=state, made_at=to_datetime(row.made_at), run=row.run,
        decided_at=optional_datetime(row.decided_at), decided_by=row.decided_by, batch=row.batch, advice=advice,
    )  # fmt: skip


def _after(row: ProposalRow) -> tuple[str, ...]:
    """What would be, in the words of a reasoner where one found better ones."""
    worded = _worded(row)
    drafted = accepting.after(row.kind, row.draft["texts"], row.draft["change"])
    return drafted if worded is None else (*drafted[:-1], worded)


def _worded(row: ProposalRow) -> str | None:
    text = None if row.advice is None else row.advice.get("text")
    return text if isinstance(text, str) and row.kind in accepting.WORDED else None


def _found(tx: Read, namespace: str, proposal: str) -> ProposalRow:
    if not isinstance(proposal, str):
        raise InvalidInputError(f"a proposal's id is a text, not {proposal!r}", value=proposal)
    ns = tx.namespaces.id(namespace)
    row = None if ns is None else Proposals(tx.connection).get(ns, proposal.strip())
    if row is None:
        raise NotFoundError(f"there is no proposal {proposal!r} here", value=proposal)
    return row


def _may_decide(ctx: Context, row: ProposalRow, *, policy: bool) -> None:
    if not policy:
        require_decider(row.kind, ctx.door_trust)
    elif row.kind not in ADDITIVE:
        raise AccessDeniedError(f"a policy may not accept a proposal to {row.kind}", value=row.id)


def _decider(ctx: Context) -> str:
    voice: Voice = ctx.voice()
    return voice.actor or voice.door


def _why_decided(row: ProposalRow) -> str:
    if row.state in ("open", "stale"):
        return "the memories changed since; the next run drafts it anew"
    return f"it was {row.state} already"
