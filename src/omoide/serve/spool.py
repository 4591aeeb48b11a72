"""Writes that could not wait for a busy store: kept as files beside it, applied by whoever opens it next.

One file a write, made whole under another name first; its name begins with the time, so that they are applied
in order. Every write carries an idempotency key: applied twice, it counts once.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import Any, Final
from uuid import uuid4

from omoide.errors import InvalidInputError, OmoideError, StoreBusyError, StoreError
from omoide.ops import OPERATIONS, Faces, checked, run

SUFFIX: Final = "-spool"
FAILED: Final = "failed"
BATCH: Final = 256
"""Writes that one opener applies before it goes on with its own work."""
_NUMBERS: Final = count()
"""Tells the order of what one process keeps within a tick of the clock, which lasts 16 ms on some systems."""


@dataclass(frozen=True, slots=True)
class Waiting:
    """One write that waits: an operation, its arguments, and in whose name it was made."""

    operation: str
    arguments: dict[str, Any]
    namespace: str = "default"
    door: str = "cli"
    trust: str = "observed"
    actor: str | None = None
    at: str = field(default_factory=lambda: datetime.now(UTC).isoformat())


@dataclass(frozen=True, slots=True)
class Applied:
    """What one round did: writes applied, set aside as impossible, and still waiting."""

    applied: int = 0
    failed: int = 0
    left: int = 0


def folder_of(path: str | os.PathLike[str]) -> Path:
    """Return where the writes for a store wait."""
    return Path(os.fspath(path).rstrip("/\\") + SUFFIX)


def can_wait(operation: str) -> bool:
    """Say whether a write may be spooled: only one that a repeat would not do twice."""
    described = OPERATIONS[operation]
    return described.keyed and described.effect != "read"


def keep(path: str | os.PathLike[str], waiting: Waiting) -> dict[str, Any]:
    """Keep a write beside the store; return the answer for the caller: ``saved: false, spooled: true``.

    The statement dates from now, whenever it is applied.

    Raises:
        ToolCallError: arguments that the operation cannot take.
        InvalidInputError: an operation that cannot wait.
        StoreError: the file cannot be written.
    """
    if not can_wait(waiting.operation):
        raise InvalidInputError(f"{waiting.operation} cannot wait for a busy store; try again later")
    arguments = checked(waiting.operation, waiting.arguments)
    arguments.setdefault("idempotency_key", f"spool-{uuid4()}")
    if "observed_at" in OPERATIONS[waiting.operation].checked["properties"]:
        arguments.setdefault("observed_at", waiting.at)
    _write(folder_of(path), {**asdict(waiting), "arguments": arguments})
    return _unsaved(waiting.operation, arguments)


def _unsaved(operation: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return the result of a write that did not happen yet, in the shape of one that did."""
    known: dict[str, Any] = {"saved": False, "spooled": True, "id": arguments.get("id"), "dry_run": False}
    shape = OPERATIONS[operation].result
    return {name: [] if isinstance(part, list) else known.get(name) for name, part in shape.items()}


def _write(folder: Path, content: Mapping[str, Any]) -> None:
    name = f"{time.time_ns():020d}-{next(_NUMBERS):06d}-{uuid4().hex[:12]}"
    draft = folder / f".{name}.part"
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with draft.open("x", encoding="utf-8") as file:
            json.dump(content, file, ensure_ascii=True)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(folder / f"{name}.json")
    except OSError as error:
        raise StoreError(f"the store is busy and the write cannot be kept in {folder}: {error}") from error
    with suppress(OSError):  # not every system lets a folder be flushed
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def waiting_in(path: str | os.PathLike[str]) -> list[Path]:
    """Return the files of the writes that wait for a store, oldest first."""
    return _files(folder_of(path))


def failed_in(path: str | os.PathLike[str]) -> list[Path]:
    """Return the files of the writes that could not be applied, oldest first."""
    return _files(folder_of(path) / FAILED)


def _files(folder: Path) -> list[Path]:
    try:
        return sorted(file for file in folder.iterdir() if file.suffix == ".json")
    except OSError:
        return []


def apply(path: str | os.PathLike[str], limit: int = BATCH, **options: Any) -> Applied:
    """Apply what waits for a store, oldest first; ``options`` are those of a handle, such as embedder and clock.

    A write that can never be applied is set aside with the reason. A store that is still busy ends the round.

    Raises:
        StoreError: the store cannot be written; nothing was set aside.
    """
    files = waiting_in(path)[:limit]
    if not files:
        return Applied()
    openers = _Openers(path, options)
    done = failed = 0
    try:
        for file in files:
            if _apply_one(file, openers):
                done += 1
            else:
                failed += 1
    except StoreBusyError:
        pass
    finally:
        openers.close()
    return Applied(done, failed, len(waiting_in(path)))


def _apply_one(file: Path, openers: _Openers) -> bool:
    """Apply one write and remove its file, or set it aside."""
    try:
        waiting = _read(file)
        run(openers.of(waiting), waiting.operation, waiting.arguments)
    except FileNotFoundError:  # another process applied it meanwhile
        return True
    except StoreError:
        raise
    except OmoideError as error:
        _set_aside(file, error)
        return False
    file.unlink(missing_ok=True)
    return True


def _read(file: Path) -> Waiting:
    try:
        content = json.loads(file.read_text(encoding="utf-8"))
        waiting = Waiting(**content)
    except (ValueError, TypeError) as error:
        raise InvalidInputError(f"not a write that omoide spooled: {error}") from error
    if waiting.operation not in OPERATIONS or not can_wait(waiting.operation):
        raise InvalidInputError(f"{waiting.operation} is not spooled by omoide")
    return waiting


def _set_aside(file: Path, error: OmoideError) -> None:
    aside = file.parent / FAILED
    aside.mkdir(mode=0o700, exist_ok=True)
    (aside / f"{file.stem}.reason").write_text(f"{error.code}: {error}\n", encoding="utf-8")
    with suppress(FileNotFoundError):
        file.replace(aside / file.name)


class _Openers:
    """Handles in the names of those who spooled."""

    def __init__(self, path: str | os.PathLike[str], options: Mapping[str, Any]) -> None:
        self._path = path
        self._options = options
        self._open: dict[tuple[Any, ...], Faces] = {}

    def of(self, waiting: Waiting) -> Faces:
        """Return the faces for one write."""
        voice = (waiting.namespace, waiting.door, waiting.trust, waiting.actor)
        if voice not in self._open:
            named = {"door": waiting.door, "door_trust": waiting.trust, "actor": waiting.actor}
            self._open[voice] = Faces(self._path, waiting.namespace, **{**self._options, **named})
        return self._open[voice]

    def close(self) -> None:
        """Close them all."""
        for faces in self._open.values():
            faces.close()
