"""A lock on a file that dies with its holder: the system lets go of it, however the process ended."""

from __future__ import annotations

import os
import sys
import time

TYPE_CHECKING = False


class FileLock:
    """One process at a time. ``acquire`` does not wait longer than it is told to."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._handle: int | None = None

    def acquire(self, seconds: float = 0.0) -> bool:
        """Take the lock; return whether it was had within ``seconds``.

        Raises:
            OSError: the file cannot be made.
        """
        handle = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600)
        until = time.monotonic() + seconds
        while not _locked(handle):
            if time.monotonic() >= until:
                os.close(handle)
                return False
            time.sleep(0.02)
        self._handle = handle
        return True

    def release(self) -> None:
        """Let go of it."""
        if self._handle is not None:
            os.close(self._handle)  # closing unlocks, on every system
            self._handle = None


if sys.platform == "win32":
    import msvcrt

    def _locked(handle: int) -> bool:
        try:
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

else:
    import fcntl

    def _locked(handle: int) -> bool:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return False
        return True
