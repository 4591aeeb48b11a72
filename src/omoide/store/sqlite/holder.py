"""Who holds the write lock of a store, where the system tells."""

from __future__ import annotations

from pathlib import Path
from typing import Final

_LOCKS: Final = Path("/proc/locks")
_WRITE_LOCK_BYTE: Final = 120  # WAL_WRITE_LOCK in SQLite's wal-index format


def lock_holder(path: str) -> str | None:
    """Return "process 123 (python)" for the process that holds the write lock, or None."""
    try:
        inode = Path(f"{path}-shm").stat().st_ino
        lines = _LOCKS.read_text(encoding="ascii").splitlines()
    except OSError:
        return None
    for line in lines:
        pid = _holder_in(line, inode)
        if pid is not None:
            return _named(pid)
    return None


def _holder_in(line: str, inode: int) -> int | None:
    """Parse one line of /proc/locks: ``1: POSIX ADVISORY WRITE pid major:minor:inode start end``."""
    parts = line.split()
    if len(parts) < 8 or parts[3] != "WRITE" or not parts[5].endswith(f":{inode}"):
        return None
    start, end = int(parts[6]), parts[7]
    covers = start <= _WRITE_LOCK_BYTE and (end == "EOF" or int(end) >= _WRITE_LOCK_BYTE)
    return int(parts[4]) if covers else None


def _named(pid: int) -> str:
    try:
        name = Path(f"/proc/{pid}/comm").read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return f"process {pid}"
    return f"process {pid} ({name})"
