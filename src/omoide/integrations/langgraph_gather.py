"""Operations that tasks of one event loop ask for at one time, carried out in one batch."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from itertools import islice
from typing import Any, Final
from weakref import WeakKeyDictionary

MOST: Final = 256
"""Operations of one batch."""


class _Waiting:
    """What one event loop waits for."""

    def __init__(self) -> None:
        self.asked: deque[tuple[list[Any], asyncio.Future[list[Any]]]] = deque()
        self.task: asyncio.Task[None] | None = None


class Gathering:
    """Hands what is asked for in one turn of an event loop to ``batch`` together, in a worker thread.

    A caller that is cancelled takes only its own operations away; one whose operations fail fails alone. ``place``
    tells where an operation writes, None for nowhere: writes to one place go to different batches, so that each
    leaves its version.
    """

    def __init__(self, batch: Callable[[list[Any]], list[Any]], place: Callable[[Any], Any]) -> None:
        self._batch = batch
        self._place = place
        self._loops: WeakKeyDictionary[asyncio.AbstractEventLoop, _Waiting] = WeakKeyDictionary()

    async def ask(self, operations: Sequence[Any]) -> list[Any]:
        """Return the results of operations, in their order."""
        loop = asyncio.get_running_loop()
        waiting = self._loops.setdefault(loop, _Waiting())
        future: asyncio.Future[list[Any]] = loop.create_future()
        waiting.asked.append((list(operations), future))
        if waiting.task is None or waiting.task.done():
            waiting.task = loop.create_task(self._drain(waiting))
        return await future

    async def _drain(self, waiting: _Waiting) -> None:
        await asyncio.sleep(0)  # whoever asks in the same turn comes along
        while waiting.asked:
            await self._carry_out(self._next(waiting))

    def _next(self, waiting: _Waiting) -> list[tuple[list[Any], asyncio.Future[list[Any]]]]:
        """Take callers while no two of them write to one place."""
        taken: list[tuple[list[Any], asyncio.Future[list[Any]]]] = []
        places: set[Any] = set()
        count = 0
        while waiting.asked:
            operations, future = waiting.asked[0]
            wanted = {place for place in map(self._place, operations) if place is not None}
            if taken and (places & wanted or count + len(operations) > MOST):
                break
            waiting.asked.popleft()
            if not future.done():
                taken.append((operations, future))
                places |= wanted
                count += len(operations)
        return taken

    async def _carry_out(self, callers: list[tuple[list[Any], asyncio.Future[list[Any]]]]) -> None:
        together = [operation for operations, _ in callers for operation in operations]
        (found,) = await self._tried(together)
        if isinstance(found, BaseException):
            apart = [await self._tried(operations) for operations, _ in callers] if len(callers) > 1 else [[found]]
            results = [each for (each,) in apart]
        else:
            left = iter(found)
            results = [list(islice(left, len(operations))) for operations, _ in callers]
        for (_, future), result in zip(callers, results, strict=True):
            _answer(future, result)

    async def _tried(self, operations: list[Any]) -> list[Any]:
        """Return the results of a batch, or what it raised, as a list of one."""
        run = asyncio.to_thread(self._batch, operations)
        tried: list[Any] = await asyncio.gather(run, return_exceptions=True)
        return tried


def _answer(future: asyncio.Future[list[Any]], result: Any) -> None:
    if future.done():
        return
    if isinstance(result, BaseException):
        future.set_exception(result)
    else:
        future.set_result(result)
