"""Upkeep: the store looked over, its index made anew, its audit chain told and verified."""

from __future__ import annotations

import os
import threading
from collections import Counter
from dataclasses import replace
from pathlib import Path

from omoide.errors import EmbedderError, InvalidInputError
from omoide.model.time import Micros, to_datetime
from omoide.store.sqlite.checking import check, check_around, check_chain, check_seals, check_types
from omoide.store.sqlite.checking.findings import Finding
from omoide.store.sqlite.indexing import rebuild as rebuilding
from omoide.store.sqlite.mending import mend_rows
from omoide.store.sqlite.mending.mend_rows import Mended
from omoide.store.sqlite.mending.repair import FileReport, repair_file
from omoide.store.sqlite.settings import ANALYZER
from omoide.store.sqlite.transfer import backup as copying
from omoide.store.sqlite.transfer.copies import note_copy
from omoide.text.tokens import ANALYZER_VERSION
from omoide.types import Event, RepairReport
from omoide.verbs.context import Context
from omoide.verbs.drafts import value_key
from omoide.verbs.embedding import Embedding
from omoide.verbs.filling import Filler, fill

STORE_WIDE = "*"
"""The namespace of events that concern the store as a whole."""


def integrity_check(ctx: Context) -> list[str]:
    """Return one line for everything that is not as it should be; none when the store is sound."""
    ctx.flush()
    return [*_other_analyzer(ctx), *(str(finding) for finding in _look(ctx)), *ctx.store.findings()]


def _other_analyzer(ctx: Context) -> list[str]:
    with ctx.store.read(None) as tx:
        made_by = tx.settings.get(ANALYZER)
    if made_by in (None, str(ANALYZER_VERSION)):
        return []
    return [f"keyword index: made by text analysis {made_by}, this omoide has {ANALYZER_VERSION}; run rebuild"]


def rebuild(ctx: Context, other: Embedding | None) -> int:
    """Make every index anew, with another model if one is given; return how many entries there are.

    Raises:
        EmbedderError: the model failed; what it was asked for in vain is pending, or nothing was changed.
    """
    ctx.flush()
    embed = other is None and _can_embed(ctx.embedding)
    if other is not None:
        _change_model(ctx, other)
    elif embed or ctx.store.dimension is None:  # who has no model would lose the vectors that there are
        ctx.store.remake()
    prepare = ctx.embedding.prepare_all if embed else ctx.embedding.prepare_words
    with ctx.store.write(ctx.voice()) as write:
        rebuilding.remove_strays(write)
        write.settings.set(ANALYZER, str(ANALYZER_VERSION))
        if other is None:
            write.log("rebuild", None, ())
    with ctx.store.read(None) as tx:
        spaces = rebuilding.collections(tx)
    count = sum(rebuilding.rebuild(ctx.store, ns, collection, prepare, keep=not embed) for ns, collection in spaces)
    rebuilding.sweep(ctx.store)
    fill_all(ctx)
    return count


def repair(ctx: Context) -> RepairReport:
    """Bring in order what is not: the file, the schema, the rows, the index, in this order."""
    before = _look(ctx)
    if before and ctx.store.remake():
        return _remade(ctx, before)
    opened, mended, rebuilt = FileReport(), Mended(), 0
    if _concern(before, "file", "schema"):
        with ctx.store.released():
            opened = repair_file(ctx.store.path)
    found = _look(ctx) if opened.actions else before
    if opened.kept is not None or _concern(found, "rows", "chain"):
        mended = _mend(ctx)
        found = _look(ctx)
    if _concern(found, "index"):
        rebuilt = _rebuild_damaged(ctx, found)
    if rebuilt:
        mended.actions.append(f"{rebuilt} entries were indexed again")
    rebuilding.sweep(ctx.store)
    _fill_what_lacks(ctx)
    after = _look(ctx) if before else []
    report = RepairReport(
        tuple(map(str, before)), rebuilt, tuple(mended.actions), dict(mended.lost), None, tuple(map(str, after))
    )
    return joined(opened, report)


def _remade(ctx: Context, before: list[Finding]) -> RepairReport:
    """Give an index that was made anew from the files its vectors; return the report."""
    _fill_what_lacks(ctx)
    with ctx.store.read(None) as tx:
        entries = sum(space.live for _, _, space in tx.namespaces.spaces())
    findings, remaining = tuple(map(str, before)), tuple(map(str, _look(ctx)))
    return RepairReport(findings, entries, ("the index was made anew from the files",), {}, None, remaining)


