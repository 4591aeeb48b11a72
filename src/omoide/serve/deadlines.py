"""How long a step of a request may take: one timer for all that are under way at a time.

Most end long before their time, so that a timer for each, set up and called off, would be most of the cost.
"""

from __future__ import annotations

import asyncio
from types import TracebackType
from typing import Self
from weakref import WeakKeyDictionary


class Deadlines:
    """Blocks of coroutines, each ended by ``TimeoutError`` after ``seconds``. Any number of loops may use it."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._rings: WeakKeyDictionary[asyncio.AbstractEventLoop, _Ring] = WeakKeyDictionary()

    def turn(self) -> Turn:
        """Return the context manager of one block.

        Raises:
            TimeoutError: out of the block, when it takes too long.
        """
        loop = asyncio.get_running_loop()
        ring = self._rings.get(loop)
        if ring is None:
            ring = self._rings[loop] = _Ring(self._seconds)
        return Turn(ring, loop)


class Turn:
    """One block, from its beginning to its end."""

    __slots__ = ("_asked", "_late", "_loop", "_ring", "_task", "due")

    def __init__(self, ring: _Ring, loop: asyncio.AbstractEventLoop) -> None:
        self._ring, self._loop, self._late = ring, loop, False

    def __enter__(self) -> Self:
        task = asyncio.current_task()
        assert task is not None
        self._task, self._asked = task, task.cancelling()
        self.due = self._loop.time() + self._ring.seconds
        self._ring.begin(self, self._loop)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        self._ring.end(self)
        # As in asyncio.timeout: a cancellation that somebody else asked for as well stays one.
        if self._late and self._task.uncancel() <= self._asked and kind is asyncio.CancelledError:
            raise TimeoutError from error

    def overrun(self) -> None:
        """End the block."""
        self._late = True
        self._task.cancel()


class _Ring:
    """The blocks under way in one loop, the oldest first, which is also the first to be due."""

    __slots__ = ("_timer", "_under_way", "seconds")

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._under_way: dict[Turn, None] = {}
        self._timer: asyncio.TimerHandle | None = None

    def begin(self, turn: Turn, loop: asyncio.AbstractEventLoop) -> None:
        self._under_way[turn] = None
        if self._timer is None:
            self._timer = loop.call_at(turn.due, self._look, loop)

    def end(self, turn: Turn) -> None:
        self._under_way.pop(turn, None)

    def _look(self, loop: asyncio.AbstractEventLoop) -> None:
        self._timer = None
        now = loop.time()
        for turn in list(self._under_way):
            if turn.due > now:
                self._timer = loop.call_at(turn.due, self._look, loop)
                return
            del self._under_way[turn]
            turn.overrun()
