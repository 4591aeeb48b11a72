"""mem0: its history (SQLite), its vector store on disk (Qdrant), the JSON of ``get_all``, or a folder of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any, Final

from omoide.errors import InvalidInputError
from omoide.migrate.json_file import items_of
from omoide.migrate.mem0_layout import SYSTEM, laid_out, namespace_of
from omoide.migrate.reading import moment, plain
from omoide.migrate.source import Source
from omoide.migrate.sources.chroma import FILE as CHROMA
from omoide.migrate.sources.chroma import entries_of
from omoide.migrate.sources.mem0_points import points_of
from omoide.migrate.sqlite_file import Database, Row
from omoide.migrate.values import Brought, Edit, Ending, Step, said
from omoide.model.time import FOREVER, Micros
from omoide.types.reports import LeftOut

_HISTORY: Final = (
    "id", "memory_id", "old_memory", "new_memory", "event", "created_at", "updated_at", "is_deleted", "actor_id", "role"
)  # fmt: skip
_MEMORIES: Final = "SELECT memory_id FROM history WHERE memory_id IS NOT NULL GROUP BY memory_id ORDER BY min(rowid)"
_TOGETHER: Final = 200
_OWN: Final = frozenset({"data", "memory", "hash", "created_at", "updated_at", "id", "text_lemmatized", "metadata",
                         "score", "attributed_to"})  # fmt: skip
"""What mem0 keeps of its own in a payload, beside the metadata of its users."""


class Mem0(Source):
    """What mem0 keeps. With its history every earlier text is a version; scopes are its users, agents and runs."""

    name = SYSTEM

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self._history, self._points, self._documents = _found(path)
        self._compatible = False

    def use_door(self, door: str) -> None:
        """What comes in through the adapter of mem0's interface is laid out so that the adapter finds it."""
        self._compatible = door == SYSTEM

    def scopes(self) -> Mapping[str, int]:
        """Return its users, agents and runs, each combination that occurs."""
        counts: dict[str, int] = {}
        for item in self._present():
            scope = None if isinstance(item, LeftOut) else _scope(item[1])
            if scope is not None:
                counts[scope] = counts.get(scope, 0) + 1
        return dict(sorted(counts.items()))

    def memories(self) -> Iterator[Brought | LeftOut]:
        """Yield its memories, deleted ones too where there is a history."""
        if not self._history:
            for item in self._present():
                yield item if isinstance(item, LeftOut) else self._one(*item)
            return
        present = {item[0]: item[1] for item in self._present() if not isinstance(item, LeftOut)}
        yield from (item for item in self._present() if isinstance(item, LeftOut))
        for database in self._history:
            for id, rows in _histories(database):
                yield from self._with_history(id, rows, present.pop(id, None))
        for id, payload in present.items():
            yield self._one(id, payload)

    def _present(self) -> Iterator[tuple[str, dict[str, Any]] | LeftOut]:
        """Yield the present state of every memory with its id."""
        for path in self._points:
            database = Database(path)
            yield from points_of(database) if "points" in database.tables else _of_chroma(database)
        for path in self._documents:
            for item in items_of(path, "results", "memories"):
                if isinstance(item, LeftOut) or item.get("id"):
                    yield item if isinstance(item, LeftOut) else (str(item["id"]), item)
                else:
                    yield LeftOut(SYSTEM, "an item without an id")

    def _one(self, id: str, payload: dict[str, Any]) -> Brought | LeftOut:
        """A memory of which only the present is known."""
        text = payload.get("data") or payload.get("memory")
        try:
            made, changed = moment(payload.get("created_at")), moment(payload.get("updated_at"))
            edit = Edit(
                changed or made, self._said(text, id, payload), _ref(id), observed_at=changed or made,
                valid_to=self._end(payload), actor=payload.get("actor_id"),
            )  # fmt: skip
        except InvalidInputError as error:
            return LeftOut(_ref(id), error.message)
        return Brought((id,), (edit,), scope=_scope(payload), live=True)

    def _with_history(self, id: str, rows: list[Row], payload: dict[str, Any] | None) -> Iterator[Brought | LeftOut]:
        steps: list[Step] = []
        for row in rows:
            try:
                steps += self._steps(id, row, payload or _plain_of(row))
            except InvalidInputError as error:
                yield LeftOut(_ref(str(row["id"])), error.message)
        if not any(isinstance(step, Edit) for step in steps):
            if payload is not None:
                yield self._one(id, payload)
            elif steps:
                yield LeftOut(_ref(id), "its history has no text")
            return
        steps.sort(key=lambda step: step.at or 0)
        yield Brought((id,), tuple(steps), scope=None if payload is None else _scope(payload), live=True)

    def _steps(self, id: str, row: Row, payload: dict[str, Any]) -> list[Step]:
        event, made = str(row["event"] or "").upper(), moment(row["created_at"])
        at = made if event == "ADD" else moment(row["updated_at"]) or made
        if event == "DELETE" or row["is_deleted"]:
            return [Ending(at or 0)]
        if not row["new_memory"]:
            return []
        claim = self._said(row["new_memory"], id, payload)
        return [Edit(at, claim, _ref(id), valid_to=self._end(payload), actor=row["actor_id"] or None)]

    def _end(self, payload: Mapping[str, Any]) -> Micros:
        """Return the end of the day on which a memory expires; the adapter looks after that by itself."""
        day = payload.get("expiration_date") or (plain(payload.get("metadata")) or {}).get("expiration_date")
        at = None if self._compatible else moment(day)
        return FOREVER if at is None else at + 86_400_000_000

    def _said(self, text: object, id: str, payload: Mapping[str, Any]) -> Any:
        own = {name: plain(value) for name, value in payload.items() if name not in _OWN and value is not None}
        given = payload.get("metadata")
        metadata = {**own, **(plain(given) if isinstance(given, Mapping) else {})}
        metadata = laid_out(metadata) if self._compatible else metadata
        return said(text, metadata=metadata, source=_ref(id))


