"""Memories that ask to be shown when a file or a command comes up.

What they name is kept in a file beside the store, without their texts, so that a step of an agent does not open the
store as long as nobody wrote to it and nothing comes up.
"""

from __future__ import annotations

import json
import os
import re
import time
from fnmatch import fnmatchcase

from omoide.beside import lines
from omoide.beside.places import TRIGGERS, database_of, place, ready
from omoide.capture.choice import choice_for

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from omoide.capture.event import Event
    from omoide.capture.tool_calls import Call

    Row = dict[str, Any]

MOST = 2_000
SHOWN = 5
"""Memories that one step brings up at most."""
KEPT = ("version_id", "project", "triggers")
LASTS = 600.0
"""Seconds after which the store is asked again although nobody wrote: what holds changes with time."""
SETTLED = 1.0
"""Seconds after a write during which another could leave the same time on the file."""
_GLOB = re.compile(r"[*?\[]")
_NAMED = ("command", "cmd")


def matching(event: Event, call: Call, store: str, namespace: str, shown: set[int]) -> list[Row]:
    """Return the memories that this step brings up and that the session was not shown for one before.

    Raises:
        StoreError: the store cannot be read.
    """
    rows = [row for row in _rows(store, namespace) if row["version_id"] not in shown]
    if not rows:
        return []
    project = choice_for(event.cwd, store, event.at).project if any(row["project"] for row in rows) else None
    mine = (row for row in rows if row["project"] in (None, project))
    command = _command(event)
    found = {row["version_id"] for row in mine if any(comes_up(each, call.paths, command) for each in row["triggers"])}
    return _texts(store, namespace, found) if found else []


def _texts(store: str, namespace: str, versions: set[int]) -> list[Row]:
    from omoide.store.sqlite.glance import triggered

    rows = [row for row in triggered(store, namespace, MOST) if row["version_id"] in versions]
    return sorted(rows, key=lambda row: -row["importance"])[:SHOWN]


def comes_up(trigger: str, paths: list[str], command: str) -> bool:
    """Say whether a path, or words of a command, are what a trigger names.

    A trigger with ``*``, ``?`` or ``[`` is a pattern for paths, from wherever they begin; one that ends with a slash
    is a folder. Any other is the end of a path, or words of the command.
    """
    wanted = trigger.replace("\\", "/").strip().removeprefix("./")
    if not wanted:
        return False
    if any(_fits(wanted, path.replace("\\", "/")) for path in paths):
        return True
    return not _GLOB.search(wanted) and _said(trigger.strip(), command)


def _fits(wanted: str, path: str) -> bool:
    if _GLOB.search(wanted):
        return fnmatchcase(path, wanted) or fnmatchcase(path, f"*/{wanted}")
    if wanted.endswith("/"):
        return f"/{wanted}" in f"/{path}"
    return f"/{path}".endswith(f"/{wanted.lstrip('/')}")


def _said(words: str, command: str) -> bool:
    if not words.isascii():
        return words.casefold() in command.casefold()
    return re.search(rf"(?<![\w-]){re.escape(words)}(?![\w-])", command, re.IGNORECASE) is not None


def _command(event: Event) -> str:
    given = event.payload.get("tool_input")
    sources = (given if isinstance(given, dict) else {}, event.payload)
    return "\n".join(str(source[name]) for source in sources for name in _NAMED if source.get(name))


def _rows(store: str, namespace: str) -> list[Row]:
    if not os.path.exists(store):
        return []
    state = _state(database_of(store))
    kept = lines.load(place(store, TRIGGERS))
    if kept.get("state") == state and kept.get("namespace") == namespace and _holds(kept):
        rows: list[Row] = kept["rows"]
        return rows
    from omoide.store.sqlite.glance import triggered

    asked = time.time()
    rows = [{name: row[name] for name in KEPT} for row in triggered(store, namespace, MOST)]
    content = {"state": state, "namespace": namespace, "asked": asked, "rows": rows}
    lines.write(os.path.join(ready(place(store)), TRIGGERS), json.dumps(content))
    return rows


def _state(store: str) -> list[list[int]]:
    """Return what changes with every commit: size and time of the file and of its log.

    An empty log is none: whoever reads leaves one behind.
    """
    log = _stat(f"{store}-wal")
    return [_stat(store), log if log[0] else [0, 0]]


def _stat(path: str) -> list[int]:
    try:
        about = os.stat(path)
    except OSError:
        return [0, 0]
    return [about.st_size, about.st_mtime_ns]


def _holds(kept: Row) -> bool:
    asked = kept.get("asked")
    written = max(time_ns for _, time_ns in kept["state"]) / 1e9
    return isinstance(asked, float) and written + SETTLED < asked and time.time() < asked + LASTS
