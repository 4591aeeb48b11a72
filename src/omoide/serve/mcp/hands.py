"""Threads that do what would keep an event loop waiting; none of them keeps the process from ending.

A ``ThreadPoolExecutor`` is waited for at the end of the interpreter, however long its work takes.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Future
from queue import Empty, SimpleQueue
from threading import Lock, Thread
from typing import Any, Final, TypeAlias, TypeVar

MOST: Final = 32
IDLE_SECONDS: Final = 60.0
Made = TypeVar("Made")
Job: TypeAlias = tuple["Future[Any]", Callable[..., Any], tuple[Any, ...]]


class Hands:
    """As many threads as there is work at once, at most ``MOST``; idle ones end after a minute."""

    def __init__(self) -> None:
        self._jobs: SimpleQueue[Job] = SimpleQueue()
        self._lock = Lock()
        self._threads = self._idle = 0

    async def do(self, work: Callable[..., Made], *arguments: Any) -> Made:
        """Return what ``work`` returns; who stops waiting for it does not stop it once it has begun."""
        promise: Future[Made] = Future()
        with self._lock:
            self._jobs.put((promise, work, arguments))
            if self._jobs.qsize() > self._idle and self._threads < MOST:
                self._threads += 1
                Thread(target=self._serve, name="omoide-mcp-work", daemon=True).start()
        return await asyncio.wrap_future(promise)

    def _serve(self) -> None:
        while (job := self._next()) is not None:
            promise, work, arguments = job
            if promise.set_running_or_notify_cancel():
                _carry_out(promise, work, arguments)
            del job, promise, work, arguments  # an idle thread keeps nothing alive

    def _next(self) -> Job | None:
        with self._lock:
            self._idle += 1
        try:
            job = self._jobs.get(timeout=IDLE_SECONDS)
        except Empty:
            job = None
        with self._lock:
            self._idle -= 1
            if job is None and self._jobs.empty():
                self._threads -= 1
                return None
        return job or self._next()


def _carry_out(promise: Future[Any], work: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
    try:
        made = work(*arguments)
    except BaseException as error:  # noqa: BLE001 - raised again where the promise is waited for
        promise.set_exception(error)
    else:
        promise.set_result(made)
