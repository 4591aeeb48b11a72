"""Once only: of several processes that are started for one thing, the first does it."""

from __future__ import annotations

import os
import time

from omoide.beside.places import CLAIMS, place, ready, safe

AGAIN = 5.0
"""Seconds after which the same thing may be done again: two settings of one host fire together, not later."""


def claim(store: str, what: str) -> bool:
    """Say whether this process is the one to do ``what``.

    Raises:
        OSError: nothing can be written beside the store.
    """
    path = os.path.join(ready(place(store, CLAIMS)), safe(what))
    for _ in range(2):
        try:
            os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
        except FileExistsError:
            if not _given_up(path):
                return False
        else:
            return True
    return False


def _given_up(path: str) -> bool:
    """Remove a claim of an earlier time; return whether there was one."""
    try:
        if time.time() - os.path.getmtime(path) < AGAIN:
            return False
        os.unlink(path)
    except OSError:
        return False
    return True
