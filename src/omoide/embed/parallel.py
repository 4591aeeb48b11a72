"""Two workers over one list: the caller and one helper, which ends with the call."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Final, Generic, TypeVar

T = TypeVar("T")
R = TypeVar("R")

WORKERS: Final = min(2, os.cpu_count() or 1)


def in_parallel(work: Callable[[T], R], items: Sequence[T]) -> list[R]:
    """Return ``work`` of every item, in order; an error of either worker ends both and is raised.

    Worth it for native work that lets other threads run. No thread outlives the call, so there is nothing
    to shut down and nothing that a fork could lose.
    """
    if len(items) < 2 or WORKERS < 2:
        return [work(item) for item in items]
    task = _Task(work, items)
    with ThreadPoolExecutor(1, thread_name_prefix="omoide-embed") as pool:
        helper = _submit(pool, task.run)
        task.run()
    if helper is not None:
        helper.result()
    return [task.results[at] for at in range(len(items))]


def _submit(pool: ThreadPoolExecutor, run: Callable[[], None]) -> Future[None] | None:
    """An interpreter that is ending starts no thread any more; the caller then works alone."""
    try:
        return pool.submit(run)
    except RuntimeError:
        return None


class _Task(Generic[T, R]):
    """What the two workers share."""

    def __init__(self, work: Callable[[T], R], items: Sequence[T]) -> None:
        self._work = work
        self._left: Iterator[tuple[int, T]] = iter(enumerate(items))
        self._lock = threading.Lock()
        self.results: dict[int, R] = {}

    def run(self) -> None:
        """Work until nothing is left; after an error nothing is left for the other one either."""
        try:
            while (taken := self._take()) is not None:
                at, item = taken
                self.results[at] = self._work(item)
        finally:
            with self._lock:
                self._left = iter(())

    def _take(self) -> tuple[int, T] | None:
        with self._lock:
            return next(self._left, None)
