"""Upkeep: the store looked over, its index made anew, its audit chain told and verified."""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence

from omoide.errors import EmbedderError, InvalidInputError
from omoide.model.records import Claim
from omoide.model.time import Micros, to_datetime
from omoide.search.prepared import Prepared
from omoide.store.sqlite import backup as copying
from omoide.store.sqlite import check, check_chain
from omoide.store.sqlite import rebuild as rebuilding
from omoide.types import Event
from omoide.verbs.context import Context
from omoide.verbs.embedding import Embedding
from omoide.verbs.filling import Filler, fill

STORE_WIDE = "*"
"""The namespace of events that concern the store as a whole."""


def integrity_check(ctx: Context) -> list[str]:
    """Return one line for everything that is not as it should be; none when the store is sound."""
    flush(ctx)
    with ctx.store.read_aside() as tx:
        return [str(finding) for finding in check.look(tx)]


def rebuild(ctx: Context, other: Embedding | None) -> int:
    """Make every index anew, with another model if one is given; return how many entries there are.

    Raises:
        EmbedderError: the model failed; what it was asked for in vain is pending, or nothing was changed.
    """
    flush(ctx)
    if other is not None:
        _change_model(ctx, other)
    embed = other is None and _can_embed(ctx.embedding)
    prepare = ctx.embedding.prepare_all if embed else ctx.embedding.prepare_words
    with ctx.store.read(None) as tx:
        spaces = rebuilding.collections(tx)
    count = sum(
        rebuilding.rebuild(ctx.store, ns, collection, prepare, keep=not embed) for ns, collection in spaces
    )
    rebuilding.sweep(ctx.store)
    if other is None:
        with ctx.store.write(ctx.voice()) as write:
            write.log("rebuild", None, ())
    fill_all(ctx)
    return count


def fill_all(ctx: Context) -> None:
    """Embed everything that has no vector yet, unless there is no model that could."""
    if _can_embed(ctx.embedding):
        while fill(ctx.store, ctx.embedding):
            pass


def backup(ctx: Context, path: str | os.PathLike[str], *, overwrite: bool) -> str:
    """Copy the store to a file while it is in use; return its path."""
    flush(ctx)
    return copying.backup(ctx.store, path, overwrite=overwrite)


def audit(ctx: Context, since: Micros | None, until: Micros | None) -> list[Event]:
    """Return the events of ``[since, until)`` in the namespaces that may be read, oldest first."""
    if since is not None and until is not None and until < since:
        raise InvalidInputError("until lies before since", value=(since, until))
    flush(ctx)
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
    flush(ctx)
    with ctx.store.read(None) as tx:
        return str(check_chain.head(tx.connection))


def verify(ctx: Context, kept: str | None) -> list[str]:
    """Return what is wrong with the audit chain, and whether a head kept elsewhere lies on it."""
    wanted = None if kept is None else check_chain.parse_head(kept)
    flush(ctx)
    with ctx.store.read_aside() as tx:
        found = check_chain.findings(tx.connection, known=True)
        return found if wanted is None else found + check_chain.head_findings(tx.connection, wanted)


def flush(ctx: Context) -> None:
    """Write what ``bulk`` holds back."""
    if ctx.buffer is not None:
        ctx.buffer.flush()


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


