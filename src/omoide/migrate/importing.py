"""Stores, exports and files of other systems taken in: recognised, read, and written as one batch."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from omoide.errors import AccessDeniedError, InvalidInputError, MissingPathError
from omoide.handle import Handle
from omoide.migrate.cargo import ForeignCargo
from omoide.migrate.recognising import OMOIDE, recognise
from omoide.migrate.source import Source
from omoide.migrate.systems import open_source
from omoide.model.policy import WriteScope
from omoide.store.sqlite.transaction import Read
from omoide.types import Trust
from omoide.types.reports import IntakeReport, LeftOut
from omoide.verbs.context import Context
from omoide.verbs.conversations import transcribing
from omoide.verbs.embedding import MODEL
from omoide.verbs.transfer.import_ import cap_of, import_file
from omoide.verbs.transfer.take_in import Plan, take_in

Home = Callable[[str | None], str | None]


def import_into(
    memory: Handle | Any, path: str | os.PathLike[str], source: str = "auto", *,
    fields: Mapping[str, str] | None = None, scope: str | None = None, dry_run: bool = False, trust: str | None = None,
) -> IntakeReport:  # fmt: skip
    """Take in what another system kept at ``path``; return what was read, taken in, known and left out, and why.

    ``memory``: a handle, or an adapter that holds one. ``source``: one of ``systems.SYSTEMS``, or auto, which tells
    it from the content. ``fields``: which column of a table is which part of a memory. ``scope``: only this
    namespace or user of the source. Ids and texts decide what is known, so that a second import adds only what is
    new. A source of one scope goes into the handle's namespace; of one with several, each goes into the namespace of
    its name. Trust is ``observed`` at most unless a person's door says ``trust="stated"``. With ``dry_run`` nothing
    is stored. ``undo`` takes the report's ``batch``.

    Raises:
        MissingPathError: nothing is at ``path``.
        InvalidInputError: it is nothing that omoide knows, or not what ``source`` says; nothing was stored.
        AccessDeniedError: a namespace that may not be written, or a trust that is not this door's.
        DamagedStoreError: a database that cannot be read.
    """
    ctx, place = context_of(memory), _place(path)
    kind = recognise(place) if source == "auto" else source
    if kind == OMOIDE:
        return import_file(ctx, place, dry_run=dry_run, trust=trust)
    cap = cap_of(ctx, trust)
    reader = open_source(kind, place, fields)
    reader.use_door(ctx.door)
    home, names = _homes(ctx, reader, scope)
    scopes = tuple(ctx.policy.write_scope(ctx.namespace, name) for name in names)
    mark = f"{kind}:{place.resolve()}"
    plan = Plan("import", names, scopes, cap=cap, dry_run=dry_run, source=f"{kind}:{place.name}", mark=mark)
    report = _take(ctx, plan, reader, home, cap)
    return _hear(ctx, scopes[0], reader, report, trust)


def context_of(memory: Handle | Any) -> Context:
    """Return what a handle stands for, also of an adapter that holds one."""
    ctx: Context = getattr(memory, "_memory", memory)._ctx  # noqa: SLF001  (the one way to it)
    return ctx


def _place(path: object) -> Path:
    if not isinstance(path, str | os.PathLike) or not str(path).strip():
        raise InvalidInputError(f"import takes the path of a file or folder, not {path!r}", value=path)
    place = Path(path).expanduser()
    if not place.exists():
        raise MissingPathError(f"there is no file or folder {place}", value=str(place))
    return place


def _homes(ctx: Context, reader: Source, scope: str | None) -> tuple[Home, tuple[str, ...]]:
    """Return where each scope of a source goes, None for one that stays out, and all places."""
    scopes = reader.scopes()
    if scope is not None:
        if scope not in scopes:
            raise InvalidInputError(f"the source has no {scope!r}; it has {_listed(scopes)}", value=scope)
        return lambda found: ctx.namespace if found == scope else None, (ctx.namespace,)
    if len(scopes) <= 1:
        return lambda _: ctx.namespace, (ctx.namespace,)
    denied = [name for name in scopes if not ctx.policy.can_write(ctx.namespace, name)]
    if denied:
        raise AccessDeniedError(
            f"the source has several namespaces: {_listed(scopes)}. Take them in one by one, each with its name as"
            " scope, or open the store with a policy that lets this namespace write to all of them",
            value=denied,
        )
    names = tuple(sorted({ctx.namespace, *scopes}, key=lambda name: (name != ctx.namespace, name)))
    return lambda found: ctx.namespace if found is None else found, names


def _listed(scopes: Mapping[str, int]) -> str:
    some = [f"{name!r} ({count})" for name, count in list(scopes.items())[:20]]
    return ", ".join(some + (["..."] if len(scopes) > len(some) else [])) or "none"


def _take(ctx: Context, plan: Plan, reader: Source, home: Home, cap: Trust) -> IntakeReport:
    cargoes: list[ForeignCargo] = []

    def load(tx: Read) -> ForeignCargo:
        reader.use_model(tx.settings.get(MODEL), tx.dimension)
        cargoes.append(ForeignCargo(reader, home, tx, cap))
        return cargoes[-1]

    report = take_in(ctx, plan, load)
    cargo = cargoes[-1]
    return replace(report, source=reader.name, read=cargo.read + cargo.saved, left_out=tuple(cargo.left_out))


def _hear(ctx: Context, scope: WriteScope, reader: Source, report: IntakeReport, trust: str | None) -> IntakeReport:
    """Take in the conversations of a source, as ``History.ingest`` does."""
    paths = reader.transcripts()
    if not paths:
        return report
    order = transcribing.Order(scope, trust=trust, dry_run=report.dry_run)
    done = transcribing.ingest(ctx, order, list(paths))
    failed = tuple(LeftOut(each.path, each.reason or each.status) for each in done.files if each.status == "failed")
    return replace(
        report, batch=done.batch if done.new and not report.dry_run else report.batch, turns=done.turns,
        read=report.read + done.new + done.known, known=report.known + done.known,
        left_out=report.left_out + failed,
    )  # fmt: skip
