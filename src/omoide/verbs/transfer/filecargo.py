"""An exported file read as cargo: every line checked, the first that is damaged named by its number."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any, Final, TypeVar

from omoide.errors import InvalidInputError, StoreVersionError
from omoide.model.carried import CarriedDocument, CarriedMemory
from omoide.model.carried_history import CarriedSegment, CarriedSession, CarriedTurn
from omoide.model.namespaces import check_namespace
from omoide.model.relations import (
    Carried,
    CarriedAlias,
    CarriedBatch,
    CarriedExclusive,
    CarriedLink,
    CarriedMark,
    CarriedRejection,
)
from omoide.verbs.transfer.carried_conversations import decode_segment, decode_session, decode_turn
from omoide.verbs.transfer.export import FORMAT, NAMES
from omoide.verbs.transfer.jsonl import decode_memory, moment

_KINDS: Final[dict[str, type[Carried]]] = {
    NAMES[kind.__name__]: kind
    for kind in (CarriedLink, CarriedRejection, CarriedAlias, CarriedExclusive, CarriedMark, CarriedBatch)
}
_FIELDS: Final = {name: tuple(field.name for field in fields(kind)) for name, kind in _KINDS.items()}
_DATABASE: Final = b"SQLite format 3\0"
_MEMORY: Final = b'{"type":"memory"'
_DAMAGED: Final = (KeyError, TypeError, ValueError, AttributeError, RecursionError)

T = TypeVar("T")
Line = Mapping[str, Any]


class FileCargo:
    """What ``export`` wrote to a file. It is read from beginning to end each time, a line at a time.

    Raises:
        InvalidInputError: there is no such file, or it is not what ``export`` writes.
        StoreVersionError: a newer omoide wrote it.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        if not path.is_file():
            raise InvalidInputError(f"there is no file {path}", value=str(path))
        self.header = self._header()
        self.mark = self._check_whole()
        """The digest of all lines, by which the same file is known again."""
        names = self.header.get("namespaces")
        if not isinstance(names, list):
            raise self._damaged(1, "it names no namespaces")
        self.namespaces = tuple(check_namespace(name) for name in names)
        self.complete = self.header.get("complete") is True

    def memories(self) -> Iterator[CarriedMemory]:
        """Yield the memories."""
        for number, line in self._lines("memory"):
            yield self._understood(number, decode_memory, line)

    def around(self) -> Iterator[Carried]:
        """Yield what stands around them."""
        for number, line in self._lines(*_KINDS):
            yield self._understood(number, _decode_around, line)

    def documents(self) -> Iterator[CarriedDocument]:
        """Yield the documents."""
        from omoide.verbs.transfer.carried_documents import decode_document

        for number, line in self._lines("document"):
            yield self._understood(number, decode_document, line)

    def sessions(self) -> Iterator[CarriedSession]:
        """Yield the sessions."""
        return self._decoded("session", decode_session)

    def turns(self) -> Iterator[CarriedTurn]:
        """Yield the records of the sessions."""
        return self._decoded("turn", decode_turn)

    def segments(self) -> Iterator[CarriedSegment]:
        """Yield the saved segments."""
        return self._decoded("segment", decode_segment)

    def _decoded(self, kind: str, decode: Callable[[Line], T]) -> Iterator[T]:
        for number, line in self._lines(kind):
            yield self._understood(number, decode, line)

    def of_type(self, kind: str) -> Iterator[tuple[int, Line]]:
        """Yield (number, line) of the lines of a kind that the memories do not need."""
        return self._lines(kind)

    def mentions(self, text: str) -> bool:
        """Say whether any memory's line holds a piece of JSON."""
        with self._path.open("rb") as file:
            return any(text.encode() in data for data in file if data.startswith(_MEMORY))

    def vectors_of(self, key: bytes) -> None:
        """A file carries no vectors."""
        return

    # -- reading ---------------------------------------------------------------------------------------

    def _header(self) -> Line:
        with self._path.open("rb") as file:
            first = file.readline()
        if first.startswith(_DATABASE):
            raise InvalidInputError(
                f"{self._path} is a database, not an export: merge_from takes in a store of omoide,"
                " omoide import --from auto those of other systems", value=str(self._path),
            )  # fmt: skip
        line = self._parsed(1, first)
        if line.get("omoide") != "export":
            raise self._damaged(1, "the file does not begin as export writes it (omoide import reads other systems)")
        if line.get("format") != FORMAT:
            found = line.get("format")
            raise StoreVersionError(
                f"{self._path} has format {found!r}, this omoide knows {FORMAT}; upgrade omoide to read it", value=found
            )
        return line

    def _check_whole(self) -> str:
        """Refuse a file that lacks its end or is not what was written; return its digest."""
        digest, number, last = hashlib.sha256(), 0, b""
        with self._path.open("rb") as file:
            for data in file:
                if number:
                    digest.update(last)
                number, last = number + 1, data
        end = self._parsed(number, last)
        if end.get("type") != "end" or not last.endswith(b"\n"):
            raise self._damaged(number, "the file ends before its last line")
        if end.get("lines") != number - 1 or end.get("sha256", digest.hexdigest()) != digest.hexdigest():
            self._find_damage()
            raise self._damaged(number, "the lines before it are not those that were written")
        return digest.hexdigest()

    def _find_damage(self) -> None:
        for _ in self.memories():
            pass
        for _ in self.around():
            pass

    def _lines(self, *kinds: str) -> Iterator[tuple[int, Line]]:
        memories = "memory" in kinds
        with self._path.open("rb") as file:
            for number, data in enumerate(file, 1):
                if number == 1 or memories != data.startswith(_MEMORY):
                    continue
                line = self._parsed(number, data)
                if line.get("type") in kinds:
                    yield number, line

    def _parsed(self, number: int, data: bytes) -> Line:
        found = self._understood(number, lambda raw: json.loads(raw.decode("utf-8")), data)
        if not isinstance(found, dict):
            raise self._damaged(number, "it is no JSON object")
        return found

    def _understood(self, number: int, read: Callable[[Any], T], value: object) -> T:
        try:
            return read(value)
        except _DAMAGED as error:
            raise self._damaged(number, str(error) or type(error).__name__) from error

    def _damaged(self, number: int, what: str) -> InvalidInputError:
        return InvalidInputError(f"{self._path}, line {number}: {what}; nothing was imported", value=number)


def _decode_around(line: Line) -> Carried:
    kind = _KINDS[line["type"]]
    values: dict[str, Any] = {}
    for name in _FIELDS[line["type"]]:
        value = line.get(name)
        if name == "at" or name.endswith("_at"):
            value = moment(value)
        elif name == "key":
            value = bytes.fromhex(line["key"])
        elif name == "namespace":
            value = check_namespace(value)
        values[name] = value
    return kind(**values)
