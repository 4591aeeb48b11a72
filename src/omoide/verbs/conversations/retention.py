"""Retention of segments: looked over, archived, brought back; erased only by a person."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

from omoide.errors import AccessDeniedError, NotFoundError
from omoide.model.history import SegmentRow
from omoide.model.policy import WriteScope
from omoide.model.retention import RULES, Rules, due, protection
from omoide.store.sqlite.conversations import history_writing
from omoide.store.sqlite.transaction import Read, Write
from omoide.types.history import Retained
from omoide.verbs.context import Context
from omoide.verbs.purge import Target, purge
from omoide.verbs.writing import writing

AT_ONCE: Final = 100
"""Segments archived in one transaction."""


@dataclass(slots=True)
class _Plan:
    """What the rules say of a namespace."""

    archive: dict[str, str] = field(default_factory=dict)
    erase: dict[str, str] = field(default_factory=dict)
    kept: Counter[str] = field(default_factory=Counter)

    def report(self, *, archive: bool, erase: bool, dry_run: bool) -> Retained:
        archived, erased = self.archive if archive else {}, self.erase if erase else {}
        return Retained(tuple(archived), tuple(erased), dict(self.kept), {**archived, **erased}, dry_run)


def plan(tx: Read, namespace: str, rules: Rules) -> _Plan:
    """Return what the rules say of the segments of a namespace, oldest first."""
    found = _Plan()
    ns = tx.namespaces.id(namespace)
    for row in [] if ns is None else tx.segments.of_namespace(ns):
        fate = due(row, tx.now, rules)
        if fate == "keep":
            continue
        spared = protection(row, tx.segments.text(row.number), tx.now, rules)
        if spared is not None:
            found.kept[spared] += 1
        elif fate == "archive":
            found.archive[row.segment_id] = "old" if row.replaced_by is None else f"replaced by {row.replaced_by}"
        else:
            found.erase[row.segment_id] = "archived for long"
    return found


def preview(ctx: Context, scope: WriteScope, rules: Rules = RULES) -> Retained:
    """Return what ``run`` would do with everything allowed; nothing is changed."""
    ctx.flush()
    with ctx.store.read(None) as tx:
        return plan(tx, scope.namespace, rules).report(archive=True, erase=True, dry_run=True)


def run(ctx: Context, scope: WriteScope, *, archive: bool, erase: bool, rules: Rules = RULES) -> Retained:
    """Archive what the rules say and, when a person asks for it, erase what was archived for long.

    Raises:
        AccessDeniedError: ``erase`` through a door that speaks for no person.
    """
    if erase and ctx.door_trust != "stated":
        raise AccessDeniedError(
            "only a person erases: run it from a terminal, or through a door with door_trust='stated'", value=erase
        )
    ctx.flush()
    with ctx.store.read(None) as tx:
        found = plan(tx, scope.namespace, rules)
    names = list(found.archive) if archive else []
    for first in range(0, len(names), AT_ONCE):
        _change(ctx, scope, names[first : first + AT_ONCE], history_writing.archive, "archive")
    for name in found.erase if erase else ():
        purge(ctx, Target(scope.namespace, segment=name))
    return found.report(archive=archive, erase=erase, dry_run=False)


def archive(ctx: Context, scope: WriteScope, name: str) -> bool:
    """Archive one segment; say whether it was active.

    Raises:
        NotFoundError: there is no such segment.
    """
    return bool(_change(ctx, scope, [name], history_writing.archive, "archive", archived=False))


def unarchive(ctx: Context, scope: WriteScope, name: str) -> bool:
    """Put an archived segment back among the active ones; say whether it was archived.

    Raises:
        NotFoundError: there is no such segment.
    """
    return bool(_change(ctx, scope, [name], history_writing.unarchive, "unarchive", archived=True))


def _change(
    ctx: Context, scope: WriteScope, names: list[str], change: Callable[[Write, SegmentRow], Any], op: str, *,
    archived: bool = False,
) -> list[int]:  # fmt: skip
    with writing(ctx, scope) as tx:
        ns = tx.ns_of(scope.namespace)
        rows = [(name, tx.segments.find(ns, name)) for name in names]
        for name, row in rows:
            if row is None and len(names) == 1:
                raise NotFoundError(f"there is no segment {name!r} here", value=name)
        changed = [row for _, row in rows if row is not None and row.archived == archived]
        for row in changed:
            change(tx, row)
        if changed:
            tx.log(op, scope.namespace, [row.number for row in changed])
        return [row.number for row in changed]
