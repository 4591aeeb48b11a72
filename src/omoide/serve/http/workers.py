"""Several processes behind one address: each serves the same store, this one hands them the connections.

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

from omoide.errors import ConfigurationError
from omoide.serve.http.app import build_app
from omoide.serve.http.connections import GRACE_SECONDS
from omoide.serve.http.handing import Count, HandedServer, give, new_count, taken
from omoide.serve.limits import MOST_WORKERS, Limits
from omoide.store.sqlite.connection import MEMORY_PATH

LOOK_SECONDS: Final = 0.2
"""How often is looked whether all processes are there."""
START_SECONDS: Final = 0.02
"""How often is looked for that while they begin."""


@dataclass(slots=True)
class _Worker:
    """A process; the pipe brings it connections, and tells it to leave by being closed, as when this process dies."""

    process: BaseProcess
    pipe: Connection
    gone: Count
    pid: int = 0
    handed: int = 0

    @property
    def ready(self) -> bool:
        """Whether it has said that it serves, and as which process: a launcher in between has another number."""
        return self.pid > 0

    @property
    def load(self) -> int:
        """How many of its connections are open."""
        return self.handed - self.gone.value


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
    given = (path, limits.shared_out(workers), dict(options))
    stop = Event()
    crew: list[_Worker] = []
    with _stopping(stop):
        try:
            crew.extend(_begin(given) for _ in range(workers))
            listener.settimeout(LOOK_SECONDS)
            complete = False  # all are there before the first connection is given to one of them
            while not stop.is_set():
                crew[:] = [_kept(worker, given) for worker in crew]
                complete = complete or all(worker.ready for worker in crew)
                if complete:
                    _hand_out(listener, crew, stop)
                else:
                    stop.wait(START_SECONDS)
        finally:
            listener.close()
            _dismiss(crew)


def _begin(given: tuple[Any, ...]) -> _Worker:
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    gone = new_count()
    process = context.Process(target=_serve, args=(theirs, gone, *given), name="omoide-http")
    try:
        process.start()
    except (PicklingError, TypeError, AttributeError) as error:
        ours.close()
        raise ConfigurationError(f"this cannot be handed to another process, use workers=1: {error}") from error
    finally:
        theirs.close()
    return _Worker(process, ours, gone)


def _kept(worker: _Worker, given: tuple[Any, ...]) -> _Worker:
    """Return a worker that is there, or another one in its place."""
    if not worker.ready:
        with suppress(EOFError, OSError):
            worker.pid = worker.pipe.recv() if worker.pipe.poll() else 0
    if worker.process.is_alive():
        return worker
    worker.pipe.close()
    if not worker.ready and (worker.process.exitcode or 0) >= 0:  # by itself, and so would the next one
        raise ConfigurationError("a process of the server ended before it could serve; it says above why")
    return _begin(given)


def _hand_out(listener: socket.socket, crew: list[_Worker], stop: Event) -> None:
    """Wait a moment for connections and hand them out."""
    until = time.monotonic() + LOOK_SECONDS
    while time.monotonic() < until:
        if not any(worker.ready for worker in crew):  # the listener keeps who comes
            stop.wait(START_SECONDS)
            return
        try:
            connection, _ = listener.accept()
        except TimeoutError:
            return
        except OSError:  # it went before it was taken, or no more files can be opened at present
            stop.wait(LOOK_SECONDS)
            return
        with connection:
            _hand(connection, sorted((each for each in crew if each.ready), key=lambda each: each.load))


def _hand(connection: socket.socket, able: list[_Worker]) -> None:
    """Give a connection to the first of the able who takes it, those with the fewest first; if none does, it ends."""
    with suppress(OSError):  # of a client that has gone
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    for worker in able:
        with suppress(OSError):
            give(worker.pipe, connection, worker.pid)
            worker.handed += 1
            return


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
    pipe: Connection, gone: Count, path: str | os.PathLike[str], limits: Limits, options: dict[str, Any]
) -> None:
    """Be one of the processes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a terminal tells all of them; uvicorn takes it while it serves
    server = HandedServer(build_app(path, limits=limits, **options), limits, gone)
    Thread(target=_take, args=(pipe, server), name="omoide-http-parent", daemon=True).start()
    with suppress(KeyboardInterrupt):
        server.run()


def _take(pipe: Connection, server: HandedServer) -> None:
    """Take connections in until the parent closes its end, or dies."""
    with suppress(EOFError, OSError):
        while not server.started and not pipe.poll(LOOK_SECONDS):
            pass
        pipe.send(os.getpid())
        while True:
            server.take(taken(pipe))
    server.should_exit = True
