"""Shown to the model, and noted as shown: at a start, for a prompt, when a file or a command comes up."""

from __future__ import annotations

import os

from omoide.beside import claims, shown
from omoide.capture.outputs import Output, context

TYPE_CHECKING = False
if TYPE_CHECKING:
    from omoide.capture.event import Event
    from omoide.capture.inject import Shown
    from omoide.capture.tool_calls import Call

OPENINGS = frozenset({"startup", "resume", "new", ""})
"""Sources of a start at which sessions that were left are named: once, and not after a compaction."""
TRIGGER_TOKENS = 600


def the_start(event: Event, store: str, namespace: str) -> Output:
    """Show the standing rules and the memories of the project.

    Raises:
        StoreError: the store cannot be read.
    """
    from omoide.capture.choice import choice_for
    from omoide.capture.inject import starting

    chosen = choice_for(event.cwd, store, event.at)
    if chosen.inject == "off":
        return Output()
    if os.path.isdir(store):
        from omoide.capture.catching_up import catch_up

        catch_up(store, namespace)
    sessions = event.moment == "start" and event.source in OPENINGS
    return _told(event, store, namespace, starting(event, chosen, store, namespace, sessions=sessions))


def fitting_prompt(event: Event, store: str, namespace: str) -> Output:
    """Show what fits a prompt, where the person asked for that.

    Raises:
        StoreError: the store cannot be read.
    """
    from omoide.capture.choice import choice_for

    chosen = choice_for(event.cwd, store, event.at)
    # Set-up makes some hosts tell of prompts only for those who want it; the others tell of every one.
    wanted = chosen.inject == "prompt" or (chosen.inject == "start" and event.name in event.spec.on_request)
    if not wanted:
        return Output()
    if not os.path.exists(store):
        return Output()
    from omoide.capture.inject import fitting
    from omoide.capture.prompting import found_for

    rows = found_for(event, chosen, store, namespace)
    return _told(event, store, namespace, fitting(event, rows, store, chosen.budget))


def what_comes_up(event: Event, call: Call, store: str, namespace: str) -> Output:
    """Show the memories that asked to be shown at this file or command.

    Raises:
        StoreError: the store cannot be read.
    """
    from omoide.capture.triggers import matching

    known = shown.seen(store, event.session)
    rows = matching(event, call, store, namespace, known.triggered)
    if not rows:
        return Output()
    from omoide.capture.choice import choice_for

    if choice_for(event.cwd, store, event.at).inject == "off":
        return Output()
    if not claims.claim(store, f"{event.session}-triggers-{'-'.join(str(row['version_id']) for row in rows)}"):
        return Output()
    from omoide.capture.inject import coming_up

    return _told(event, store, namespace, coming_up(rows, TRIGGER_TOKENS), triggered=True)


def _told(event: Event, store: str, namespace: str, made: Shown, *, triggered: bool = False) -> Output:
    """Note what is shown before it is; a session without a name is shown it all the same."""
    output = context(event, made.block.text)
    if event.session and (output.out or not triggered):
        line = {
            "host": event.host, "at": event.at, "event": event.name, "namespace": namespace,
            "memories": [row["id"] for row in made.block.rows], "unsaved": made.sessions, "triggered": triggered,
            "versions": [row["version_id"] for row in made.block.rows], "tokens": made.block.tokens,
        }  # fmt: skip
        shown.note(store, event.session, line)
    return output
