"""What hooks did for a store, at the face of ``History``: captured, left behind, shown."""

from __future__ import annotations

from typing import Any

from omoide.aio import twin
from omoide.beside import ledger, shown, traces
from omoide.errors import NotFoundError
from omoide.model.time import to_datetime
from omoide.verbs import drafts
from omoide.verbs.asking import asks
from omoide.verbs.context import Context
from omoide.verbs.writing import vouching


class Captures:
    """The verbs of ``History`` on the files that hooks keep beside the store."""

    _ctx: Context

    def captures(self, *, limit: int = 100, session: str | None = None) -> dict[str, Any]:
        """Return what became of every capture, the latest first, and what nobody captured.

        ``results``: rows with ``state`` accepted (kept by a hook), pending (begun), stored or failed. ``unsaved``:
        sessions that ended without capture.
        """
        path, namespace = self._ctx.store.place, self._ctx.namespace
        name, most = drafts.draft_label(session, "session"), asks.check_limit(limit)
        rows = [row for row in ledger.captures(path, namespace) if name is None or row["session"] == name]
        left = [traces.row_of(trace) for trace in traces.left(path, namespace)]
        unsaved = [row for row in left if name is None or row["session"] == name]
        return {"results": rows[:most], "unsaved": unsaved}

    def ack(self, session: str, *, reason: str | None = None) -> None:
        """Say that nothing more is to be done about a session that was left; it is listed again if it goes on.

        Raises:
            NotFoundError: no hook ever heard of it here.
            AccessDeniedError: the door's trust is below ``observed``.
        """
        vouching(self._ctx, "acknowledge a session")
        name = drafts.draft_label(session, "session") or ""
        why = drafts.draft_label(reason, "reason")
        with self._ctx.store.read(None) as tx:
            now = to_datetime(tx.now).isoformat()
        known = traces.trace_of(self._ctx.store.place, name) if name else None
        if known is None or known.namespace != self._ctx.namespace:
            raise NotFoundError(f"there is no trace of a session {name!r} here", value=name)
        traces.acknowledge(self._ctx.store.place, name, now, why)

    def injected(self, *, limit: int = 100, session: str | None = None) -> list[dict[str, Any]]:
        """Return what agents were shown by themselves, the latest first: when, where, which memories, how much."""
        name = drafts.draft_label(session, "session")
        return shown.injected(self._ctx.store.place, self._ctx.namespace, name)[: asks.check_limit(limit)]

    acaptures = twin(captures)
    aack = twin(ack)
    ainjected = twin(injected)
