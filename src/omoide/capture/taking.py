"""One accepted record turned into history: its transcript read on from where it was left."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from omoide.beside import ledger, traces
from omoide.beside.failures import failed
from omoide.capture.event import size_of, stamp
from omoide.capture.transcript_places import SHARED, companions, of_session
from omoide.capture.trusted import is_transcript, refusal
from omoide.errors import OmoideError
from omoide.history import History
from omoide.serve.project import project_of
from omoide.transcripts import reader
from omoide.types.history import Taken

Record = dict[str, Any]

TRIES: Final = 5
"""Times that a record is begun before it counts as failed."""
OVER: Final = frozenset({"new", "more", "known", "purged"})
"""What a transcript comes to when it is in the store, or is kept out of it on purpose."""


def take(store: str, history: History, key: str, record: Record, tried: int) -> bool:
    """Carry out a record; return whether it is settled, by being stored or by having failed for good.

    Each try is written down before it begins, so that one that kills the worker is counted too.
    """
    if not record.get("moment"):
        return _end(store, key, {"session": "", **record}, "failed", tried, reason="not a record of omoide's")
    if tried >= TRIES:
        return _end(store, key, record, "failed", tried, reason=f"given up after {tried} tries")
    ledger.note(store, key, record, "pending", stamp(), tries=tried + 1)
    path = _transcript(record)
    if path is None:
        return _end(store, key, record, *_missing(record), reason=_why_missing(record))
    try:
        return _look_at(store, history, key, record, tried, path)
    except OSError as error:
        return _again(store, key, record, tried, f"{type(error).__name__}: {error.strerror}")
    except OmoideError as error:
        return _again(store, key, record, tried, f"{error.code}: {error}")


def _look_at(store: str, history: History, key: str, record: Record, tried: int, path: Path) -> bool:
    """Take in a transcript that may be read; doctor names one that may not."""
    if reason := refusal(record, path):
        failed(store, f"transcript {path}", reason, stamp())
        return _end(store, key, record, "failed", tried + 1, reason=reason)
    position = size_of(str(path))
    more = [each for each in companions(path) if is_transcript(each)]
    made = history.ingest([path, *more], project=_project(record, path))
    first = made.files[0]
    if first.status not in OVER:
        return _again(store, key, record, tried, first.reason or first.status)
    session = _session(record, first)
    _captured(store, record, session, str(path), position)
    return _end(
        store, key, {**record, "session": session, "transcript": str(path)}, "stored", tried + 1, new=made.new,
        turns=made.turns, masked=made.masked, reason=first.reason,
    )  # fmt: skip


def _transcript(record: Record) -> Path | None:
    """Return the transcript that a record names, or that its session has; None when there is none."""
    named = str(record.get("transcript") or "")
    if named:
        path = Path(named)
        return path if path.is_file() else None
    return of_session(str(record.get("host", "")), str(record.get("session", "")))


def _missing(record: Record) -> tuple[str, int]:
    """A transcript that never had a byte is no loss; one that had some and is gone is."""
    return ("failed" if record.get("position") else "stored"), 1


def _why_missing(record: Record) -> str:
    if record.get("position"):
        return "the transcript is gone"
    return "the session has no transcript"


def _project(record: Record, path: Path) -> str | None:
    """Return the project of the folder that the session worked in, as hooks and commands name it.

    It is told by the transcript, else by the host. A database of many sessions has many.
    """
    if record.get("host") in SHARED:
        return None
    try:
        told = next((session.project for session in reader.sessions(path) if session.project), None)
    except (OmoideError, OSError, ValueError):
        told = None
    folder = told or str(record.get("cwd") or "")
    place = project_of(folder) if folder else None
    return None if place is None else place.name


def _session(record: Record, taken: Taken) -> str:
    return str(record.get("session") or (taken.sessions[0] if taken.sessions else ""))


def _captured(store: str, record: Record, session: str, path: str, position: int) -> None:
    if session:
        about = {name: record.get(name, "") for name in ("host", "cwd", "namespace")}
        transcript = "" if record.get("agent") or record.get("host") in SHARED else path
        line = {"k": "captured", "transcript": path, "position": position, "t": stamp()}
        traces.add(store, {"session": session, "transcript": transcript, **about}, line)


def _again(store: str, key: str, record: Record, tried: int, reason: str) -> bool:
    """Leave a record for the next worker, unless it was tried often enough.

    A file that is no transcript yet may have been begun a moment ago.
    """
    if tried + 1 >= TRIES:
        return _end(store, key, record, "failed", tried + 1, reason=reason)
    ledger.note(store, key, record, "pending", stamp(), tries=tried + 1, reason=reason[:400])
    return False


def _end(store: str, key: str, record: Record, state: str, tried: int, **more: Any) -> bool:
    reason = more.pop("reason", None)
    said = {} if reason is None else {"reason": str(reason)[:400]}
    ledger.note(store, key, record, state, stamp(), tries=tried, **more, **said)
    ledger.done(store, key)
    return True
