"""What of an event is kept, and when it is worth a worker."""

from __future__ import annotations

import os
import time

from omoide.beside import ledger, traces

TYPE_CHECKING = False
if TYPE_CHECKING:
    from omoide.capture.event import Event
    from omoide.capture.tool_calls import Call

NO_WORKER = "OMOIDE_NO_WORKER"
"""Set where the worker is run by hand."""
GROWTH = 16_384
"""Bytes that a transcript has to grow for the end of a turn to be captured at once ..."""
PAUSE = 60.0
"""... else as many seconds have to pass."""


def about(event: Event, namespace: str) -> dict[str, object]:
    """Return what a trace says of its session."""
    return {
        "session": event.session, "host": event.host, "transcript": "" if event.agent else event.transcript,
        "cwd": event.cwd, "namespace": namespace, "t": event.at, **moved(event),
    }  # fmt: skip


def moved(event: Event) -> dict[str, object]:
    """Return where the environment says that the host keeps its files: who works later may have another."""
    found = {name: os.environ[name] for name, _ in event.spec.roots.values() if name in os.environ}
    return {"roots": found} if found else {}


def traced(event: Event, store: str, namespace: str, *more: dict[str, object]) -> None:
    """Add to the trace of the event's session; one without a name leaves none."""
    if event.session:
        traces.add(store, about(event, namespace), *({**line, "t": event.at} for line in more))


def seen(event: Event) -> dict[str, object]:
    """Return the line that says that a session is alive."""
    return {"k": "seen", "transcript": "" if event.agent else event.transcript}


def call_lines(event: Event, call: Call) -> list[dict[str, object]]:
    """Return what a tool's call leaves in the trace."""
    found: list[dict[str, object]] = []
    named = {"id": event.payload["tool_use_id"]} if isinstance(event.payload.get("tool_use_id"), str) else {}
    if call.edits and call.paths:
        found.append({"k": "edit", "tool": call.tool, "paths": call.paths, **named})
    if call.programs and not event.before:
        found.append({"k": "run", "programs": call.programs, **named})
    if call.saved:
        found.append({"k": "save", "position": event.position})
    return found


def due(event: Event, store: str) -> bool:
    """Say whether the end of a turn is worth capturing now: what is left is taken with the next or at the end.

    A subagent's end is: it has no next.
    """
    if event.agent:
        return True
    trace = traces.trace_of(store, event.session) if event.session else None
    if trace is None or trace.asked is None:
        return True
    position, when = trace.asked
    return event.position - position >= GROWTH or event.position < position or time.time() - when >= PAUSE


def accept(event: Event, store: str, namespace: str) -> None:
    """Keep the event durably for the worker, and start one.

    Raises:
        OSError: it cannot be written, or no process can be started.
    """
    record = {
        "host": event.host, "installed": event.installed, "event": event.name, "moment": event.moment,
        "session": event.session, "transcript": event.transcript, "position": event.position, "cwd": event.cwd,
        "agent": event.agent, "namespace": namespace, "at": event.at, **moved(event),
    }  # fmt: skip
    ledger.accept(store, record)
    asked = {"k": "asked", "position": event.position, "e": time.time()}
    traced(event, store, namespace, seen(event) if event.agent else asked)
    work(store)


def work(store: str) -> None:
    """Start a worker, unless one runs or none is wanted.

    Raises:
        OSError: no process can be started.
    """
    if not os.environ.get(NO_WORKER):
        from omoide.capture.starting import start_worker

        start_worker(store)
