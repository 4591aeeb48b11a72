"""Whether a folder lies on a network share, where the locks of other machines may not hold."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final

KINDS: Final = frozenset((
    "9p", "afpfs", "afs", "beegfs", "ceph", "cifs", "davfs", "fuse.ceph", "fuse.davfs", "fuse.glusterfs", "fuse.rclone",
    "fuse.s3fs", "fuse.sshfs", "gfs2", "glusterfs", "lustre", "ncpfs", "nfs", "nfs4", "ocfs2", "smb3", "smbfs",
    "virtiofs", "webdav",
))  # fmt: skip
"""File systems that several machines may have open, by the names that Linux and macOS give them."""
_MOUNTS: Final = Path("/proc/self/mounts")
_REMOTE: Final = 4
"""What Windows answers for a drive of another machine."""


def share_of(folder: Path) -> str | None:
    """Return the kind of network share that a folder lies on, None where it lies on none that is known."""
    place = os.path.realpath(folder)
    if os.name == "nt":
        return _of_windows(place)
    kind = kind_at(place, _mounted() if _MOUNTS.exists() else _listed())
    return kind if kind in KINDS else None


def kind_at(place: str, mounts: Iterable[tuple[str, str]]) -> str:
    """Return the file system at a path, by the deepest of the mounted folders, each with its kind, that holds it."""
    found = [(len(at), kind) for at, kind in mounts if at == "/" or f"{place}/".startswith(f"{at}/")]
    return max(found, default=(0, ""), key=lambda pair: pair[0])[1]


def _mounted() -> Iterator[tuple[str, str]]:
    for line in _MOUNTS.read_text(encoding="utf-8", errors="surrogateescape").splitlines():
        parts = line.split(" ")
        if len(parts) > 2:
            yield _unescaped(parts[1]), parts[2]


def _unescaped(path: str) -> str:
    for code, sign in (("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")):
        path = path.replace(code, sign)
    return path


def _listed() -> Iterator[tuple[str, str]]:
    """What ``mount`` of macOS says: ``//user@host/share on /Volumes/share (smbfs, nodev)``."""
    try:
        told = subprocess.run(["/sbin/mount"], capture_output=True, text=True, check=False, timeout=5).stdout
    except (OSError, subprocess.TimeoutExpired):
        return
    for line in told.splitlines():
        head, _, options = line.rpartition(" (")
        _, _, at = head.partition(" on ")
        if at:
            yield at, options.partition(",")[0].strip(" )")


def _of_windows(place: str) -> str | None:
    import ctypes

    drive = os.path.splitdrive(place)[0].removeprefix("\\\\?\\")
    if drive.startswith(("\\\\", "UNC\\")):
        return "smb"
    asked: Any = getattr(ctypes, "windll")  # noqa: B009 - a name that only Windows has
    return "smb" if asked.kernel32.GetDriveTypeW(f"{drive}\\") == _REMOTE else None
