"""A connection handed from the process that accepts it to one that serves it.

Where several processes accept from one listener, whoever wakes first takes all that wait; of connections that are
kept open the others then never get any. So one process listens, and gives each connection to who has the fewest.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import socket
from contextlib import suppress
from multiprocessing import reduction
from multiprocessing.connection import Connection
from typing import Any, Protocol

import uvicorn

from omoide.serve.guard import App
from omoide.serve.http.connections import config_of
from omoide.serve.limits import Limits


class Count(Protocol):
    """A number that two processes see: one of them writes it."""

    value: int


def new_count() -> Count:
    """Return a count that a new process can be given."""
    count: Count = multiprocessing.get_context("spawn").RawValue("Q", 0)
    return count


def give(pipe: Connection, connection: socket.socket, pid: int) -> None:
    """Hand a connection to the process at the other end of the pipe.

    Raises:
        OSError: the process is gone.
    """
    if hasattr(connection, "share"):  # on Windows, where a socket is no file
        pipe.send_bytes(connection.share(pid))
    else:
        reduction.send_handle(pipe, connection.fileno(), pid)


def taken(pipe: Connection) -> socket.socket:
    """Wait for the next connection and return it.

    Raises:
        EOFError, OSError: there will be none any more.
    """
    if hasattr(socket, "fromshare"):
        shared: socket.socket = socket.fromshare(pipe.recv_bytes())
        return shared
    return socket.socket(fileno=reduction.recv_handle(pipe))


class HandedServer(uvicorn.Server):
    """A server that listens nowhere and serves what it is handed; ``gone`` counts the connections that have ended."""

    def __init__(self, app: App, limits: Limits, gone: Count) -> None:
        self._gone = gone
        self._beginning: set[asyncio.Task[Any]] = set()
        super().__init__(config_of(app, limits, self._one_less))

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start without an address."""
        self._loop = asyncio.get_running_loop()
        await super().startup(sockets or [])

    def take(self, connection: socket.socket) -> None:
        """Serve a connection from now on; any thread may call it once the server has started."""
        with suppress(RuntimeError):  # the loop has ended, and the process with it
            self._loop.call_soon_threadsafe(self._begin, connection)

    def _begin(self, connection: socket.socket) -> None:
        task = self._loop.create_task(self._loop.connect_accepted_socket(self._protocol, connection))
        self._beginning.add(task)
        task.add_done_callback(self._begun)

    def _protocol(self) -> asyncio.Protocol:
        kind: Any = self.config.http_protocol_class
        made: asyncio.Protocol = kind(self.config, self.server_state, self.lifespan.state, self._loop)
        return made

    def _begun(self, task: asyncio.Task[Any]) -> None:
        self._beginning.discard(task)
        if not task.cancelled() and task.exception() is not None:  # the client had gone before
            self._one_less()

    def _one_less(self) -> None:
        self._gone.value += 1
