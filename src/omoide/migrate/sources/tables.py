"""Tables of any make: CSV with a header, or an object a line; a mapping says which column is what."""

from __future__ import annotations

import csv
import hashlib
from collections.abc import Iterator, Mapping
from itertools import zip_longest
from pathlib import Path
from typing import Any, Final

from omoide.errors import InvalidInputError
from omoide.migrate.csv_rows import records
from omoide.migrate.json_file import lines_of
from omoide.migrate.reading import json_object, labels, moment, plain
from omoide.migrate.source import Source
from omoide.migrate.values import Brought, Edit, said
from omoide.model.kinds import KINDS
from omoide.model.records import canonical
from omoide.model.time import FOREVER
from omoide.types.reports import LeftOut

PARTS: Final[tuple[str, ...]] = (
    "text", "id", "at", "subject", "predicate", "kind", "tags", "importance", "confidence", "source", "project",
    "valid_from", "valid_to", "pinned", "metadata", "scope", "abstract", "actor",
)  # fmt: skip
"""The parts of a memory that a column can be; what is no part is metadata."""
GUESSES: Final[Mapping[str, tuple[str, ...]]] = {
    "text": ("text", "content", "memory", "fact", "note", "body", "value", "message", "description"),
    "id": ("id", "uuid", "uid", "key", "_id"),
    "at": ("at", "created_at", "created", "timestamp", "date", "time", "createdat", "ts"),
    "tags": ("tags", "labels", "keywords"),
    "subject": ("subject", "about", "entity"),
    "predicate": ("predicate", "attribute", "property"),
    "kind": ("kind", "type", "category"),
    "source": ("source", "origin", "url", "file"),
}
_LONGEST: Final = 64_000_000
_NOT_UTF8: Final = "is not UTF-8; save the file as UTF-8"


class _Table(Source):
    """Rows of named columns. Without a mapping the columns are taken for what they are called."""

    def __init__(self, path: Path, fields: Mapping[str, str] | None = None) -> None:
        super().__init__(path)
        if not path.is_file():
            raise InvalidInputError(f"{path} is no file", value=str(path))
        self._fields = _checked(fields)

    def scopes(self) -> Mapping[str, int]:
        """Return the values of the column that is the scope."""
        column = self._fields.get("scope")
        counts: dict[str, int] = {}
        if column is None:
            return counts
        for _, row in self._rows():
            if not isinstance(row, LeftOut) and row.get(column) not in (None, ""):
                counts[str(row[column])] = counts.get(str(row[column]), 0) + 1
        return counts

    def memories(self) -> Iterator[Brought | LeftOut]:
        """Yield a memory for every row that has a text."""
        understood = bool(self._fields)
        for number, row in self._rows():
            ref = f"{self.name}:row/{number}"
            if isinstance(row, LeftOut):
                yield row
                continue
            fields = self._fields or _guessed(row)
            if not understood and "text" not in fields:
                raise InvalidInputError(
                    f"{self.path}: no column is called text; say which one it is, such as"
                    f" text={next(iter(row), 'column')}",
                    value=list(row),
                )
            understood = True
            try:
                yield self._memory(row, fields, ref)
            except InvalidInputError as error:
                yield LeftOut(ref, error.message)

    def _memory(self, row: Mapping[str, Any], fields: Mapping[str, str], ref: str) -> Brought:
        given = {part: row.get(column) for part, column in fields.items()}
        rest = {
            name: plain(value) for name, value in row.items() if name not in fields.values() and value not in (None, "")
        }
        kind = str(given.get("kind") or "").lower()
        extra = {"kind": given["kind"]} if kind and kind not in KINDS else {}
        inner = given.get("metadata")
        metadata = {**rest, **extra, **(json_object(inner) if inner not in (None, "") else {})}
        words: dict[str, Any] = {
            part: _word(given.get(part)) for part in ("subject", "predicate", "project", "abstract")
        }
        claim = said(
            given.get("text"), metadata=metadata, kind=kind if kind in KINDS else None, tags=labels(given.get("tags")),
            importance=_number(given.get("importance")), confidence=_share(given.get("confidence")),
            source=_word(given.get("source")) or self._origin(given), **words,
        )  # fmt: skip
        until = moment(given.get("valid_to"))
        edit = Edit(
            moment(given.get("at")), claim, ref if given.get("id") in (None, "") else f"{self.name}:{given['id']}",
            valid_from=moment(given.get("valid_from")), valid_to=FOREVER if until is None else until,
            actor=_word(given.get("actor")),
        )  # fmt: skip
        scope = _word(given.get("scope"))
        return Brought(self._key(row, given.get("id")), (edit,), scope, live=True, pinned=_yes(given.get("pinned")))

    def _origin(self, given: Mapping[str, Any]) -> str:
        """A row that has no id is known wherever its file lies."""
        return self.name if given.get("id") in (None, "") else f"{self.name}:{self.path.name}"

    def _key(self, row: Mapping[str, Any], id: object) -> tuple[str, ...]:
        """An id counts within files of one name; a row without one is known by all that it says."""
        if id not in (None, ""):
            return ("id", self.path.name, str(id))
        return ("row", hashlib.sha256(canonical(plain(row)).encode()).hexdigest())

    def _rows(self) -> Iterator[tuple[int, dict[str, Any] | LeftOut]]:
        raise NotImplementedError


