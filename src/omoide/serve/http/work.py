"""Operations carried out away from the event loop, as many at once as there are threads."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from threading import Thread
from typing import Any, Final

from omoide.errors import OmoideError
from omoide.ops import run
from omoide.serve.deadlines import Deadlines
from omoide.serve.guard import NOBODY, Refusal
from omoide.serve.handles import Handles, Voice
from omoide.serve.hands import Hands
from omoide.serve.http.bodies import Bodies
from omoide.serve.limits import Limits
from omoide.serve.tokens import Grant

THREADS: Final = 16
_JSON: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))


class Work:
    """The threads and handles of one application."""

    def __init__(self, handles: Handles, namespace: str, limits: Limits, *, read_only: bool) -> None:
        self.namespace, self.limits, self.read_only = namespace, limits, read_only
        self.bodies = Bodies(limits)
        self._handles = handles
        self._hands = Hands(THREADS, "omoide-http")
        self._deadlines = Deadlines(limits.seconds)
        self._in_flight = 0
        self._opening: Thread | None = None

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
            with self._deadlines.turn():
                return await self._hands.do(self._run, self._voice(grant), name, arguments)
        except TimeoutError as error:
            if isinstance(error, OmoideError):
                raise
            message = f"no answer within {self.limits.seconds:g} s; a write may still be carried out"
            raise _unavailable("timeout", message) from None
        finally:
            self._in_flight -= 1

    def warm_up(self) -> None:
        """Open the store in the background, so that the first request need not wait for it."""
        self._opening = Thread(target=self._open, name="omoide-http-open", daemon=True)
        self._opening.start()

    def close(self) -> None:
        """Finish what is at work and close the store; the next request opens it anew."""
        self._hands.finish()
        if self._opening is not None:
            self._opening.join()
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


def _unavailable(code: str, message: str) -> Refusal:
    return Refusal(503, code, message, [("retry-after", "1")])
