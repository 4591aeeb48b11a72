"""Import: an exported file taken in, all of it checked before anything is written."""

from __future__ import annotations

import os
from pathlib import Path

from omoide.errors import AccessDeniedError
from omoide.model.paths import check_path
from omoide.model.trust import check_trust, lowered
from omoide.types import Trust
from omoide.types.reports import IntakeReport
from omoide.verbs.context import Context
from omoide.verbs.transfer.filecargo import FileCargo
from omoide.verbs.transfer.restoring import restorable, restore
from omoide.verbs.transfer.take_in import Plan, take_in


def import_file(
    ctx: Context, path: str | os.PathLike[str], *, dry_run: bool = False, trust: str | None = None
) -> IntakeReport:
    """Take in a file that ``export`` wrote; return what changed.

    Raises:
        InvalidInputError: the file is damaged, by the number of its first such line; nothing was changed.
        AccessDeniedError: it holds namespaces that this handle may not write, or ``trust`` is not this door's.
    """
    file, cap = Path(check_path(path)), cap_of(ctx, trust)
    cargo = FileCargo(file)
    scopes = tuple(ctx.policy.write_scope(ctx.namespace, name) for name in cargo.namespaces)
    names = tuple(sorted(cargo.namespaces, key=lambda name: (name != ctx.namespace, name)))
    plan = Plan("import", names, scopes, cap=cap, dry_run=dry_run, source=Path(path).name, mark=cargo.mark)
    if cargo.complete and restorable(ctx, cargo, cap):
        return restore(ctx, plan, cargo)
    return take_in(ctx, plan, lambda _: cargo)


def cap_of(ctx: Context, trust: str | None) -> Trust:
    """Return the highest trust that anything of the file may keep.

    Raises:
        AccessDeniedError: ``stated`` at a door that does not authenticate people.
    """
    if trust is None:
        return lowered(ctx.door_trust, "observed")
    asked = check_trust(trust)
    if asked == "stated" and ctx.door_trust != "stated":
        raise AccessDeniedError("only a person's door may import what was stated as stated", value=trust)
    return lowered(ctx.door_trust, asked)
