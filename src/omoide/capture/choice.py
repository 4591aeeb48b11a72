"""What the person chose for hooks in a folder, kept beside the store as long as nothing that decides it changed.

Reading a configuration and a repository loads more than all else that a hook does.
"""

from __future__ import annotations

import json
import os
import time

from omoide.beside import lines
from omoide.beside.places import place, ready, safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

FOLDER = "chosen"
LASTS = 600.0
"""Seconds after which everything is read again."""
_FIELDS = ("guard", "inject", "recover", "budget", "project")
_DECIDING = (
    "OMOIDE_CONFIG", "OMOIDE_PROJECT", "OMOIDE_GUARD", "OMOIDE_INJECT", "OMOIDE_INJECT_TOKENS", "OMOIDE_RECOVER",
    "XDG_CONFIG_HOME", "HOME", "APPDATA", "LOCALAPPDATA", "USERPROFILE",
)  # fmt: skip


class Choice:
    """``guard``, ``inject``, ``recover``, the ``budget`` in tokens, the ``project`` of the folder."""

    __slots__ = _FIELDS

    def __init__(self, guard: str, inject: str, recover: str, budget: int, project: str | None) -> None:
        self.guard = guard
        self.inject = inject
        self.recover = recover
        self.budget = budget
        self.project = project


def choice_for(cwd: str, store: str, at: str) -> Choice:
    """Return what is chosen for a folder; what is wrong with the settings is noted for doctor.

    Raises:
        OSError: nothing can be written beside the store.
    """
    path = place(store, FOLDER, safe(cwd or "none") + ".json")
    kept = lines.load(path)
    if kept.get("cwd") == cwd and _holds(kept):
        return Choice(**kept["choice"])
    from omoide.capture.chosen import chosen_at, config_path

    chosen = chosen_at(cwd, store, at)
    choice = {name: getattr(chosen, name) for name in _FIELDS}
    if not chosen.wrong:
        watched = [config_path(), *_repository(cwd)]
        content = {"cwd": cwd, "at": time.time(), "state": _state(watched), "watched": watched, "choice": choice}
        ready(os.path.dirname(path))
        lines.write(path, json.dumps(content))
    return Choice(**choice)


def _holds(kept: dict[str, Any]) -> bool:
    age = time.time() - float(kept.get("at", 0.0))
    return 0 <= age < LASTS and kept.get("state") == _state(kept.get("watched", ()))


def _state(watched: Any) -> list[Any]:
    """Return what decides: the environment, and sizes and times of files, those that are not there included."""
    return [*(os.environ.get(name, "") for name in _DECIDING), *map(_stat, watched)]


def _stat(path: str) -> list[int]:
    try:
        about = os.stat(path)
    except OSError:
        return []
    return [about.st_size, about.st_mtime_ns]


def _repository(cwd: str) -> list[str]:
    """Return the places in which git says what a folder belongs to, up to the root of its repository."""
    found: list[str] = []
    folder = os.path.abspath(cwd) if cwd else ""
    while folder:
        git = os.path.join(folder, ".git")
        found.append(git)
        if os.path.exists(git):
            return [*found, os.path.join(git, "config"), os.path.join(git, "HEAD")]
        above = os.path.dirname(folder)
        folder = "" if above == folder else above
    return found
