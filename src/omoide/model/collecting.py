"""Python's cyclic collector put off while many values are made that live on.

Each of its passes walks over every container of the process, and the values of a large write set off many passes
that free nothing.
"""

from __future__ import annotations

import gc
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from omoide.model.forks import ForkLock


class _Pause:
    """How many blocks want the collector off; the last to end turns it on again."""

    def __init__(self) -> None:
        self._lock = ForkLock()
        self._blocks = 0
        self._was_on = False

    def begin(self) -> None:
        with self._lock:
            if not self._blocks:
                self._was_on = gc.isenabled()
                gc.disable()
            self._blocks += 1

    def end(self) -> None:
        with self._lock:
            self._blocks = max(self._blocks - 1, 0)
            if not self._blocks:
                self.on_again()

    def on_again(self) -> None:
        if self._was_on:
            gc.enable()

    def in_child(self) -> None:
        """A block of another thread never ends in a forked child."""
        if self._blocks:
            self._blocks = 0
            self.on_again()


_PAUSE: Final = _Pause()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_PAUSE.in_child)


class _Inside(threading.local):
    """How many blocks this thread is in."""

    def __init__(self) -> None:
        self.depth = 0


_INSIDE: Final = _Inside()


@contextmanager
def uncollected() -> Iterator[None]:
    """Keep the cyclic collector off inside, for work of bounded size; it stays off if it was off before."""
    _PAUSE.begin()
    _INSIDE.depth += 1
    try:
        yield
    finally:
        _INSIDE.depth -= 1
        _PAUSE.end()


@contextmanager
def collected() -> Iterator[None]:
    """Leave the blocks of ``uncollected`` that this thread is in for as long: what runs inside is not our code."""
    depth, _INSIDE.depth = _INSIDE.depth, 0
    for _ in range(depth):
        _PAUSE.end()
    try:
        yield
    finally:
        for _ in range(depth):
            _PAUSE.begin()
        _INSIDE.depth = depth
