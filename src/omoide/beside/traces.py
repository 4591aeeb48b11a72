"""The trace of a session: that it began, what it edited, which programs it ran, what was saved and captured of it.

One file a session, a JSON object a line: ``k`` is the kind of line, ``t`` its time. No text of the conversation, no
arguments of a command.
"""

from __future__ import annotations

import os
import time

from omoide.beside import ledger, lines
from omoide.beside.places import TRACES, place, ready, safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Line = dict[str, Any]

IDLE = 600.0
"""Seconds without a sign after which a session that did not end counts as left."""
LISTED = 200
"""Sessions that are looked at, the latest first."""
KEPT_DAYS = 30.0
"""How long traces and other small files are kept."""


def file_of(store: str, session: str) -> str:
    """Return where the trace of a session is."""
    return place(store, TRACES, safe(session) + ".jsonl")


def add(store: str, about: Line, *more: Line) -> None:
    """Add lines to a session's trace; a new trace begins with ``about``, which names the session.

    Raises:
        OSError: it cannot be written.
    """
    ready(place(store, TRACES))
    path = file_of(store, about["session"])
    if not os.path.exists(path):
        lines.append(path, {"k": "about", **about})
    for line in more:
        lines.append(path, line)


class Trace:
    """What the lines of one session come to.

    ``edits`` and ``programs``: since anything of it was last captured. ``edits_since_save``: since the session last
    saved something on purpose. ``captured``: how far each transcript was read, in bytes; ``saved``: how long the
    transcript was at the last save or compaction. ``asked``: where a capture was last asked for, and when.
    ``warned``: a compaction was refused since then.
    """

    def __init__(self, session: str, found: list[Line], changed: float = 0.0) -> None:
        self.session = session
        self.changed = changed
        self.about: Line = {}
        self.last = ""
        self.edits: list[str] = []
        self.programs: set[str] = set()
        self.captured: dict[str, int] = {}
        self.edits_since_save = 0
        self.saved = 0
        self.asked: tuple[int, float] | None = None
        self.warned = False
        self.ended = False
        self._calls: set[str] = set()
        self.acknowledged = False
        for line in found:
            step = _STEPS.get(str(line.get("k")))
            if step is not None:
                step(self, line)

    def is_new(self, line: Line) -> bool:
        """Say whether a call is told for the first time: two hooks may tell of it."""
        call = line.get("id")
        if call is None:
            return True
        known = call in self._calls
        self._calls.add(call)
        return not known

    @property
    def namespace(self) -> str:
        """The namespace it belongs to."""
        return str(self.about.get("namespace", "default"))

    @property
    def transcript(self) -> str:
        """Where its transcript is; "" when no event named one."""
        return str(self.about.get("transcript") or "")

    @property
    def uncaptured(self) -> int:
        """Bytes of its transcript that were not captured; 0 when it is gone."""
        try:
            size = os.path.getsize(self.transcript) if self.transcript else 0
        except OSError:
            size = 0
        return max(0, size - self.captured.get(self.transcript, 0))

    @property
    def is_unsaved(self) -> bool:
        """Whether something of it would be lost if nobody did anything."""
        return not self.acknowledged and bool(self.uncaptured or self.edits or self.programs)


def _about(trace: Trace, line: Line) -> None:
    trace.about = {**line, **{name: value for name, value in trace.about.items() if value}}


def _moved(trace: Trace, line: Line) -> None:
    """A later event names a transcript that the first did not know yet."""
    if line.get("transcript"):
        trace.about["transcript"] = line["transcript"]
    _seen(trace, line)


def _seen(trace: Trace, line: Line) -> None:
    trace.last = str(line.get("t", trace.last))
    trace.acknowledged = False
    trace.ended = False


def _asked(trace: Trace, line: Line) -> None:
    trace.asked = int(line.get("position", 0)), float(line.get("e", 0.0))
    _seen(trace, line)


