"""What accepting a proposal does, kind by kind, inside one write transaction."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from omoide.errors import AccessDeniedError, InvalidInputError
from omoide.model import bitemporal
from omoide.model.records import Claim, Row, State
from omoide.model.time import FOREVER, Micros
from omoide.model.trust import may_replace
from omoide.model.uids import uuid7
from omoide.store.sqlite.proposals import ProposalRow
from omoide.store.sqlite.transaction import Read, Write
from omoide.verbs import gate
from omoide.verbs.context import Context
from omoide.verbs.drafts import value_key
from omoide.verbs.judge import reject_value
from omoide.verbs.revise import give_way

RETITLE: Final = "retitle"
"""Cause of a version that only has another abstract."""


@dataclass(frozen=True, slots=True)
class Act:
    """One acceptance: on whose behalf, in which transaction, of what, and in which words where not the drafted."""

    ctx: Context
    tx: Write
    row: ProposalRow
    wording: str | None = None


def apply(act: Act) -> list[int]:
    """Carry a proposal out and return the memories that it changed.

    Raises:
        InvalidInputError: the memories changed since, or a wording for a kind that takes none.
        RejectedValueError: it would write a value that was rejected.
        AccessDeniedError: what is derived or untrusted would replace what was stated or observed.
    """
    if is_stale(act.tx, act.row):
        raise InvalidInputError(f"the memories of proposal {act.row.id} changed since; the next run drafts it anew")
    if act.wording is not None and act.row.kind not in WORDED:
        raise InvalidInputError(f"a proposal to {act.row.kind} takes no wording", value=act.wording)
    return APPLY[act.row.kind](act)


def is_stale(tx: Read, row: ProposalRow) -> bool:
    """Say whether any piece that a proposal rests on is no longer believed."""
    rows = tx.versions.by_ids(row.draft["versions"])
    return any(number not in rows or not rows[number].open for number in row.draft["versions"])


def new_texts(row: ProposalRow, wording: str | None) -> list[str]:
    """Return the texts that accepting a proposal would write."""
    change = row.draft["change"]
    texts = [wording] if wording is not None else [*change.get("parts", ()), *filter(None, [change.get("text")])]
    return [text for text in texts if row.kind != "retitle"]


def _pieces(tx: Read, memory_id: int) -> list[Row]:
    return tx.versions.of_memory(memory_id, only_open=True)


def _state(tx: Read, memory_id: int) -> State:
    state = tx.memories.get(memory_id)
    assert state is not None
    return state


def _supersede(act: Act) -> list[int]:
    ctx, tx = act.ctx, act.tx
    old, new = act.row.targets
    start = min(piece.valid_from for piece in _pieces(tx, new))
    cut = bitemporal.cut(_pieces(tx, old), start)
    _check_trust(ctx, tx, new, cut.closed)
    give_way(ctx, tx, old, cut, new)
    tx.log("supersede", _state(tx, new).namespace, [new, old])
    return [old]


def _merge(act: Act) -> list[int]:
    ctx, tx = act.ctx, act.tx
    kept, *others = act.row.targets
    namespace = _state(tx, kept).namespace
    if act.wording is not None:
        return _reworded(ctx, tx, act.row.targets, act.wording)
    start = min(piece.valid_from for piece in _pieces(tx, kept))
    for other in others:
        cut = bitemporal.cut(_pieces(tx, other), start)
        _check_trust(ctx, tx, kept, cut.closed)
        _hand_over(tx, kept, other)
        give_way(ctx, tx, other, cut, kept)
    tx.log("supersede", namespace, [kept, *others])
    return others


def _reworded(ctx: Context, tx: Write, targets: Sequence[int], wording: str) -> list[int]:
    """One new memory in the place of all, from the first of their starts."""
    rows = {memory_id: _pieces(tx, memory_id) for memory_id in targets}
    first = rows[targets[0]][0]
    claim = replace(first.claim, text=wording, abstract=None, trust=ctx.door_trust)
    start = min(piece.valid_from for pieces in rows.values() for piece in pieces)
    for memory_id in targets:
        _check_claim(claim, rows[memory_id])
    made = _open(ctx, tx, first.namespace, claim, start, FOREVER, "supersede")
    for memory_id in targets:
        give_way(ctx, tx, memory_id, bitemporal.cut(rows[memory_id], start), made.id)
    tx.log("supersede", first.namespace, [made.id, *targets])
    return [made.id, *targets]


def _hand_over(tx: Write, kept: int, other: int) -> None:
    """What stood behind a merged memory stands behind the one that stays."""
    sources = [piece.claim.source for piece in _pieces(tx, other)]
    sources += [item.source for item in tx.relations.evidence(other) if item.withdrawn_at is None]
    distinct = list(dict.fromkeys(sources)) or [None]
    for source in distinct:
        tx.relations.add_evidence(
            kept, version_id=None, source=source, observed_at=None, at=tx.now, voice=tx.voice, cause="repeat",
            event=tx.seq,
        )  # fmt: skip
    state = _state(tx, kept)
    tx.set_state(state, seen=state.seen + len(distinct))


def _split(act: Act) -> list[int]:
    ctx, tx = act.ctx, act.tx
    (target,) = act.row.targets
    pieces = _pieces(tx, target)
    piece = bitemporal.meant(pieces, tx.now)
    claims = [replace(piece.claim, text=text, abstract=None) for text in act.row.draft["change"]["parts"]]
    for claim in claims:
        gate.admit(tx, piece.namespace, claim)
    made = [
        _open(ctx, tx, piece.namespace, claim, piece.valid_from, piece.valid_to, "supersede").id for claim in claims
    ]
    give_way(ctx, tx, target, bitemporal.cut(pieces, piece.valid_from, piece.valid_to), made[0])
    for part in made[1:]:
        tx.relations.add_link("supersedes", part, target, at=tx.now, event=tx.seq)
    tx.log("supersede", piece.namespace, [*made, target])
    return [*made, target]


def _generalise(act: Act) -> list[int]:
    ctx, tx, row = act.ctx, act.tx, act.row
    change = row.draft["change"]
    rows = [bitemporal.meant(_pieces(tx, memory_id), tx.now) for memory_id in row.targets]
    namespace = ctx.namespace if not rows else rows[0].namespace
    fields = {name: change[name] for name in ("subject", "predicate", "kind", "project") if change.get(name)}
    claim = Claim(act.wording or change["text"], trust=tx.voice.trust, source=change.get("source"), **fields)
    start = min((piece.valid_from for piece in rows), default=tx.now)
    made = _open(ctx, tx, namespace, claim, start, FOREVER, "remember")
    for memory_id in row.targets:
        tx.relations.add_link("derived", memory_id, made.id, at=tx.now, event=tx.seq)
    tx.log("remember", namespace, [made.id])
    return [made.id]


def _archive(act: Act) -> list[int]:
    tx = act.tx
    states = [state for state in (_state(tx, memory_id) for memory_id in act.row.targets) if not state.archived]
    for state in states:
        tx.set_state(state, archived=1)
    ids = [state.id for state in states]
    if ids:
        tx.log("archive", states[0].namespace, ids)
    return ids


def _delete(act: Act) -> list[int]:
    tx = act.tx
    ended: list[int] = []
    for memory_id in act.row.targets:
        for piece in _pieces(tx, memory_id):
            tx.close_version(piece, "forget")
        tx.set_state(_state(tx, memory_id), ended="forget", ended_by=tx.seq)
        ended.append(memory_id)
    tx.log("forget", _state(tx, ended[0]).namespace, ended)
    return ended


def _reject(act: Act) -> list[int]:
    return reject_value(act.ctx, act.tx, _state(act.tx, act.row.targets[0]), act.row.draft["reason"])


def _retitle(act: Act) -> list[int]:
    """The same belief with a line that stands for it; who said it, and what it is worth, stay as they are."""
    ctx, tx, row = act.ctx, act.tx, act.row
    (target,) = row.targets
    state = _state(tx, target)
    numbers = set(row.draft["versions"])
    for piece in _pieces(tx, target):
        if piece.version_id not in numbers:
            continue
        claim = replace(piece.claim, abstract=act.wording or row.draft["change"]["abstract"])
        tx.close_version(piece, RETITLE)
        tx.open_version(
            state, claim, ctx.embedding.again(tx, claim), valid_from=piece.valid_from, valid_to=piece.valid_to,
            observed_at=piece.observed_at, cause=RETITLE,
            voice=replace(tx.voice, actor=piece.actor, door=piece.door),
            same=value_key(state.namespace, claim.text, claim.subject, claim.predicate), origin=piece.origin,
        )  # fmt: skip
    tx.log(RETITLE, state.namespace, [target])
    return [target]


def _open(
    ctx: Context, tx: Write, namespace: str, claim: Claim, start: Micros, end: Micros, cause: str
) -> State:  # fmt: skip
    key = gate.admit(tx, namespace, claim)[0]
    state = tx.new_memory(uuid7(tx.now), namespace)
    tx.open_version(
        state, claim, ctx.embedding.again(tx, claim), valid_from=start, valid_to=end, observed_at=None, cause=cause,
        same=key,
    )  # fmt: skip
    return state


def _check_trust(ctx: Context, tx: Read, successor: int, closed: Sequence[Row]) -> None:
    if ctx.door_trust == "stated":
        return
    _check_claim(bitemporal.meant(_pieces(tx, successor), tx.now).claim, closed)


def _check_claim(claim: Claim, closed: Sequence[Row]) -> None:
    for row in closed:
        if not may_replace(claim.trust, row.claim.trust):
            raise AccessDeniedError(
                f"what is {claim.trust} may not replace memory {row.memory_id}, which is {row.claim.trust};"
                " a person can accept this",
                value=row.memory_id,
            )


Apply = Callable[[Act], list[int]]
WORDED: Final = frozenset({"merge", "generalise", "retitle"})
"""Kinds whose text may be another than the drafted one."""
APPLY: Final[Mapping[str, Apply]] = {
    "supersede": _supersede, "merge": _merge, "split": _split, "generalise": _generalise, "archive": _archive,
    "delete": _delete, "reject": _reject, "retitle": _retitle,
}  # fmt: skip


def after(kind: str, texts: Sequence[str], change: Mapping[str, Any]) -> tuple[str, ...]:
    """Return what would be believed, or shown, after a proposal, in texts."""
    if kind == "supersede":
        return (texts[1],)
    if kind == "merge":
        return (texts[0],)
    if kind == "split":
        return tuple(change["parts"])
    if kind == "generalise":
        return (*texts, change["text"])
    return (change["abstract"],) if kind == "retitle" else ()