class Csv(_Table):
    """A CSV file with a header; the separator is told from it."""

    name = "csv"

    def _rows(self) -> Iterator[tuple[int, dict[str, Any] | LeftOut]]:
        csv.field_size_limit(max(_LONGEST, csv.field_size_limit()))
        with self.path.open(encoding="utf-8-sig", errors="surrogateescape", newline="") as file:
            head = file.readline()
            if _is_other_encoding(head):
                raise InvalidInputError(f"{self.path}: the header {_NOT_UTF8}", value=str(self.path))
            file.seek(0)
            marks = max(("\t", ";", ","), key=head.count)
            names: list[str] | None = None
            for line, cells in records(file, marks):
                if isinstance(cells, str):
                    yield line, LeftOut(f"csv:row/{line}", cells)
                elif names is None:
                    names = cells
                else:
                    yield line, _row(line, names, cells)


def _row(line: int, names: list[str], cells: list[str]) -> dict[str, Any] | LeftOut:
    if _is_other_encoding("".join(cells)):
        return LeftOut(f"csv:row/{line}", f"it {_NOT_UTF8}")
    if len(cells) > len(names):
        return LeftOut(f"csv:row/{line}", "it has more columns than the header")
    return dict(zip_longest(names, cells))


def _is_other_encoding(text: str) -> bool:
    """Say whether bytes of a file could not be read as UTF-8; they stand in its text as lone surrogates."""
    return any("\ud800" <= letter <= "\udfff" for letter in text)


class Jsonl(_Table):
    """A file with an object a line."""

    name = "jsonl"

    def _rows(self) -> Iterator[tuple[int, dict[str, Any] | LeftOut]]:
        return lines_of(self.path)


def _checked(fields: Mapping[str, str] | None) -> dict[str, str]:
    unknown = [part for part in fields or {} if part not in PARTS]
    if unknown:
        raise InvalidInputError(
            f"{unknown[0]!r} is no part of a memory; there are {', '.join(PARTS)}", value=unknown[0]
        )
    if fields and "text" not in fields:
        raise InvalidInputError("the mapping must say which column is the text", value=dict(fields))
    return dict(fields or {})


def _guessed(row: Mapping[str, Any]) -> dict[str, str]:
    """Return which column is what, by their names."""
    names = {str(name).strip().lower(): str(name) for name in row}
    found: dict[str, str] = {part: names[part] for part in PARTS if part in names}
    for part, guesses in GUESSES.items():
        guess = next((names[name] for name in guesses if name in names), None)
        if guess is not None and part not in found and guess not in found.values():
            found[part] = guess
    return found


def _word(value: object) -> str | None:
    text = "" if value is None else str(value).strip()
    return text or None


def _number(value: object) -> object:
    text = _word(value)
    return None if text is None else int(text) if text.isdigit() else text.lower()


def _share(value: object) -> object:
    text = _word(value)
    if text is None:
        return None
    try:
        return float(text)
    except ValueError as error:
        raise InvalidInputError(f"confidence must be a number from 0 to 1, not {text!r}", value=value) from error


def _yes(value: object) -> bool:
    return str(value).strip().lower() in ("1", "true", "yes", "y", "x")
