"""Blocking calls from async code that are over when their caller goes on."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


async def whole(call: Callable[[], T]) -> T:
    """Return what ``call`` returns in a worker thread; a cancelled caller still waits for its end.

    Whoever was cancelled then knows that nothing of the call is still to come.

    Raises:
        CancelledError: the caller was cancelled; ``call`` has ended.
    """
    task = asyncio.ensure_future(asyncio.to_thread(call))
    cancelled: asyncio.CancelledError | None = None
    while not task.done():
        try:
            await asyncio.wait({task})
        except asyncio.CancelledError as error:
            cancelled = cancelled or error
    if cancelled is not None:
        task.exception()  # looked at, so that nobody is told of an error that the cancellation covers
        raise cancelled
    return task.result()
