"""A purge reaches the files of hooks too: what they keep of a session, and what they remember of the store."""

from __future__ import annotations

import json
import os

from omoide.beside import ledger, lines, shown, traces
from omoide.beside.places import CLAIMS, LEDGER, SCAN, TRIGGERS, folder_of, place, ready

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection
    from typing import Any


def erase(store: str, namespace: str, session: str | None, *, whole: bool = False) -> None:
    """Erase what hooks keep of a session of a namespace, or with ``whole`` of all its sessions.

    The triggers that were looked up are forgotten in any case: they are words of memories.

    Raises:
        OSError: a file cannot be written.
    """
    if not folder_of(store) or not os.path.isdir(folder_of(store)):
        return
    lines.drop(place(store, TRIGGERS))
    every = 1 << 30
    named = {trace.session for trace in traces.latest(store, every) if whole and trace.namespace == namespace}
    sessions = named | ({session} if session else set())
    if sessions:
        _forget(store, namespace, sessions)


def _forget(store: str, namespace: str, sessions: Collection[str]) -> None:
    def meant(line: dict[str, Any]) -> bool:
        return line.get("session") in sessions and line.get("namespace", "default") == namespace

    for name in sessions:
        trace = traces.trace_of(store, name)
        if trace is not None and trace.namespace == namespace:
            lines.drop(traces.file_of(store, name))
            lines.drop(shown.file_of(store, name))
    for key, record in ledger.inbox(store):
        if meant(record):
            ledger.done(store, key)
    with os.scandir(ready(place(store, CLAIMS))) as entries:  # their names begin with those of sessions
        for entry in entries:
            lines.drop(entry.path)
    kept = [line for line in lines.read(place(store, LEDGER), ledger.MOST_LEDGER) if not meant(line)]
    lines.write(place(store, LEDGER), "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in kept))
    scan = lines.load(place(store, SCAN))
    if scan:
        lines.write(place(store, SCAN), json.dumps({**scan, "known": {}}))
