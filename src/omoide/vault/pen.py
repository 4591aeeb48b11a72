"""The log of one writer: lines added to its end, durably."""

from __future__ import annotations

import errno
import os
import secrets
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from omoide.errors import StoreError, StoreFullError
from omoide.store.sqlite.transfer.backup import flush_folder
from omoide.vault.files import HIDDEN
from omoide.vault.journal import decode, hash_of
from omoide.vault.logs import SUFFIX, folder
from omoide.vault.place import LOCAL

_NO_ROOM: Final = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_WRITER: Final = "writer"
LONGEST: Final = 1 << 20
"""Bytes after which a log goes on in another file."""


def writer_here(root: Path) -> str | None:
    """Return the writer that this copy of the folder wrote as last, None where it never did."""
    try:
        return (root / HIDDEN / LOCAL / _WRITER).read_text(encoding="utf-8").strip() or None
    except (OSError, UnicodeDecodeError):
        return None


def cannot_write(file: Path, error: OSError) -> StoreError:
    """Return what to raise where a file cannot be written whose bytes wait in the outbox."""
    kind = StoreFullError if error.errno in _NO_ROOM else StoreError
    return kind(f"{file} cannot be written: {error}; it is tried again with the next write", value=str(file))


def new_writer() -> str:
    """Return a name for a writer that no other copy of the vault has."""
    return secrets.token_hex(6)


class Pen:
    """Writes the log of one writer. Its caller holds the vault's lock."""

    def __init__(self, root: Path, writer: str) -> None:
        self.writer = writer
        self._folder = folder(root) / writer
        self._mine = root / HIDDEN / LOCAL / _WRITER

    def next_file(self, *, fresh: bool = False) -> str:
        """Return the path below the folder of logs to which the next line goes; ``fresh``: to a new file."""
        files = self._files()
        last = files[-1] if files else None
        if last is not None and not fresh and last.stat().st_size < LONGEST:
            return f"{self.writer}/{last.name}"
        number = 1 if last is None else int(last.stem) + 1
        return f"{self.writer}/{number:06d}{SUFFIX}"

    def write(self, path: str, lines: Sequence[bytes], *, again: bool) -> None:
        """Add lines to a file; they are on the disk when this returns. ``again``: some may be there already.

        Raises:
            StoreFullError, StoreError: it cannot be written; lines in the outbox are tried again at the next write.
        """
        file = self._folder.parent / path
        try:
            self._add(file, lines, again=again)
        except OSError as error:
            raise cannot_write(file, error) from error

    def write_again(self, lines: Sequence[bytes]) -> None:
        """Add lines to the end of the log, but for those that are there already."""
        self.write(self.next_file(), lines, again=True)

    def holds(self, path: str, line: bytes) -> bool:
        """Say whether a line is among the last ones of a file."""
        file = self._folder.parent / path
        return file.exists() and hash_of(line) in _tail_hashes(file, 1)

    def _add(self, file: Path, lines: Sequence[bytes], *, again: bool) -> None:
        made = not file.exists()
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("a+b") as log:
            _mend(log.fileno(), file)
            held = _tail_hashes(file, len(lines)) if again and not made else set()
            log.write(b"".join(line + b"\n" for line in lines if hash_of(line) not in held))
            log.flush()
            os.fsync(log.fileno())
        if made:
            flush_folder(file.parent)
            flush_folder(file.parent.parent)
            self._mine.parent.mkdir(parents=True, exist_ok=True)
            self._mine.write_text(self.writer, encoding="utf-8")

    def _files(self) -> list[Path]:
        try:
            found = [file for file in self._folder.iterdir() if file.suffix == SUFFIX and file.stem.isdecimal()]
        except FileNotFoundError:
            return []
        return sorted(found, key=lambda file: int(file.stem))


def _mend(handle: int, file: Path) -> None:
    """End the last line, or take it away where a crash tore it, so that the next one begins on its own."""
    size = os.fstat(handle).st_size
    if not size or _last_bytes(file, 1) == b"\n":
        return
    data = file.read_bytes()
    whole = data.rfind(b"\n") + 1
    try:
        decode(data[whole:], "")
    except ValueError:
        os.ftruncate(handle, whole)
    else:
        os.write(handle, b"\n")


def _tail_hashes(file: Path, count: int) -> set[str]:
    """Return the hashes of the last lines of a file, at least ``count`` where there are so many."""
    reach = 1 << 16
    size = file.stat().st_size
    while True:
        lines = _last_bytes(file, reach).split(b"\n")
        whole = lines if reach >= size else lines[1:]
        if reach >= size or len(whole) > count + 1:
            return {hash_of(line) for line in whole if line}
        reach *= 8


def _last_bytes(file: Path, count: int) -> bytes:
    with file.open("rb") as opened:
        opened.seek(0, os.SEEK_END)
        opened.seek(max(opened.tell() - count, 0))
        return opened.read()
