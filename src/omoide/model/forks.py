"""Locks that a forked child finds free, whoever held them in the parent."""

from __future__ import annotations

import os
import threading
import weakref
from typing import Any, Final

_LOCKS: Final[weakref.WeakSet[Any]] = weakref.WeakSet()


class ForkLock:
    """A re-entrant lock for short sections of pure Python; a child of a fork starts with a new one."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        _LOCKS.add(self)

    def __enter__(self) -> None:
        self._lock.acquire()

    def __exit__(self, *error: object) -> None:
        self._lock.release()

    def renew(self) -> None:
        """Replace the lock, whose owner does not exist in this process."""
        self._lock = threading.RLock()


def _renew_all() -> None:
    for lock in list(_LOCKS):
        lock.renew()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew_all)
