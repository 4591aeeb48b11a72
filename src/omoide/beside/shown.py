"""What was put into the context of a session, so that nothing is shown twice before it was compacted away."""

from __future__ import annotations

import os

from omoide.beside import lines
from omoide.beside.places import SHOWN, place, ready, safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Line = dict[str, Any]

FIELDS = ("session", "host", "at", "event", "memories", "triggered", "unsaved", "tokens")


def file_of(store: str, session: str) -> str:
    """Return where the log of a session is."""
    return place(store, SHOWN, safe(session) + ".jsonl")


def compacted(store: str, session: str, at: str) -> None:
    """Note that what was shown is gone: it may, and should, be shown again.

    Raises:
        OSError: it cannot be written.
    """
    ready(place(store, SHOWN))
    lines.append(file_of(store, session), {"mark": "compacted", "session": session, "at": at})


def note(store: str, session: str, line: Line) -> None:
    """Note what was shown; ``line`` has ``versions`` and the fields of the log.

    Raises:
        OSError: it cannot be written.
    """
    ready(place(store, SHOWN))
    lines.append(file_of(store, session), {"session": session, **line})


class Seen:
    """What a session has before it: versions since the last compaction, triggers over its whole life.

    ``due``: it was compacted and nothing was shown since.
    """

    def __init__(self, found: list[Line]) -> None:
        self.versions: set[int] = set()
        self.triggered: set[int] = set()
        self.due = False
        self.empty = True
        for line in found:
            if line.get("mark") == "compacted":
                self.versions, self.due = set(), True
                continue
            versions = [number for number in line.get("versions", ()) if isinstance(number, int)]
            self.versions.update(versions)
            if line.get("triggered"):
                self.triggered.update(versions)
            else:
                self.due, self.empty = False, False


def seen(store: str, session: str) -> Seen:
    """Return what a session was shown."""
    return Seen(lines.read(file_of(store, session)))


def injected(store: str, namespace: str, session: str | None = None) -> list[Line]:
    """Return what was shown to sessions of a namespace, the latest first."""
    folder = place(store, SHOWN)
    try:
        names = [file_of(store, session)] if session else [os.path.join(folder, name) for name in os.listdir(folder)]
    except OSError:
        return []
    found = [line for name in names if name.endswith(".jsonl") for line in lines.read(name) if "versions" in line]
    mine = [line for line in found if line.get("namespace", "default") == namespace]
    rows = [{name: line.get(name) for name in FIELDS} for line in mine]
    return sorted(rows, key=lambda row: str(row["at"] or ""), reverse=True)
