"""What a person edited in a vault is taken in before a session is shown what the store knows, where that is quick."""

from __future__ import annotations

import os

from omoide.beside.failures import failed
from omoide.beside.places import VAULT
from omoide.capture.event import stamp
from omoide.capture.starting import ONE_THREAD

FEW = 50
"""Edited notes that a hook takes in by itself; more are the worker's, and so is an index that is not there."""
PATIENCE = 0.5
"""Seconds to wait for a vault that is held."""


def catch_up(store: str, namespace: str) -> None:
    """Bring the index in step with a few edited notes; where that fails, it is shown as it is."""
    if not os.path.isfile(os.path.join(store, *VAULT)):
        return
    from omoide.errors import OmoideError

    try:
        _take_in(store, namespace)
    except OmoideError as error:  # the worker tries again
        failed(store, "hook notes", error, stamp())


def _take_in(store: str, namespace: str) -> None:
    from omoide.vault.peek import edited

    number = edited(store)
    if not number or number > FEW:
        return
    os.environ.update(ONE_THREAD)
    from omoide.memory import Memory

    with Memory(store, namespace, embedder="none", busy_timeout=PATIENCE, door="hook") as memory:
        memory.list(limit=1)
