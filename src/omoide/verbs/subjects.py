"""Subjects: what beliefs are about, counted, renamed, and found under each of their names."""

from __future__ import annotations

from collections import Counter

from omoide.errors import InvalidInputError, NotFoundError
from omoide.model.selection import Moment, Selection
from omoide.model.trust import at_least
from omoide.store.sqlite.transaction import Read
from omoide.text.lookalikes import name_key
from omoide.types.reports import Subjects
from omoide.verbs.context import Context
from omoide.verbs.writing import vouching, writing


def subjects(ctx: Context, namespace: str) -> Subjects:
    """Return how many memories hold now about each subject, most first, and its other names; none in quarantine."""
    ctx.flush()
    with ctx.store.read(ctx.scope(namespace)) as tx:
        ns = tx.namespaces.id(namespace)
        if ns is None:
            return Subjects()
        titles = tx.aliases.all(ns)
        now, trusts = Moment(tx.now, tx.now), at_least("derived")
        spellings = tx.selecting.subjects(Selection(namespace, now, trusts=trusts, archived=False))
    counts: Counter[str] = Counter()
    shown: dict[str, str] = {name_key(title): title for title in titles.values()}
    for spelling, count in spellings:
        counts[shown.setdefault(name_key(titles.get(name_key(spelling), spelling)), spelling)] += count
    others: dict[str, list[str]] = {}
    for key, title in titles.items():
        if key != name_key(title):
            others.setdefault(title, []).append(key)
    order = sorted(counts, key=lambda name: (-counts[name], name))
    return Subjects({name: counts[name] for name in order}, {name: tuple(keys) for name, keys in others.items()})


def rename(ctx: Context, old: str, new: str, namespace: str) -> int:
    """Call a subject otherwise from now on; return how many memories it has, forgotten ones included.

    Raises:
        NotFoundError: there is no such subject.
        InvalidInputError: ``new`` is another name of some third subject.
    """
    scope = ctx.policy.write_scope(ctx.namespace, namespace)
    vouching(ctx, "rename a subject")
    with writing(ctx, scope) as tx:
        ns = tx.namespaces.ensure(namespace, tx.now)
        memories = _memories(tx, ns, old)
        if not memories and len(tx.aliases.names(ns, old)) == 1:
            raise NotFoundError(f"there is no subject {old!r} here", value=old)
        _refuse_other_name(tx, ns, new, of=old)
        tx.aliases.join(ns, old, new, tx.now)
        tx.log("rename_subject", namespace, [])
        return len(memories)


def alias(ctx: Context, name: str, of: str, namespace: str) -> None:
    """Let ``name`` stand for the subject ``of``.

    Raises:
        InvalidInputError: both are one name, ``name`` already stands for another subject, or ``of`` for ``name``.
    """
    scope = ctx.policy.write_scope(ctx.namespace, namespace)
    vouching(ctx, "name a subject")
    if name_key(name) == name_key(of):
        raise InvalidInputError(f"{name!r} and {of!r} are one name already", value=name)
    with writing(ctx, scope) as tx:
        ns = tx.namespaces.ensure(namespace, tx.now)
        if name_key(tx.aliases.title(ns, of)) == name_key(name):
            raise InvalidInputError(f"{of!r} already stands for {name!r}; the reverse would be a circle", value=name)
        _refuse_other_name(tx, ns, name, of=of)
        tx.aliases.join(ns, name, tx.aliases.title(ns, of), tx.now)
        tx.log("alias_subject", namespace, [])


def unalias(ctx: Context, name: str, namespace: str) -> bool:
    """Let a name stand for itself again; return whether it stood for something else."""
    scope = ctx.policy.write_scope(ctx.namespace, namespace)
    vouching(ctx, "name a subject")
    with writing(ctx, scope) as tx:
        parted = tx.aliases.part(tx.namespaces.ensure(namespace, tx.now), name, tx.now)
        if parted:
            tx.log("unalias_subject", namespace, [])
        return parted


def _memories(tx: Read, ns: int, name: str) -> set[int]:
    return {row.memory_id for row in tx.versions.of_subject(ns, tx.aliases.names(ns, name))}


def _refuse_other_name(tx: Read, ns: int, name: str, *, of: str) -> None:
    title = tx.aliases.title(ns, name)
    if name_key(title) != name_key(name) and name_key(title) != name_key(tx.aliases.title(ns, of)):
        raise InvalidInputError(f"{name!r} already stands for {title!r}; unalias_subject it first", value=name)