def joined(opened: FileReport, report: RepairReport) -> RepairReport:
    """Return one report of what was done to a file and then to the store in it."""
    return replace(
        report,
        findings=tuple(dict.fromkeys([*opened.findings, *report.findings])),
        actions=(*opened.actions, *report.actions),
        lost=dict(opened.lost + Counter(report.lost)),
        kept_at=opened.kept or report.kept_at,
    )


def _look(ctx: Context) -> list[Finding]:
    with ctx.store.read_aside() as tx:
        return check.look(tx)


def _concern(found: list[Finding], *parts: str) -> bool:
    return any(finding.part in parts for finding in found)


def _mend(ctx: Context) -> Mended:
    with ctx.store.write(ctx.voice()) as write:
        losses = [*mend_rows.accept_losses(write), *mend_rows.keep_changes(write)]
        mended = mend_rows.mend(write, value_key)
        mended.actions[:0] = losses
        if mended.actions:
            write.log("repair", None, ())
    return mended


def _rebuild_damaged(ctx: Context, found: list[Finding]) -> int:
    with ctx.store.write(ctx.voice()) as write:
        rebuilding.remove_strays(write)
        write.log("repair", None, ())
    spaces = sorted({finding.space for finding in found if finding.space is not None})
    prepare = ctx.embedding.prepare_words
    return sum(rebuilding.rebuild(ctx.store, ns, name, prepare, keep=True) for ns, name in spaces)


def _fill_what_lacks(ctx: Context) -> None:
    with ctx.store.write(ctx.voice()) as write:
        if ctx.embedding.record(write):
            rebuilding.want_vectors(write)
    fill_all(ctx)


def fill_all(ctx: Context) -> None:
    """Embed everything that has no vector yet, unless there is no model that could."""
    if _can_embed(ctx.embedding):
        while fill(ctx.store, ctx.embedding):
            pass


def backup(ctx: Context, path: str | os.PathLike[str], *, overwrite: bool) -> str:
    """Copy the store to a file while it is in use; return its path."""
    ctx.flush()
    made = copying.backup(ctx.store, path, overwrite=overwrite)
    note_copy(ctx.store, ctx.voice(), Path(made), "backup")
    return made


def audit(ctx: Context, since: Micros | None, until: Micros | None) -> list[Event]:
    """Return the events of ``[since, until)`` in the namespaces that may be read, oldest first."""
    if since is not None and until is not None and until < since:
        raise InvalidInputError("until lies before since", value=(since, until))
    ctx.flush()
    readable = set(ctx.wide_scope().readable)
    with ctx.store.read(None) as tx:
        found = [
            (row, STORE_WIDE if row.ns is None else tx.namespaces.name(row.ns))
            for row in tx.events.between(-(2**63) if since is None else since, until)
        ]
    return [
        Event(row.seq, to_datetime(row.at), row.actor, row.door, row.op, row.targets, row.batch, row.hash.hex(), name)
        for row, name in found
        if name in readable or row.ns is None
    ]


def head(ctx: Context) -> str:
    """Return the end of the audit chain."""
    ctx.flush()
    with ctx.store.read(None) as tx:
        return str(check_chain.head(tx.connection))


def verify(ctx: Context, kept: str | None) -> list[str]:
    """Return what is wrong with the audit chain, and whether a head kept elsewhere lies on it."""
    wanted = None if kept is None else check_chain.parse_head(kept)
    ctx.flush()
    with ctx.store.read_aside() as tx:
        found = check_types.findings(tx.connection)  # what no number is cannot be computed again
        if not found:
            found = check_chain.findings(tx.connection, known=True) + check_seals.findings(tx.connection)
            found += check_around.findings(tx.connection, known=True)
        return found if wanted is None else found + check_chain.head_findings(tx.connection, wanted)


def _change_model(ctx: Context, other: Embedding) -> None:
    """Give the store another model; its vectors are pending until they are made."""
    if other.model_name is not None:
        if not other.wait(threading.Event()):
            raise EmbedderError(f"the model {other.model_name!r} cannot be loaded; nothing was changed")
        other.embed(["a text to try the model on"])
    with ctx.store.write(ctx.voice()) as write:
        rebuilding.change_model(write, other.model_name)
        write.log("rebuild", None, ())
    ctx.filler.close()
    ctx.embedding, ctx.filler = other, Filler(ctx.store, other)


def _can_embed(embedding: Embedding) -> bool:
    return embedding.model_name is not None and embedding.wait(threading.Event())
