"""Lines of a growing file, with their places in bytes, in memory bounded by the longest line."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, NamedTuple

from omoide.transcripts.values import START, Position, digest_of

BOM = b"\xef\xbb\xbf"


class Line(NamedTuple):
    """One line: its bytes without the newline, and ``[start, end)`` with it."""

    raw: bytes
    start: int
    end: int
    closed: bool


def lines_of(file: BinaryIO, start: int = 0) -> Iterator[Line]:
    """Yield the lines from byte ``start`` on; only the last may lack its newline (``closed`` is false)."""
    file.seek(start)
    offset = _after_late_newline(file, start)
    for whole in iter(file.readline, b""):
        end = offset + len(whole)
        closed = whole.endswith(b"\n")
        yield Line(whole[:-1] if closed else whole, offset, end, closed)
        offset = end


def _after_late_newline(file: BinaryIO, start: int) -> int:
    """Step over the newline that a line read without one was given since."""
    if not start:
        return 0
    file.seek(start - 1)
    before = file.read(1)
    ending = file.readline(2) if before not in (b"\n", b"") else b""
    skipped = len(ending) if ending in (b"\n", b"\r\n") else 0
    file.seek(start + skipped)
    return start + skipped


def still_there(file: BinaryIO, since: Position) -> bool:
    """Tell whether the last record read is where it was, byte for byte."""
    file.seek(since.last)
    found = file.read(since.offset - since.last)
    whole = len(found) == since.offset - since.last
    return whole and since.digest in (digest_of(found.removesuffix(b"\n")), digest_of(found))


def resume(path: Path, since: Position | None) -> Position:
    """Return where to go on: ``since``, or the start when the file shrank or changed before that place."""
    if since is None or not since.offset:
        return START
    with path.open("rb") as file:
        return since if still_there(file, since) else START