def _edit(trace: Trace, line: Line) -> None:
    if not trace.is_new(line):
        return
    trace.edits += [path for path in line.get("paths", ()) if isinstance(path, str)]
    trace.edits_since_save += 1
    _seen(trace, line)


def _run(trace: Trace, line: Line) -> None:
    trace.programs |= {name for name in line.get("programs", ()) if isinstance(name, str)}
    _seen(trace, line)


def _save(trace: Trace, line: Line) -> None:
    trace.edits_since_save = 0
    trace.saved = int(line.get("position", 0))
    trace.warned = False


def _captured(trace: Trace, line: Line) -> None:
    path = str(line.get("transcript", ""))
    trace.captured[path] = max(trace.captured.get(path, 0), int(line.get("position", 0)))
    trace.edits, trace.programs = [], set()


def _warned(trace: Trace, _line: Line) -> None:
    trace.warned = True


def _ended(trace: Trace, line: Line) -> None:
    _seen(trace, line)
    trace.ended = True


def _acknowledged(trace: Trace, _line: Line) -> None:
    trace.acknowledged = True


_STEPS = {
    "about": _about, "seen": _moved, "asked": _asked, "edit": _edit, "run": _run, "save": _save, "compact": _save,
    "captured": _captured, "warned": _warned, "end": _ended, "ack": _acknowledged,
}  # fmt: skip


def trace_of(store: str, session: str) -> Trace | None:
    """Return the trace of a session, None when there is none."""
    path = file_of(store, session)
    try:
        changed = os.path.getmtime(path)
    except OSError:
        return None
    return Trace(session, lines.read(path), changed)


def latest(store: str, most: int = LISTED) -> list[Trace]:
    """Return the traces of a store, the latest first."""
    folder = place(store, TRACES)
    try:
        with os.scandir(folder) as entries:
            found = [(entry.stat().st_mtime, entry.path) for entry in entries if entry.name.endswith(".jsonl")]
    except OSError:
        return []
    traces = []
    for changed, path in sorted(found, reverse=True)[:most]:
        known = lines.read(path)
        named = next((str(line["session"]) for line in known if line.get("session")), "")
        if named:
            traces.append(Trace(named, known, changed))
    return traces


def left(store: str, namespace: str, *, but: str = "", now: float | None = None, idle: float = IDLE) -> list[Trace]:
    """Return the sessions that nobody goes on with and of which something is unsaved, except the session ``but``.

    What a hook accepted is as good as saved.
    """
    moment = time.time() if now is None else now
    safe_ones = {str(record.get("session")) for _, record in ledger.inbox(store)} | {but}
    found = [trace for trace in latest(store) if trace.session not in safe_ones and trace.namespace == namespace]
    return [trace for trace in found if trace.is_unsaved and (trace.ended or moment - _sign(trace) >= idle)]


def _sign(trace: Trace) -> float:
    """Return when a session was last heard of."""
    try:
        return max(trace.changed, os.path.getmtime(trace.transcript)) if trace.transcript else trace.changed
    except OSError:
        return trace.changed


def row_of(trace: Trace) -> Line:
    """Return a trace as people and programs see it."""
    return {
        "session": trace.session, "host": str(trace.about.get("host") or ""), "cwd": trace.about.get("cwd") or None,
        "transcript": trace.transcript or None, "there": bool(trace.transcript and os.path.exists(trace.transcript)),
        "last": trace.last or None, "edits": len(trace.edits), "files": len(set(trace.edits)),
        "programs": sorted(trace.programs), "bytes": trace.uncaptured,
    }  # fmt: skip


def acknowledge(store: str, session: str, at: str, reason: str | None = None) -> bool:
    """Say that nothing more is to be done about a session; return whether it is known."""
    path = file_of(store, session)
    if not os.path.exists(path):
        return False
    lines.append(path, {"k": "ack", "t": at, **({"reason": reason} if reason else {})})
    return True
