"""What a search answer shows of a version and its memory, read in one look and without a value for each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import apsw

from omoide.model.time import Micros
from omoide.store.sqlite.slices import portions

_TEXT: Final = "(SELECT text FROM content WHERE content_id = v.content_id)"
_OF_MEMORY: Final = ("created_at", "archived", "disputed")


class Shown(NamedTuple):
    """The columns of a version and of its memory, as they are stored; open ends are None, lists and objects JSON."""

    version_id: int
    memory_id: int
    ns: int
    text: str
    metadata: str | None
    abstract: str | None
    subject: str | None
    predicate: str | None
    kind: str
    tags: str | None
    trust: Any
    importance: int
    importance_name: str | None
    confidence: float
    source: str | None
    project: str | None
    cites: str | None
    origin: str | None
    actor: str | None
    door: str
    observed_at: Micros | None
    batch: str | None
    gist: bytes | None
    cause: str
    valid_from: Micros
    valid_to: Micros | None
    known_from: Micros
    known_to: Micros | None
    closed_cause: str | None
    created_at: Micros
    archived: int
    disputed: str | None


_COLUMNS: Final = ", ".join(
    _TEXT if name == "text" else f"m.{name}" if name in _OF_MEMORY else f"v.{name}" for name in Shown._fields
)
_SELECT: Final = f"SELECT {_COLUMNS} FROM version v CROSS JOIN memory m ON m.id = v.memory_id WHERE v.version_id IN"


class ShownRows:
    """The rows of one read transaction, each read once."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection
        self._found: dict[int, Shown | None] = {}

    def many(self, version_ids: Sequence[int]) -> list[Shown | None]:
        """Return the rows of these versions in their order, None where there is none."""
        lacking = [version_id for version_id in version_ids if version_id not in self._found]
        for marks, some in portions(lacking):
            self._found.update(dict.fromkeys(some))
            for row in self._connection.execute(f"{_SELECT} ({marks})", some):
                self._found[row[0]] = Shown(*row)
        return [self._found[version_id] for version_id in version_ids]
