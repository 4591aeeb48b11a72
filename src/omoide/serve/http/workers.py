"""Several processes behind one address: each serves the same store and takes connections from the same listener.

Writes, retries under a key and what one process sees of another are the store's business. Only limits are counted in
a process, so that each gets its share of them.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import socket
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pickle import PicklingError
from threading import Event, Thread, current_thread, main_thread
from typing import Any, Final

import uvicorn

from omoide.errors import ConfigurationError
from omoide.serve.http.app import build_app
from omoide.serve.http.connections import GRACE_SECONDS, server_of
from omoide.serve.limits import MOST_WORKERS, Limits
from omoide.store.sqlite.connection import MEMORY_PATH

LOOK_SECONDS: Final = 0.2
"""How often is looked whether all processes are there."""


@dataclass(slots=True)
class _Worker:
    """A process; the pipe tells it to leave by being closed, as it is when this process dies."""

    process: BaseProcess
    pipe: Connection
    ready: bool = False


def check_workers(workers: int, path: str | os.PathLike[str]) -> int:
    """Return how many processes are to serve a store.

    Raises:
        ConfigurationError: a number that cannot be, or a store that only one process can see.
    """
    if type(workers) is not int or not 1 <= workers <= MOST_WORKERS:
        raise ConfigurationError(f"workers is a number from 1 to {MOST_WORKERS}, not {workers!r}", value=workers)
    if workers > 1 and os.fspath(path) == MEMORY_PATH:
        raise ConfigurationError("a store in memory is seen by one process only; use workers=1", value=workers)
    return workers


def serve_by(
    workers: int, listener: socket.socket, path: str | os.PathLike[str], limits: Limits, options: Mapping[str, Any]
) -> None:
    """Serve the application of these options by so many processes until a signal comes; who dies is replaced.

    Raises:
        ConfigurationError: options that cannot be handed to another process, or a process that cannot serve.
    """
    given = (listener, path, limits.shared_out(workers), dict(options))
    stop = Event()
    crew: list[_Worker] = []
    with _stopping(stop):
        try:
            crew.extend(_begin(given) for _ in range(workers))
            while not stop.wait(LOOK_SECONDS):
                crew[:] = [_kept(worker, given) for worker in crew]
        finally:
            _dismiss(crew)


def _begin(given: tuple[Any, ...]) -> _Worker:
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=_serve, args=(theirs, *given), name="omoide-http")
    try:
        process.start()
    except (PicklingError, TypeError, AttributeError) as error:
        ours.close()
        raise ConfigurationError(f"this cannot be handed to another process, use workers=1: {error}") from error
    finally:
        theirs.close()
    return _Worker(process, ours)


def _kept(worker: _Worker, given: tuple[Any, ...]) -> _Worker:
    """Return a worker that is there, or another one in its place."""
    with suppress(EOFError, OSError):
        worker.ready = worker.ready or (worker.pipe.poll() and bool(worker.pipe.recv()))
    if worker.process.is_alive():
        return worker
    worker.pipe.close()
    if not worker.ready and (worker.process.exitcode or 0) >= 0:  # by itself, and so would the next one
        raise ConfigurationError("a process of the server ended before it could serve; it says above why")
    return _begin(given)


def _dismiss(crew: list[_Worker]) -> None:
    """Have all finish what they are at, and end those that take too long."""
    for worker in crew:
        worker.pipe.close()
    until = time.monotonic() + GRACE_SECONDS + 2
    for worker in crew:
        worker.process.join(max(0.0, until - time.monotonic()))
        if worker.process.is_alive():
            worker.process.kill()
            worker.process.join()


@contextmanager
def _stopping(stop: Event) -> Iterator[None]:
    """Have the signals that end a server say so, where this thread may take them."""
    if current_thread() is not main_thread():
        yield
        return
    numbers = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGBREAK") if hasattr(signal, name)]
    kept = {number: signal.signal(number, lambda *_: stop.set()) for number in numbers}
    try:
        yield
    finally:
        for number, handler in kept.items():
            signal.signal(number, handler)


def _serve(
    pipe: Connection, listener: socket.socket, path: str | os.PathLike[str], limits: Limits, options: dict[str, Any]
) -> None:
    """Be one of the processes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a terminal tells all of them; uvicorn takes it while it serves
    server = server_of(build_app(path, limits=limits, **options), limits)
    Thread(target=_leave_with_the_parent, args=(pipe, server), name="omoide-http-parent", daemon=True).start()
    with suppress(KeyboardInterrupt):
        server.run(sockets=[listener])


def _leave_with_the_parent(pipe: Connection, server: uvicorn.Server) -> None:
    with suppress(EOFError, OSError):
        while not server.started and not pipe.poll(LOOK_SECONDS):
            pass
        pipe.send(True)
        pipe.recv()
    server.should_exit = True
