"""Merge: another copy of a store taken in, without losing an edit or a deletion of either side."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from omoide.errors import AccessDeniedError, InvalidInputError
from omoide.model.paths import check_path
from omoide.store.sqlite.checking import check_chain
from omoide.store.sqlite.transaction import Read
from omoide.types.reports import IntakeReport
from omoide.vault.files import HIDDEN
from omoide.verbs.context import Context
from omoide.verbs.embedding import MODEL
from omoide.verbs.opening import open_store
from omoide.verbs.transfer.cargo import StoreCargo
from omoide.verbs.transfer.take_in import Plan, take_in


def merge_from(ctx: Context, path: str | os.PathLike[str], *, dry_run: bool = False) -> IntakeReport:
    """Take in the namespaces of another store that this handle may write; the other file is only read.

    Raises:
        InvalidInputError: there is no such file, or it is this store.
        StoreError: it cannot be read; see its subclasses.
    """
    with _opened(ctx, path) as other:
        names, skipped = _open_to(ctx, other.namespaces.all())
        scopes = tuple(ctx.policy.write_scope(ctx.namespace, name) for name in names)
        mark = str(check_chain.head(other.connection))
        plan = Plan("merge", names, scopes, erase=True, dry_run=dry_run, source=Path(path).name, mark=mark)
        report = take_in(ctx, plan, lambda mine: _cargo(mine, other, names))
    if report.erased and not dry_run:
        ctx.embedding.forget_texts()
        ctx.store.scrub()
    return replace(report, skipped=skipped)


@contextmanager
def _opened(ctx: Context, path: str | os.PathLike[str]) -> Iterator[Read]:
    file = Path(check_path(path, "other_path"))
    if not file.is_file() and not (file / HIDDEN).is_dir():
        raise InvalidInputError(f"there is no store file and no vault at {file}", value=str(file))
    if any(Path(mine).exists() and file.samefile(mine) for mine in (ctx.store.path, ctx.store.place)):
        raise InvalidInputError("a store cannot be merged into itself", value=str(file))
    other = open_store(file, clock=ctx.store.clock, read_only=True)
    try:
        with other.read(None) as tx:
            yield tx
    finally:
        other.close()


def _cargo(mine: Read, other: Read, names: tuple[str, ...]) -> StoreCargo:
    same_model = other.settings.get(MODEL) == mine.settings.get(MODEL) and other.dimension == mine.dimension
    return StoreCargo(other, names, mine, same_model=same_model)


def _open_to(ctx: Context, names: list[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the namespaces that this handle may write and those that it may not; its own comes first."""
    allowed, denied = [], []
    for name in sorted(names, key=lambda name: (name != ctx.namespace, name)):
        try:
            ctx.policy.write_scope(ctx.namespace, name)
            allowed.append(name)
        except AccessDeniedError:
            denied.append(name)
    return tuple(allowed), tuple(denied)
