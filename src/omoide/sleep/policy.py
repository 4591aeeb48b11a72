"""The settings of consolidation that a store keeps, one for every door that opens it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, Final

from omoide.model.consolidate import Settings, settings_of
from omoide.model.records import canonical
from omoide.verbs.context import Context
from omoide.verbs.writing import vouching, writing

_KEY: Final = "sleep"


def current(ctx: Context, changes: Mapping[str, Any]) -> Settings:
    """Return the settings of the store, with changes for one run; kinds accepted by policy are not for one run.

    Raises:
        InvalidInputError: a change that no setting takes.
    """
    with ctx.store.read(None) as tx:
        return settings_of(tx.settings.get(_KEY), changes)


def change(ctx: Context, changes: Mapping[str, Any]) -> Settings:
    """Change the settings that the store keeps; without changes, return them.

    Raises:
        InvalidInputError: a change that no setting takes.
        AccessDeniedError: the door's trust is below ``observed``.
    """
    if not changes:
        return current(ctx, {})
    vouching(ctx, "change how a store is consolidated")
    scope = ctx.policy.write_scope(ctx.namespace, ctx.namespace)
    with writing(ctx, scope) as tx:
        found = settings_of(tx.settings.get(_KEY), changes)
        tx.settings.set(_KEY, canonical(asdict(found)))
        tx.log("sleep_settings", ctx.namespace, [])
    return found
