"""The open faces of a server: one set a namespace and voice, opened when first needed, made anew when the file is."""

from __future__ import annotations

import os
import sys
from collections import OrderedDict
from contextlib import suppress
from dataclasses import dataclass, field
from threading import RLock
from typing import TYPE_CHECKING, Any, Final

from omoide.errors import OmoideError
from omoide.ops import Faces

if TYPE_CHECKING:
    from omoide.model.policy import Policy
    from omoide.types import Trust

MAX_OPEN: Final = 64
"""Voices kept open; the one not heard for longest is closed first."""


@dataclass(frozen=True, slots=True)
class Voice:
    """For whom a set of faces is: what it may reach and what its words are worth."""

    namespace: str = "default"
    actor: str | None = None
    trust: Trust = "observed"
    read_only: bool = False


@dataclass(slots=True)
class Handles:
    """Faces of the store at ``path``, for one door. Safe to use from any number of threads.

    ``options`` are further ones of a handle, such as ``clock``.
    """

    path: str | os.PathLike[str]
    door: str
    policy: Policy | None = None
    embedder: Any = None
    options: dict[str, Any] = field(default_factory=dict)
    _open: OrderedDict[Voice, Faces] = field(default_factory=OrderedDict)
    _file: tuple[int, int] | None = None
    _lock: RLock = field(default_factory=RLock)

    def of(self, voice: Voice) -> Faces:
        """Return the faces of one voice, the memory open.

        A store that was deleted or replaced is opened anew: what is written to the old file would be lost.

        Raises:
            OmoideError: the store cannot be opened; see ``Memory``.
        """
        with self._lock:
            self._forget_replaced()
            faces = self._open.get(voice)
            if faces is None:
                faces = self._open[voice] = self._make(voice)
                if len(self._open) > MAX_OPEN:
                    _close(self._open.popitem(last=False)[1])
            self._open.move_to_end(voice)
            return faces

    def close(self) -> None:
        """Close everything; the next use opens it anew."""
        with self._lock:
            self._file = None
            while self._open:
                _close(self._open.popitem()[1])

    def _forget_replaced(self) -> None:
        if self._file is not None and _identity(self.path) != self._file:
            print(f"omoide: the store {os.fspath(self.path)} was replaced; opening it anew", file=sys.stderr)
            self.close()

    def _make(self, voice: Voice) -> Faces:
        """Open the memory at once: from then on the file is there and can be told from another."""
        read_only = True if voice.read_only and os.path.lexists(self.path) else None
        faces = Faces(
            self.path, voice.namespace, policy=self.policy, embedder=self.embedder, actor=voice.actor,
            door=self.door, door_trust=voice.trust, read_only=read_only, **self.options,
        )  # fmt: skip
        faces("memory")
        self._file = _identity(self.path)
        return faces


def _identity(path: str | os.PathLike[str]) -> tuple[int, int] | None:
    """Return what tells one file from another of the same name, None for one that is not there."""
    try:
        about = os.stat(path)  # noqa: PTH116 - also for paths that are no files, such as :memory:
    except OSError:
        return None
    return about.st_dev, about.st_ino


def _close(faces: Faces) -> None:
    with suppress(OmoideError):  # everything acknowledged is on disk already
        faces.close()
