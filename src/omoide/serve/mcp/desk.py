"""Where the tools have their work done: away from the event loop, in one voice, with nowhere to go beyond it."""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from threading import Lock, Thread
from typing import Any, Final, TypeVar

import anyio.to_thread

from omoide.errors import OmoideError, StoreBusyError, StoreError
from omoide.ops import carry_out, checked
from omoide.serve.guard import GRANT, NOBODY
from omoide.serve.handles import Handles, Voice
from omoide.serve.hands import Hands
from omoide.serve.spool import Waiting, apply, can_wait, keep
from omoide.serve.tokens import Grant

RETRY_SECONDS: Final = 2.0
THREADS: Final = 32
Made = TypeVar("Made")


def grant_of(request: Any) -> Grant | None:
    """Return the grant of the token that a request over the network came with, None for a call over pipes."""
    scope = getattr(request, "scope", None)
    return None if scope is None else scope.get(GRANT)


class Desk:
    """One store, one namespace, one voice."""

    def __init__(self, handles: Handles, voice: Voice) -> None:
        self.handles, self.voice = handles, voice
        self._lock = Lock()
        self._retrying: Thread | None = None
        self._hands = Hands(THREADS, "omoide-mcp-work")

    async def do(self, name: str, arguments: Mapping[str, Any], voice: Voice) -> Any:
        """Return the result of an operation as plain JSON; a write that a busy store keeps out is spooled.

        Raises:
            OmoideError: whatever the operation raises.
        """
        return await self.apart(self.run, name, checked(name, arguments), voice)

    async def apart(self, work: Callable[..., Made], *arguments: Any) -> Made:
        """Return what ``work`` returns, done in a thread; who stops waiting for it does not stop it."""
        try:
            asyncio.get_running_loop()
        except RuntimeError:  # another kind of loop
            return await anyio.to_thread.run_sync(partial(work, *arguments), abandon_on_cancel=True)
        return await self._hands.do(work, *arguments)

    def run(self, name: str, given: Mapping[str, Any], voice: Voice) -> Any:
        """Return the same in this thread, for arguments that were checked."""
        try:
            return carry_out(self.handles.of(voice), name, given)
        except StoreBusyError:
            if not can_wait(name):
                raise
            answer = keep(self.handles.path, Waiting(name, dict(given), **self._signature(voice)))
            self.apply_waiting()
            return answer

    def voice_of(self, grant: Grant | None) -> Voice:
        """Return the voice of a call: that of its token where there is one, else the server's own."""
        if grant is None or grant is NOBODY:
            return self.voice
        read_only = self.voice.read_only or grant.read_only
        return Voice(grant.namespace or self.voice.namespace, grant.actor, grant.trust, read_only)

    def warm_up(self) -> None:
        """Open the store and start to load its model in the background."""
        Thread(target=self._open, name="omoide-mcp-open", daemon=True).start()

    def apply_waiting(self) -> None:
        """Apply what waits for the store in the background, as soon as it is free."""
        with self._lock:
            if self._retrying is None or not self._retrying.is_alive():
                self._retrying = Thread(target=self._retry, name="omoide-mcp-spool", daemon=True)
                self._retrying.start()

    def _signature(self, voice: Voice) -> dict[str, Any]:
        return {
            "namespace": voice.namespace,
            "door": self.handles.door,
            "trust": voice.trust,
            "actor": voice.actor,
        }

    def _open(self) -> None:
        with suppress(OmoideError):  # the first call meets it again and answers with it
            self.handles.of(self.voice)
            if not self.voice.read_only:
                self._retry()

    def _retry(self) -> None:
        options = {"embedder": self.handles.embedder, "policy": self.handles.policy, **self.handles.options}
        try:
            while apply(self.handles.path, **options).left:
                time.sleep(RETRY_SECONDS)
        except StoreError as error:
            print(f"omoide: writes still wait beside the store: {error}", file=sys.stderr)
