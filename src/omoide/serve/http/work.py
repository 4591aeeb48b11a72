"""Operations carried out away from the event loop, as many at once as there are threads."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from threading import Lock
from typing import Any, Final

from omoide.errors import OmoideError
from omoide.ops import run
from omoide.serve.guard import NOBODY, Refusal
from omoide.serve.handles import Handles, Voice
from omoide.serve.limits import Limits
from omoide.serve.tokens import Grant

THREADS: Final = 16
_JSON: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))


class Work:
    """The threads and handles of one application."""

    def __init__(self, handles: Handles, namespace: str, limits: Limits, *, read_only: bool) -> None:
        self.namespace, self.limits, self.read_only = namespace, limits, read_only
        self._handles = handles
        self._pool: ThreadPoolExecutor | None = None
        self._lock = Lock()
        self._in_flight = 0

    async def do(self, grant: Grant, name: str, arguments: Mapping[str, Any]) -> tuple[Any, bytes]:
        """Return the result of an operation, plain and as JSON.

        Raises:
            OmoideError: whatever the operation raises.
            Refusal: 503, when too much is going on or it takes too long.
        """
        if self._in_flight >= self.limits.in_flight:
            raise _unavailable("overloaded", "the server is at work on too many requests; try again")
        self._in_flight += 1
        try:
            loop = asyncio.get_running_loop()
            doing = loop.run_in_executor(self._threads(), self._run, self._voice(grant), name, arguments)
            async with asyncio.timeout(self.limits.seconds):
                return await doing
        except TimeoutError as error:
            if isinstance(error, OmoideError):
                raise
            message = f"no answer within {self.limits.seconds:g} s; a write may still be carried out"
            raise _unavailable("timeout", message) from None
        finally:
            self._in_flight -= 1

    def warm_up(self) -> None:
        """Open the store in the background, so that the first request need not wait for it."""
        self._threads().submit(self._open)

    def close(self) -> None:
        """Finish what is at work and close the store; the next request opens it anew."""
        with self._lock:
            pool, self._pool = self._pool, None
        if pool is not None:
            pool.shutdown(wait=True, cancel_futures=True)
        self._handles.close()

    def _run(self, voice: Voice, name: str, arguments: Mapping[str, Any]) -> tuple[Any, bytes]:
        result = run(self._handles.of(voice), name, arguments)
        return result, _JSON.encode(result).encode()

    def _open(self) -> None:
        with suppress(OmoideError):  # the first request meets it again and answers with it
            self._handles.of(self._voice(NOBODY))

    def _voice(self, grant: Grant) -> Voice:
        return Voice(
            grant.namespace or self.namespace, grant.actor, grant.trust, self.read_only or grant.read_only
        )  # fmt: skip

    def _threads(self) -> ThreadPoolExecutor:
        pool = self._pool
        if pool is None:
            with self._lock:
                pool = self._pool = self._pool or ThreadPoolExecutor(THREADS, "omoide-http")
        return pool


def _unavailable(code: str, message: str) -> Refusal:
    return Refusal(503, code, message, [("retry-after", "1")])
