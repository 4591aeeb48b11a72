"""Before a compaction that a person asks for: whether it is held once, since work of this session was not saved."""

from __future__ import annotations

from omoide.beside import traces

TYPE_CHECKING = False
if TYPE_CHECKING:
    from omoide.capture.event import Event

EDITS = 3
"""Edits since the session last saved something."""
GROWTH = 32_768
"""Bytes that the transcript grew since then."""


def reason() -> str:
    """Return why it is held and how to go on, in the language of the person."""
    from omoide.serve.messages.speech import Speech, language_of

    return Speech(language_of())("hook.held")


def holds(event: Event, store: str) -> bool:
    """Say whether to refuse this compaction: never an automatic one, never twice, never for another session's work.

    What counts is what was done since this session saved something on purpose or was compacted: edits, and how much
    was said. Time does not.
    """
    if not event.manual or not event.session:
        return False
    trace = traces.trace_of(store, event.session)
    if trace is None:
        return event.position >= GROWTH
    if trace.warned:
        return False
    return trace.edits_since_save >= EDITS or event.position - trace.saved >= GROWTH
