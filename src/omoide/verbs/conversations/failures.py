"""Transcripts that could not be taken in: which, why and when, until they can."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Final

from omoide.model.policy import WriteScope
from omoide.model.time import Micros, to_datetime
from omoide.store.sqlite.transaction import Read
from omoide.types.history import Taken
from omoide.verbs.context import Context
from omoide.verbs.conversations.filed import filed, without_secrets
from omoide.verbs.writing import writing

KEPT: Final = 200
"""Files of one namespace that are remembered at most."""
_KEY: Final = "failed transcripts"
_GOOD: Final = ("new", "more", "known", "purged")


def note(ctx: Context, scope: WriteScope, files: Sequence[Taken]) -> None:
    """Remember which of some files failed, and forget those that did not this time."""
    failed = {filed(file.path): without_secrets(file.reason or "") for file in files if file.status == "failed"}
    good = {filed(file.path) for file in files if file.status in _GOOD}
    with ctx.store.read(None) as tx:
        known = _known(tx, scope.namespace)
    if ctx.store.read_only or not (failed or known.keys() & good):
        return
    with writing(ctx, scope) as tx:
        ns = tx.ns_of(scope.namespace)
        known = {path: said for path, said in _known(tx, scope.namespace).items() if path not in good}
        known |= {path: (tx.now, reason) for path, reason in failed.items()}
        kept = {path: list(known[path]) for path in list(known)[-KEPT:]}
        tx.settings.set(f"{_KEY}/{scope.namespace}", json.dumps(kept, ensure_ascii=False))
        numbers = [number for path, reason in failed.items() for number in tx.sessions.fail(ns, path, reason)]
        if numbers:
            tx.log("fail", scope.namespace, sorted(numbers))


def failed(tx: Read, namespace: str) -> list[dict[str, Any]]:
    """Return path, reason and time of every file that failed the last time, the latest first."""
    found = sorted(_known(tx, namespace).items(), key=lambda item: item[1][0], reverse=True)
    return [{"path": path, "reason": reason, "at": to_datetime(at)} for path, (at, reason) in found]


def _known(tx: Read, namespace: str) -> dict[str, tuple[Micros, str]]:
    found = json.loads(tx.settings.get(f"{_KEY}/{namespace}") or "{}")
    return {str(path): (int(at), str(reason)) for path, (at, reason) in found.items()}
