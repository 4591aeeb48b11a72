"""A thread that clears away what is over, again and again."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future

from omoide.errors import OmoideError, StoreBusyError


class Sweeper:
    """Calls ``sweep`` every ``seconds`` until it is stopped; a busy store is swept the next time."""

    def __init__(self, sweep: Callable[[], object], seconds: float) -> None:
        self._sweep = sweep
        self._seconds = seconds
        self._stop = threading.Event()
        self.over: Future[None] = Future()
        """Is done when the sweeping has ended, with the error that ended it, if any."""
        self._thread = threading.Thread(target=self._run, name="omoide-sweeper", daemon=True)
        self._thread.start()

    @property
    def alive(self) -> bool:
        """Whether it still sweeps."""
        return self._thread.is_alive()

    def stop(self, timeout: float | None = None) -> bool:
        """Stop, and wait for the end at most ``timeout`` seconds; return whether it has ended."""
        self._stop.set()
        self._thread.join(timeout)
        return not self.alive

    def _run(self) -> None:
        try:
            while not self._stop.wait(self._seconds):
                self._once()
        except OmoideError as error:
            self.over.set_exception(error)
        else:
            self.over.set_result(None)

    def _once(self) -> None:
        try:
            self._sweep()
        except StoreBusyError:
            return
