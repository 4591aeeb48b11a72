"""The worker is started apart from the hook: it outlives it, holds none of its pipes, opens no window."""

from __future__ import annotations

import os
import subprocess
import sys

from omoide.beside.places import LOCK, place, ready
from omoide.capture.locking import FileLock
from omoide.capture.stand_down import OWN

ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
"""Nothing a worker does gains from more, and each would take address space."""


def start_worker(store: str) -> bool:
    """Start the worker of a store unless one runs; return whether one was started.

    Raises:
        OSError: it cannot be started; what it would do waits for the next.
    """
    if _running(store):
        return False
    command = [sys.executable, "-P", "-m", "omoide.capture.worker", store]
    environment = {**os.environ, OWN: "worker", **ONE_THREAD}
    if sys.platform == "win32":
        flags = subprocess.DETACHED_PROCESS | subprocess.CREATE_NEW_PROCESS_GROUP | subprocess.CREATE_NO_WINDOW
        _start(command, environment, creationflags=flags)
    else:
        _start(command, environment, start_new_session=True)
    return True


def _running(store: str) -> bool:
    """Say whether a worker holds the lock; one that is about to end looks into the inbox once more after it let go."""
    lock = FileLock(os.path.join(ready(place(store)), LOCK))
    if not lock.acquire():
        return True
    lock.release()
    return False


def _start(command: list[str], environment: dict[str, str], **how: object) -> None:
    nothing = subprocess.DEVNULL
    made = subprocess.Popen(  # type: ignore[call-overload]  # noqa: S603 - this interpreter, on our own module
        command, env=environment, stdin=nothing, stdout=nothing, stderr=nothing, close_fds=True, cwd=_calm(), **how
    )
    made.returncode = 0  # nobody waits for it, and nobody is warned that nobody did


def _calm() -> str:
    """Return a folder that can be left open without keeping anybody from removing it."""
    return os.path.expanduser("~") if os.path.isdir(os.path.expanduser("~")) else os.sep
