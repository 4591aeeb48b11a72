"""``omoide hook HOST EVENT``: what happened is kept in one file, what the host may be told is said, and that is all.

Nothing but the standard library is loaded before something has to be shown. Whatever goes wrong on our side, the
host sees an exit status of 0 and no output; ``omoide doctor`` shows what it was.
"""

from __future__ import annotations

import os
import sys

from omoide.beside import beats
from omoide.beside.failures import failed
from omoide.beside.places import IN_MEMORY
from omoide.capture import payload
from omoide.capture.asked import asked_of
from omoide.capture.event import event_of, stamp
from omoide.capture.outputs import Output
from omoide.capture.stand_down import standing_down
from omoide.capture.watchdog import watch

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from omoide.capture.asked import Asked

LIMIT = 5.0
"""Seconds after which a hook gives up."""
LIMIT_AT_END = 1.0
"""The same at the end of a session, for which hosts wait 1.5."""


def main(words: Sequence[str]) -> int:
    """Run a hook; return the exit status for the host, which is 0 for all but a refusal it understands."""
    asked = asked_of(words)
    seconds = LIMIT_AT_END if "end" in asked.event.lower() else LIMIT
    timer = watch(seconds, 0, lambda: _fail(asked, "it took too long"))
    try:
        return _run(asked).write()
    except Exception as error:  # noqa: BLE001 - a hook never breaks its host, whatever fails here
        _fail(asked, error)
        return 0
    finally:
        timer.cancel()
        _quietly_close()


def _fail(asked: Asked, error: BaseException | str) -> None:
    failed(asked.store, f"hook {asked.host} {asked.event}", error, stamp())


def _quietly_close() -> None:
    """Keep a host that stopped reading from making Python complain at its end."""
    try:
        sys.stdout.flush()
    except (OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


def _run(asked: Asked) -> Output:
    given = payload.decoded(asked.payload.encode()) if asked.payload else payload.read_payload(payload.stdin())
    event = event_of(asked.host, asked.event, given)
    if event is None:
        _fail(asked, f"there is no host {asked.host!r}")
        return Output()
    if standing_down(event.cwd):
        return Output()
    _settle(asked, event.cwd)
    if asked.store == IN_MEMORY:
        return Output()
    if reason := given.get(payload.BROKEN):
        _fail(asked, reason)
    beats.beat(asked.store, event.host, event.name, event.at, event.installed, asked.namespace)
    if not event.moment:
        return Output()
    from omoide.capture.steps import taken

    return taken(event, asked.store, asked.namespace)


def _settle(asked: Asked, cwd: str) -> None:
    """Find the store and the namespace of a hook that is pinned to none."""
    if not asked.store or not asked.namespace:
        if asked.store:
            asked.namespace = "default"
            return
        from omoide.capture.chosen import default_place

        store, namespace = default_place(cwd)
        asked.store, asked.namespace = store, asked.namespace or namespace
