"""Points of a Qdrant store on disk, as mem0 keeps them: pickled there, read here without running anything of them."""

from __future__ import annotations

import io
import pickle
from collections.abc import Iterator
from typing import Any, Final

from omoide.migrate.sqlite_file import Database
from omoide.types.reports import LeftOut

_TRUSTED: Final = ("qdrant_client.", "uuid")
_DAMAGED: Final = (
    pickle.UnpicklingError, AttributeError, EOFError, ImportError, IndexError, KeyError, TypeError, ValueError,
    MemoryError, OverflowError,
)  # fmt: skip


class _Value:
    """Stands for every class that the data name: it keeps the state and does nothing."""

    def __init__(self, *arguments: object) -> None:
        self.state: Any = arguments

    def __setstate__(self, state: Any) -> None:
        self.state = state


class _Inert(pickle.Unpickler):
    """Builds values out of pickled data; classes that they name are neither loaded nor called."""

    def find_class(self, module: str, name: str) -> Any:
        """Return the same inert class for a known name.

        Raises:
            UnpicklingError: any other name.
        """
        if module.startswith(_TRUSTED):
            return _Value
        raise pickle.UnpicklingError(f"it names {module}.{name}, which is no part of a point")


def points_of(database: Database) -> Iterator[tuple[str, dict[str, Any]] | LeftOut]:
    """Yield (id, payload) of every point."""
    for row in database.stream("points", ("id", "point")):
        try:
            state = _fields(_Inert(io.BytesIO(row["point"])).load())
            payload = state.get("payload")
            if not isinstance(payload, dict):
                raise TypeError("it has no payload")
            yield _id(state.get("id")), dict(payload)
        except _DAMAGED as error:
            yield LeftOut(f"mem0:point/{row['position']}", f"it cannot be read: {error}")


def _fields(value: Any) -> dict[str, Any]:
    """Return the fields of a pickled model."""
    state = value.state if isinstance(value, _Value) else value
    found = state.get("__dict__", state) if isinstance(state, dict) else {}
    return found if isinstance(found, dict) else {}


def _id(value: Any) -> str:
    if isinstance(value, _Value) and isinstance(value.state, dict) and "int" in value.state:
        number = f"{value.state['int']:032x}"
        return "-".join((number[:8], number[8:12], number[12:16], number[16:20], number[20:]))
    return str(value)
