"""mcp-memory-service: memories in a SQLite file, with versions, deletions that are marked, and a graph."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from omoide.errors import InvalidInputError
from omoide.migrate.reading import json_object, json_value, labels, moment
from omoide.migrate.source import Source
from omoide.migrate.sqlite_file import Database, Row, file_in
from omoide.migrate.values import Brought, Edit, Ending, Step, Tie, said
from omoide.model.kinds import KINDS
from omoide.types.reports import LeftOut

FILE: Final = "sqlite_vec.db"
_COLUMNS: Final = (
    "content_hash", "content", "tags", "memory_type", "metadata", "created_at", "updated_at", "created_at_iso",
    "deleted_at", "parent_id", "superseded_by", "confidence", "store",
)  # fmt: skip
_SORTS: Final = {"learning": "experience", "error": "experience", "pattern": "procedure", "observation": "fact"}
_SYMMETRIC: Final = {"contradicts": "conflict"}
_ROOT: Final = "(parent_id IS NULL OR parent_id NOT IN (SELECT content_hash FROM memories))"
_EDGES: Final = ("source_hash", "target_hash", "connection_types", "relationship_type", "created_at")


class McpMemoryService(Source):
    """Its database, or the folder that it lies in. Its stores are scopes."""

    name = "mcp-memory-service"

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self._file = Database(file_in(path, FILE))
        self._file.need(self.name, "memories")
        self._columns = self._file.columns("memories")
        if "content_hash" not in self._columns:
            self._file.need(self.name, "memories with a content_hash")

    def scopes(self) -> Mapping[str, int]:
        """Return its stores."""
        if "store" not in self._columns:
            return {}
        rows = self._file.rows("SELECT store, count(*) AS n FROM memories GROUP BY store ORDER BY store")
        return {str(row["store"]): int(row["n"]) for row in rows}

    def memories(self) -> Iterator[Brought | LeftOut]:
        """Yield a memory for every line of versions, deleted ones too."""
        versioned = "parent_id" in self._columns
        replaced = frozenset(self._parents().values())
        for root in self._file.stream("memories", _COLUMNS, _ROOT if versioned else "1"):
            steps: list[Step] = []
            for row in self._line(root, replaced):
                ref = _ref(row["content_hash"])
                try:
                    steps += _steps(row, ref)
                except InvalidInputError as error:
                    yield LeftOut(ref, error.message)
            if any(isinstance(step, Edit) for step in steps):
                yield Brought((str(root["content_hash"]),), tuple(steps), scope=root["store"], live=True)

    def _line(self, root: Row, replaced: frozenset[str]) -> Iterator[Row]:
        """Yield a version and all that followed it, oldest first; ``replaced`` are those that something followed."""
        seen, waiting = set[str](), [root]
        while waiting:
            row = waiting.pop(0)
            if str(row["content_hash"]) not in seen:
                seen.add(str(row["content_hash"]))
                yield row
                if str(row["content_hash"]) in replaced:
                    waiting += self._file.some("memories", _COLUMNS, "parent_id = ?", row["content_hash"])

    def ties(self) -> Iterator[Tie]:
        """Yield the edges of its graph, each between the lines of versions that it joins."""
        if "memory_graph" not in self._file.tables:
            return
        seen, parents = set[tuple[str, ...]](), self._parents()
        for edge in self._file.stream("memory_graph", _EDGES):
            start, end = (_first(str(edge[name]), parents) for name in ("source_hash", "target_hash"))
            word = str(edge["relationship_type"] or "related")
            first, last = sorted((start, end)) if word in ("related", "contradicts") else (start, end)
            if (word, first, last) in seen:
                continue
            seen.add((word, first, last))
            sorts = ", ".join(map(str, json_value(edge["connection_types"]) or ()))
            reason = f"{word} ({sorts})" if sorts else word
            yield Tie(_SYMMETRIC.get(word, "related"), (first,), (last,), moment(edge["created_at"]), reason)

    def _parents(self) -> dict[str, str]:
        """Return the predecessor of every version that has one."""
        if "parent_id" not in self._columns:
            return {}
        wanted = ("content_hash", "parent_id")
        found = self._file.stream("memories", wanted, "parent_id IN (SELECT content_hash FROM memories)")
        return {str(row["content_hash"]): str(row["parent_id"]) for row in found}


def _first(name: str, parents: Mapping[str, str]) -> str:
    """Return the first version of the line that a version belongs to."""
    seen: set[str] = set()
    while name in parents and name not in seen:
        seen.add(name)
        name = parents[name]
    return name


def _steps(row: Row, ref: str) -> list[Step]:
    metadata = json_object(row["metadata"])
    kind = str(row["memory_type"] or "")
    given = {"memory_type": kind} if kind and kind not in KINDS else {}
    lineage = {name: value for name, value in metadata.items() if name != "superseded_by"}
    confidence = row["confidence"] if isinstance(row["confidence"], int | float) else None
    claim = said(
        row["content"], tags=labels(row["tags"]), metadata={**lineage, **given}, source=ref, confidence=confidence,
        kind=kind if kind in KINDS else _SORTS.get(kind, "fact"),
    )  # fmt: skip
    at = moment(row["created_at"] if row["created_at"] is not None else row["created_at_iso"])
    steps: list[Step] = [Edit(at, claim, ref)]
    deleted = moment(row["deleted_at"])
    if deleted is not None:
        steps.append(Ending(deleted, ref=ref))
    return steps


def _ref(name: Any) -> str:
    return f"mcp-memory-service:{name}"
