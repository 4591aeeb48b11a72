"""Threads that do what would keep an event loop waiting; none of them keeps the process from ending.

An answer goes from its thread to the loop in one step. The executors of the standard library and of the SDK pass it
through a second future and a context of its own, which costs as much as finding a few rows. They also keep the
interpreter from ending for as long as some work takes.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from queue import Empty, SimpleQueue
from threading import Condition, Thread
from types import TracebackType
from typing import Any, Final, TypeAlias, TypeVar

IDLE_SECONDS: Final = 60.0
Made = TypeVar("Made")
Job: TypeAlias = tuple["_Delivery", Callable[..., Any], tuple[Any, ...]]


class Hands:
    """As many threads as there is work at once, at most ``most``; idle ones end after a minute."""

    def __init__(self, most: int, name: str) -> None:
        self._most, self._name = most, name
        self._jobs: SimpleQueue[Job] = SimpleQueue()
        self._changed = Condition()
        self._threads = self._pending = 0

    async def do(self, work: Callable[..., Made], *arguments: Any) -> Made:
        """Return what ``work`` returns, or raise what it raises; who stops waiting does not stop what has begun."""
        loop = asyncio.get_running_loop()
        promise: asyncio.Future[Made] = loop.create_future()
        with self._changed:
            self._pending += 1
            self._jobs.put((_Delivery(loop, promise), work, arguments))
            if self._threads < min(self._pending, self._most):
                self._threads += 1
                Thread(target=self._serve, name=self._name, daemon=True).start()
        return await promise

    def finish(self) -> None:
        """Drop what has not begun and wait for what has; afterwards there may be more work."""
        with suppress(Empty):
            while True:
                self._jobs.get_nowait()[0].drop()
                self._done()
        with self._changed:
            self._changed.wait_for(lambda: not self._pending)

    def _serve(self) -> None:
        while (job := self._next()) is not None:
            delivery, work, arguments = job
            if not delivery.unwanted:
                with delivery:
                    delivery.made = work(*arguments)
            del job, delivery, work, arguments  # an idle thread keeps nothing alive
            self._done()

    def _next(self) -> Job | None:
        """Return what to do next, None when there was nothing for long."""
        while True:
            with suppress(Empty):
                return self._jobs.get(timeout=IDLE_SECONDS)
            with self._changed:
                if self._pending < self._threads:
                    self._threads -= 1
                    return None

    def _done(self) -> None:
        with self._changed:
            self._pending -= 1
            if not self._pending:
                self._changed.notify_all()


class _Delivery:
    """A block of a thread whose result, or whatever ends it, belongs to who waits in a loop."""

    __slots__ = ("_loop", "_promise", "made")

    def __init__(self, loop: asyncio.AbstractEventLoop, promise: asyncio.Future[Any]) -> None:
        self._loop, self._promise = loop, promise
        self.made: Any = None

    @property
    def unwanted(self) -> bool:
        """Whether nobody waits any more."""
        return self._promise.cancelled()

    def drop(self) -> None:
        """Tell who waits that it will not be done."""
        self._send(asyncio.CancelledError())

    def __enter__(self) -> None:
        pass

    def __exit__(
        self, _kind: type[BaseException] | None, error: BaseException | None, _trace: TracebackType | None
    ) -> bool:
        self._send(error)
        return True

    def _send(self, error: BaseException | None) -> None:
        with suppress(RuntimeError):  # the loop has ended, and everybody in it
            self._loop.call_soon_threadsafe(_settle, self._promise, self.made, error)


def _settle(promise: asyncio.Future[Any], made: Any, error: BaseException | None) -> None:
    if promise.done():
        return
    if error is None:
        promise.set_result(made)
    elif isinstance(error, asyncio.CancelledError):
        promise.cancel()
    else:
        promise.set_exception(error)
