"""Connections of a server: the head of a request is bounded in bytes and time, as its body is by the application.

uvicorn keeps whatever headers come for as long as they come, so that anybody who can reach the port could hold
connections and memory for nothing.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from http import HTTPStatus
from typing import Any, ClassVar, Final

import uvicorn
from uvicorn.protocols.http.auto import AutoHTTPProtocol

from omoide.serve.guard import App
from omoide.serve.limits import Limits

GRACE_SECONDS: Final = 10
KEEP_ALIVE_SECONDS: Final = 30

PROTOCOL: Any = AutoHTTPProtocol
"""The protocol of uvicorn that reads requests here: that of httptools, without it that of h11."""


class Connection(PROTOCOL):  # type: ignore[misc]  # which of the two is known at run time only
    """A connection of the server; what a client sends after an answer has the time of a head."""

    limits: ClassVar[Limits] = Limits()

    def connection_made(self, transport: asyncio.Transport) -> None:
        """Begin to wait for the first head."""
        super().connection_made(transport)
        self._head = 0
        self._patience: asyncio.TimerHandle | None = None
        self._wait()

    def data_received(self, data: bytes) -> None:
        """Take bytes in, and see whether the head that they belong to is whole."""
        super().data_received(data)
        if not self._between_requests():
            self._head = 0
            self._stop_waiting()
            return
        self._head += 0 if self._draining() else len(data)
        if self._head > self.limits.head:
            self._refuse(431, "too_large", f"the head of the request is larger than {self.limits.head} bytes")
        self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop to wait."""
        self._stop_waiting()
        super().connection_lost(exc)
        self.ended()

    @staticmethod
    def ended() -> None:
        """Be told that a connection has ended."""

    def send_400_response(self, msg: str) -> None:
        """Answer what is no HTTP request."""
        self._refuse(400, "invalid_request", msg)

    def _between_requests(self) -> bool:
        return self.cycle is None or self.cycle.response_complete

    def _draining(self) -> bool:
        """Whether what comes is the rest of a body that was refused, which the client sends before it reads why."""
        return self.cycle is not None and self.cycle.response_complete and self.cycle.more_body

    def _wait(self) -> None:
        if self._patience is None and not self.transport.is_closing():
            self._patience = self.loop.call_later(self.limits.body_seconds, self._give_up)

    def _stop_waiting(self) -> None:
        if self._patience is not None:
            self._patience.cancel()
            self._patience = None

    def _give_up(self) -> None:
        self._patience = None
        if self._head:
            seconds = self.limits.body_seconds
            self._refuse(408, "too_slow", f"the head of the request did not arrive within {seconds:g} s")
        self.transport.close()

    def _refuse(self, status: int, code: str, message: str) -> None:
        """Close, after an answer where none is under way."""
        if self.transport.is_closing():
            return
        if not self._draining() and (self._between_requests() or not self.cycle.response_started):
            self.transport.write(_answer(status, json.dumps({"error": message, "code": code})))
        self.transport.close()


def _answer(status: int, body: str) -> bytes:
    lines = (
        f"HTTP/1.1 {status} {HTTPStatus(status).phrase}",
        "content-type: application/json",
        f"content-length: {len(body)}",
        "connection: close",
    )
    return "\r\n".join([*lines, "", body]).encode()


def server_of(app: App, limits: Limits) -> uvicorn.Server:
    """Return the server of an application, with connections that keep the limits."""
    return uvicorn.Server(config_of(app, limits))


def config_of(app: App, limits: Limits, ended: Callable[[], None] | None = None) -> uvicorn.Config:
    """Return how such a server is set up; ``ended`` is called when a connection has ended."""
    kind = type("Connection", (Connection,), {"limits": limits, "ended": staticmethod(ended or Connection.ended)})
    return uvicorn.Config(
        app, lifespan="on", log_level="warning", access_log=False, server_header=False, proxy_headers=False, ws="none",
        http=kind, timeout_graceful_shutdown=GRACE_SECONDS, timeout_keep_alive=KEEP_ALIVE_SECONDS,
    )  # fmt: skip
