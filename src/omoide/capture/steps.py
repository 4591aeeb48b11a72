"""What a hook does at each moment: keep what happened, and say what the host may be told."""

from __future__ import annotations

from zlib import crc32

from omoide.beside import claims, shown
from omoide.capture import capturing, outputs
from omoide.capture.outputs import Output
from omoide.capture.payload import PROMPT, text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from omoide.capture.event import Event

    Step = Callable[[Event, str, str], Output]

FRESH = frozenset({"compact", "clear"})
"""Sources of a start that leave nothing of what was shown."""


def taken(event: Event, store: str, namespace: str) -> Output:
    """Take an event of a moment that means something to us; return what the host is told.

    Raises:
        OSError: nothing can be written beside the store.
        StoreError: the store cannot be read.
    """
    return STEPS[event.moment](event, store, namespace)


def _start(event: Event, store: str, namespace: str) -> Output:
    if event.agent or not _first(event, store):
        return Output()
    capturing.traced(event, store, namespace, capturing.seen(event))
    if event.source in FRESH and event.session:
        _forgotten(event, store, namespace)
    if event.source not in FRESH:
        capturing.work(store)  # what waits, and what was left by sessions that ended without a word
    return _show(event, store, namespace) if outputs.takes_context(event) else Output()


def _prompt(event: Event, store: str, namespace: str) -> Output:
    capturing.traced(event, store, namespace, capturing.seen(event))
    if not outputs.takes_context(event) or event.agent or not _first(event, store):
        return Output()
    if _owed(event, store):
        return _show(event, store, namespace)
    from omoide.capture.showing import fitting_prompt

    return fitting_prompt(event, store, namespace)


def _tool(event: Event, store: str, namespace: str) -> Output:
    from omoide.capture.tool_calls import call_of

    call = call_of(event)
    lines = capturing.call_lines(event, call)
    if lines:
        capturing.traced(event, store, namespace, *lines)
    if not outputs.takes_context(event) or event.agent:
        return Output()
    if event.session and _owed(event, store) and _first(event, store):
        return _show(event, store, namespace)
    from omoide.capture.showing import what_comes_up

    return what_comes_up(event, call, store, namespace)


def _stop(event: Event, store: str, namespace: str) -> Output:
    if capturing.due(event, store):
        capturing.accept(event, store, namespace)
    else:
        capturing.traced(event, store, namespace, capturing.seen(event))
    return Output()


def _end(event: Event, store: str, namespace: str) -> Output:
    capturing.accept(event, store, namespace)
    capturing.traced(event, store, namespace, {"k": "end", "transcript": event.transcript})
    return Output()


def _compact(event: Event, store: str, namespace: str) -> Output:
    """Capture first; then perhaps refuse."""
    guard = _guard(event, store)
    if guard != "off":
        capturing.accept(event, store, namespace)
    if not _first(event, store):
        return Output()
    if guard == "block" and outputs.can_refuse(event):
        from omoide.capture.guard import holds, reason

        if holds(event, store):
            capturing.traced(event, store, namespace, {"k": "warned"})
            return outputs.refusal(event, reason())
    if event.session:
        _forgotten(event, store, namespace)
    return _show(event, store, namespace) if outputs.takes_context(event) else Output()


def _forgotten(event: Event, store: str, namespace: str) -> None:
    """Note that the context of the session is gone, or is about to go."""
    capturing.traced(event, store, namespace, {"k": "compact", "position": event.position})
    shown.compacted(store, event.session, event.at)


def _guard(event: Event, store: str) -> str:
    """Return what the person chose; it is about compactions that a person asks for."""
    if not event.manual:
        return "capture"
    from omoide.capture.choice import choice_for

    return choice_for(event.cwd, store, event.at).guard


def _compacted(event: Event, store: str, namespace: str) -> Output:
    capturing.traced(event, store, namespace, capturing.seen(event))
    if not outputs.takes_context(event) or not _first(event, store):
        return Output()
    return _show(event, store, namespace)


def _first(event: Event, store: str) -> bool:
    """Say whether this is the first of several hooks that fire for one thing."""
    said = crc32(text(event.payload, *PROMPT).encode("utf-8", "replace"))
    return claims.claim(store, f"{event.session}-{event.moment}-{event.source}-{event.position}-{said}")


def _owed(event: Event, store: str) -> bool:
    """Say whether the session lost what it was shown, or was never shown anything because its start takes nothing."""
    known = shown.seen(store, event.session)
    starts = any(event.spec.events[name] == "start" for name in event.spec.context)
    return known.due or (known.empty and not starts)


def _show(event: Event, store: str, namespace: str) -> Output:
    from omoide.capture.showing import the_start

    return the_start(event, store, namespace)


STEPS: dict[str, Step] = {
    "start": _start, "prompt": _prompt, "tool": _tool, "stop": _stop, "idle": _stop, "end": _end,
    "compact": _compact, "compacted": _compacted,
}  # fmt: skip
