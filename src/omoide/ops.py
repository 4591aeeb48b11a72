"""The table of operations with what carries each out: validated arguments in, plain JSON out.

Every door is made from ``OPERATIONS`` and goes through ``run``. No operation has a namespace argument: it
reaches what the handles that a door opened reach.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from importlib import import_module
from threading import RLock
from types import TracebackType
from typing import Any, Final, Protocol, Self

from omoide.model.arguments import ToolCallError, check_arguments
from omoide.model.catalog.operation import Doors, Face, Operation, Parameter, Route
from omoide.model.catalog.table import TABLE as OPERATIONS
from omoide.model.shape import plain
from omoide.shaping import HANDLERS, as_it_is

__all__ = ["OPERATIONS", "Doors", "Faces", "Operation", "Parameter", "Provider", "Route", "carry_out", "checked", "run"]

HOMES: Final[Mapping[Face, str]] = {
    "memory": "omoide.memory:Memory",
    "index": "omoide.index:Index",
    "history": "omoide.history:History",
    "migration": "omoide.migrate.face:Migration",
    "native": "omoide.capture.native:Native",
}


class Provider(Protocol):
    """Whoever hands out the handle of a face."""

    def __call__(self, face: Face, /) -> Any:
        """Return the handle."""


class Faces:
    """The faces of one namespace of one store, each opened when it is first used and closed together.

    ``options`` are those of a handle: policy, embedder, clock, actor, door, door_trust, read_only, ...
    """

    def __init__(self, path: str | os.PathLike[str], namespace: str = "default", **options: Any) -> None:
        self.path = os.fspath(path)
        self.namespace = namespace
        self.options = options
        self._open: dict[Face, Any] = {}
        self._lock = RLock()

    def __call__(self, face: Face, /) -> Any:
        """Return the handle of a face, opened if it is not."""
        with self._lock:
            handle = self._open.get(face)
            if handle is None:
                home, name = HOMES[face].split(":")
                handle = getattr(import_module(home), name)(self.path, self.namespace, **self.options)
                self._open[face] = handle
            return handle

    def close(self) -> None:
        """Close what is open; the next use opens it anew."""
        with self._lock:
            while self._open:
                self._open.popitem()[1].close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def checked(name: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of an operation as native values; those left out stay out.

    Raises:
        ToolCallError: no such operation; a missing or unknown argument, or one of the wrong type or range.
    """
    operation = OPERATIONS.get(name)
    if operation is None:
        raise ToolCallError(f"there is no operation {name!r}; there are {', '.join(OPERATIONS)}", value=name)
    blanks = {key: value for key, value in arguments.items() if value == "" and key in operation.blanks}
    return {**check_arguments(name, operation.checked, arguments), **blanks}


def run(provider: Provider, name: str, arguments: Mapping[str, Any], **extras: Any) -> Any:
    """Check the arguments, carry the operation out and return its result as plain JSON.

    ``extras`` go to the method as they are, such as ``progress`` of ``add_files``.

    Raises:
        ToolCallError: arguments that the operation cannot take.
        NotFoundError: the id does not exist here.
        OmoideError: whatever the verb raises.
    """
    return carry_out(provider, name, checked(name, arguments), **extras)


def carry_out(provider: Provider, name: str, given: Mapping[str, Any], **extras: Any) -> Any:
    """Do the same with arguments that ``checked`` returned."""
    operation = OPERATIONS[name]
    handler = HANDLERS.get(name) or as_it_is(operation.method or name)
    return plain(handler(provider(operation.face), {**given, **extras}))
