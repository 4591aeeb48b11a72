"""The reference memory server of MCP: a graph of entities and relations as lines of JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from omoide.errors import InvalidInputError
from omoide.migrate.source import Source
from omoide.migrate.values import Brought, Edit, said
from omoide.model.time import Micros
from omoide.types.reports import LeftOut

ENTITY: Final = "entity_type"
RELATION: Final = "relation_to"
OBSERVATION: Final = "observation"
"""Keys of the metadata by which a graph can be written again: an entity, an edge, a line about an entity."""


class MemoryServer(Source):
    """The graph file. It keeps no times: everything is known from the import, valid since the file was written."""

    name = "memory-server"

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        if not path.is_file() or not _is_json(path):
            raise InvalidInputError(f"{path} is no file of the memory server", value=str(path))

    def memories(self) -> Iterator[Brought | LeftOut]:
        """Yield one memory for each entity, each observation and each relation."""
        written = self.path.stat().st_mtime_ns // 1000
        for number, line in enumerate(self._lines(), 1):
            if line.strip():
                try:
                    yield from _brought(json.loads(line), written)
                except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
                    yield LeftOut(
                        f"line {number}", f"it is no entity and no relation ({str(error) or type(error).__name__})"
                    )

    def _lines(self) -> Iterator[str]:
        """The oldest form is one document with two lists; the present one is a line for each."""
        with self.path.open(encoding="utf-8-sig", errors="surrogateescape") as file:
            if '"entities"' not in file.read(4096):
                file.seek(0)
                yield from file
                return
            file.seek(0)
            try:
                graph = json.load(file)
            except ValueError as error:
                raise InvalidInputError(f"{self.path} is no graph: {error}", value=str(self.path)) from error
        for kind, name in (("entity", "entities"), ("relation", "relations")):
            yield from (json.dumps({"type": kind, **item}) for item in graph.get(name, ()))


def _is_json(path: Path) -> bool:
    with path.open("rb") as file:
        head = file.read(4096).removeprefix(b"\xef\xbb\xbf").lstrip()
    return head[:1] in (b"", b"{")


def _brought(line: Any, at: Micros) -> Iterator[Brought | LeftOut]:
    if line["type"] == "entity":
        yield from _entity(line, at)
    elif line["type"] == "relation":
        yield _relation(line, at)
    else:
        raise KeyError(f"type {line['type']!r}")


def _entity(line: Any, at: Micros) -> Iterator[Brought | LeftOut]:
    name, kind = str(line["name"]), str(line.get("entityType") or "")
    yield _one(("entity", name), f"{name} ({kind})" if kind else name, at, subject=name, kind="entity",
               metadata={ENTITY: kind})  # fmt: skip
    said_already: dict[str, int] = {}
    for text in line.get("observations") or ():
        seen = said_already[str(text)] = said_already.get(str(text), 0) + 1
        key = ("observation", name, str(text)) if seen == 1 else ("observation", name, str(text), str(seen))
        try:
            yield _one(key, text, at, subject=name, metadata={OBSERVATION: True})
        except InvalidInputError as error:
            yield LeftOut(f"memory-server:{name}", error.message)


def _relation(line: Any, at: Micros) -> Brought:
    start, end, kind = str(line["from"]), str(line["to"]), str(line["relationType"])
    return _one(("relation", start, kind, end), f"{start} {kind} {end}", at, subject=start, predicate=kind,
                metadata={RELATION: end})  # fmt: skip


def _one(key: tuple[str, ...], text: object, at: Micros, **labels: Any) -> Brought:
    ref = "memory-server:" + "/".join(key)
    return Brought(key, (Edit(None, said(text, source=f"memory-server:{labels['subject']}", **labels), ref,
                              valid_from=None, observed_at=at),), live=True)  # fmt: skip
