"""The door of the readers: tell a transcript's format by its content, and read it from where it was left."""

from __future__ import annotations

from collections.abc import Iterator
from os import PathLike
from pathlib import Path

from omoide.errors import InvalidInputError, MissingPathError
from omoide.transcripts.formats import EXPERIMENTAL, FORMATS, Format
from omoide.transcripts.sniff import sample_of
from omoide.transcripts.values import START, Kind, Position, Record, Session

__all__ = [
    "EXPERIMENTAL", "FORMATS", "START", "Format", "Kind", "Position", "Record", "Session", "detect", "is_cut", "read",
    "resume", "sessions",
]  # fmt: skip


def detect(path: str | PathLike[str]) -> Format | None:
    """Return the format of a file, told by its content alone; None for an empty file and for what is no transcript.

    Raises:
        MissingPathError: there is no such file.
    """
    sample = sample_of(_existing(path))
    return next((known for known in FORMATS if known.recognises(sample)), None)


def read(path: str | PathLike[str], *, since: Position | None = None) -> Iterator[Record]:
    """Yield the records after ``since``, in order; all of them when the file shrank or changed before it.

    Every line, message or row gives a record; only a cut last line is left for the next time. Memory is bounded by
    the longest line or message.

    Raises:
        MissingPathError: there is no such file.
        InvalidInputError: no format that omoide knows.
        StoreBusyError: a database that its owner held too long.
    """
    file = _existing(path)
    known = detect(file)
    if known is None and not _is_empty(file):
        raise InvalidInputError(
            f"{file} is no transcript of a format that omoide knows (docs/transcripts.md lists them)", value=str(file)
        )
    return iter(()) if known is None else known.read(file, known.resume(file, since))


def resume(path: str | PathLike[str], since: Position | None) -> Position:
    """Return where ``read`` goes on: ``since``, before a last record that changed, or the start of a changed file."""
    file = _existing(path)
    known = detect(file)
    return START if known is None else known.resume(file, since)


def is_cut(path: str | PathLike[str]) -> bool:
    """Tell whether a file without a known format may get one: it holds a beginning of JSON, and no more yet."""
    sample = sample_of(_existing(path))
    return sample.whole and sample.is_json and not sample.objects


def sessions(path: str | PathLike[str]) -> Iterator[Session]:
    """Yield what a transcript says of its sessions: one for a file of one session, all for databases and exports.

    In a file of many sessions, ``Record.session`` is the ``name`` of the one a record belongs to; else it is None.
    """
    file = _existing(path)
    known = detect(file)
    return iter(()) if known is None else known.sessions(file)


def _existing(path: str | PathLike[str]) -> Path:
    file = Path(path)
    if not file.is_file():
        raise MissingPathError(f"there is no file {file}", value=str(file))
    return file


def _is_empty(file: Path) -> bool:
    return file.stat().st_size == 0