def _of_chroma(database: Database) -> Iterator[tuple[str, dict[str, Any]] | LeftOut]:
    """Yield what mem0 keeps in Chroma; other collections are not its."""
    for item in entries_of(database):
        if not isinstance(item, LeftOut) and item.metadata.get("data"):
            yield item.id, item.metadata


def _histories(database: Database) -> Iterator[tuple[str, list[Row]]]:
    """Yield the id and the history of each memory, in the order in which they were first spoken of."""
    ids = iter([row["memory_id"] for row in database.rows(_MEMORIES)])
    while some := list(islice(ids, _TOGETHER)):
        found: dict[str, list[Row]] = {str(id): [] for id in some}
        for row in database.some("history", _HISTORY, f"memory_id IN ({','.join('?' * len(some))})", *some):
            found[str(row["memory_id"])].append(row)
        yield from found.items()


def _ref(id: str) -> str:
    return f"mem0:{id}"


def _plain_of(row: Row) -> dict[str, Any]:
    return {name: row[name] for name in ("role", "actor_id") if row[name] is not None}


def _scope(payload: Mapping[str, Any]) -> str | None:
    """Return the name of the namespace that the adapter of mem0's interface gives a user, agent and run."""
    inner = payload.get("metadata")
    return namespace_of({**(inner if isinstance(inner, Mapping) else {}), **payload})


def _found(path: Path) -> tuple[list[Database], list[Path], list[Path]]:
    """Return the histories, the vector stores and the exports at a path.

    Raises:
        InvalidInputError: none of them is there.
    """
    files = [path]
    if path.is_dir():
        files = sorted(path.glob("*.db")) + sorted(path.rglob("storage.sqlite")) + sorted(path.glob("*.json"))
        files += sorted(path.rglob(CHROMA))
    histories, points, documents = list[Database](), list[Path](), list[Path]()
    for file in files:
        with file.open("rb") as opened:
            head = opened.read(16)
        if head.startswith(b"SQLite format 3"):
            database = Database(file)
            if "history" in database.tables:
                histories.append(database)
            elif "embedding_metadata" in database.tables or (
                "points" in database.tables and "mem0migrations" not in file.parts
            ):
                points.append(file)
        elif file == path or _is_export(file):
            documents.append(file)
    if not (histories or points or documents):
        raise InvalidInputError(f"nothing of mem0 is at {path}", value=str(path))
    return histories, points, documents


def _is_export(file: Path) -> bool:
    with file.open("rb") as opened:
        head = opened.read(4096)
    return b'"memory"' in head and b'"id"' in head
