"""The records of sessions as their hosts wrote them: for each session and writer a file of JSON lines that zcat reads.

A line of the log names a record by its file and its hash, so that it does not matter where in the file it stands.
Records that are no JSON object of one line are there as a JSON string, bytes that are no UTF-8 as a list with base64.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import io
import json
import os
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeAlias

from omoide.model.time import to_datetime
from omoide.store.sqlite.transaction import Read
from omoide.store.sqlite.transfer.backup import flush_folder
from omoide.store.sqlite.transfer.changes import Rows
from omoide.vault import layout, outbox
from omoide.vault.files import HIDDEN
from omoide.vault.pen import cannot_write
from omoide.vault.place import LOCAL

FOLDER: Final = "archive/sessions"
SUFFIX: Final = ".jsonl.gz"
_MEMBER: Final = b"\x1f\x8b\x08"
_ATTRIBUTES: Final = f"# Written by omoide. Each copy of the vault writes files of its own.\n*{SUFFIX} binary\n"
_SESSION_OF: Final = "SELECT session_id FROM turn WHERE turn_id = ?"

Values: TypeAlias = dict[str, Any]
"""The columns of a turn, as a line of the log has them."""


@dataclass(frozen=True, slots=True)
class Addition:
    """Compressed lines for the end of a file, which is ``at`` bytes long without them; at 0 they are the whole file."""

    path: str
    at: int
    data: bytes


class Packer:
    """Takes the records out of changes. ``whole``: what is taken is everything, and replaces the files of before.

    ``awaited``: the names of records that are still to come, by their turns.
    """

    def __init__(
        self, tx: Read, root: Path, writer: str, *, whole: bool = False, awaited: Mapping[int, Any] | None = None
    ) -> None:
        self._tx, self._root, self._writer, self._whole = tx, root, writer, whole
        self._awaited = awaited or {}
        self._paths: dict[int, str] = {}
        self._lines: dict[str, list[bytes]] = {}

    def take(self, rows: Rows) -> Rows:
        """Return changes with the names of records in the place of the records."""
        return _of_turns(rows, lambda row: self._named(row, row["session_id"]), self._changed)

    def additions(self) -> list[Addition]:
        """Return what the files get."""
        return [
            Addition(path, self._size(path), gzip.compress(b"".join(lines), 6, mtime=0))
            for path, lines in self._lines.items()
        ]

    def _changed(self, turn: int, values: Values) -> Values:
        if not isinstance(values.get("raw"), dict):
            return values
        found: Any = self._tx.connection.execute(_SESSION_OF, (turn,)).fetchone()
        return values if found is None else self._named(values, int(found[0]))

    def _named(self, values: Values, session: int) -> Values:
        raw = values.get("raw")
        path = self._path(session) if isinstance(raw, dict) else None
        if raw is None and values.get("turn_id") in self._awaited:
            return {**values, "raw": self._awaited[values["turn_id"]]}
        if raw is None or path is None:
            return values
        try:
            record = zlib.decompress(base64.b64decode(raw["b"]))
        except zlib.error:  # a damaged row stays as it is
            return values
        self._lines.setdefault(path, []).append(line_of(record) + b"\n")
        return {**values, "raw": {"in": path, "is": _name(record)}}

    def _path(self, session: int) -> str | None:
        if session not in self._paths:
            row = self._tx.sessions.get(session)
            if row is None:
                return None
            day = to_datetime(row.started_at or row.added_at).strftime("%Y-%m-%d")
            stem = "-".join(part for part in (day, layout.slug(row.name), row.uid[-4:]) if part)
            self._paths[session] = f"{day[:7]}/{stem}.{self._writer}{SUFFIX}"
        return self._paths[session]

    def _size(self, path: str) -> int:
        try:
            return 0 if self._whole else (self._root / FOLDER / path).stat().st_size
        except FileNotFoundError:
            return 0


class Shelf:
    """Finds records by their names. ``missing``: those that are not there, with their turns."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._files: dict[str, dict[str, bytes]] = {}
        self.missing: list[tuple[int, dict[str, str]]] = []

    def fill(self, rows: Rows) -> Rows:
        """Return changes with records in the place of their names; without those that are missing."""
        return _of_turns(rows, lambda row: self._filled(row["turn_id"], row), self._filled)

    def find(self, name: Mapping[str, str]) -> bytes | None:
        """Return a record as the database holds it, None where it is not there."""
        path = str(name.get("in"))
        if path not in self._files:
            records = read(self._root / FOLDER / path) if _is_inside(path) else ()
            self._files[path] = {_name(record): zlib.compress(record, 6) for record in records}
        return self._files[path].get(str(name.get("is")))

    def _filled(self, turn: int, values: Values) -> Values:
        name = values.get("raw")
        if not isinstance(name, dict) or "is" not in name:
            return values
        found = self.find(name)
        if found is None:
            self.missing.append((turn, name))
            return {key: value for key, value in values.items() if key != "raw"}
        return {**values, "raw": found}

    def problems(self) -> list[str]:
        """Return what is missing, one text a file."""
        count = Counter(str(name.get("in")) for _, name in self.missing)
        return [f"{FOLDER}/{path} lacks {number} records of its session" for path, number in sorted(count.items())]


def _of_turns(rows: Rows, added: Callable[[Values], Values], changed: Callable[[int, Values], Values]) -> Rows:
    """Return changes with other values for the turns that were added, and, by their numbers, for those changed."""
    turns = rows.get("turn")
    if turns is None:
        return rows
    made = dict(turns)
    if "+" in turns:
        made["+"] = [added(row) for row in turns["+"]]
    if "~" in turns:
        made["~"] = [[key, changed(key[0], values)] for key, values in turns["~"]]
    return {**rows, "turn": made}


def carry_out(root: Path, additions: Sequence[Addition]) -> None:
    """Write additions; they are on the disk when this returns. What is there already is written over by the same.

    Raises:
        StoreFullError, StoreError: a file cannot be written; what is in the outbox is tried again at the next write.
    """
    attributes = root / FOLDER / ".gitattributes"
    for each in additions:
        file = root / FOLDER / each.path
        try:
            _write(root, file, each)
            if not attributes.exists():
                attributes.write_text(_ATTRIBUTES, encoding="utf-8", newline="\n")
        except OSError as error:
            raise cannot_write(file, error) from error


def _write(root: Path, file: Path, each: Addition) -> None:
    fresh = not file.exists()
    if fresh or each.at == 0:
        outbox.replace(file, each.data, through=root / HIDDEN / LOCAL)
    with file.open("r+b") as opened:
        if not fresh and each.at:
            opened.seek(min(each.at, opened.seek(0, os.SEEK_END)))
            opened.write(each.data)
            opened.flush()
        os.fsync(opened.fileno())
    if fresh:
        flush_folder(file.parent)


def packed(additions: Sequence[Addition]) -> list[dict[str, Any]]:
    """Return additions as values for the outbox."""
    return [
        {"archive": each.path, "at": each.at, "data": base64.b64encode(each.data).decode("ascii")} for each in additions
    ]


def unpacked(data: bytes) -> list[Addition]:
    """Return the additions of an entry of the outbox."""
    return [
        Addition(item["archive"], item["at"], base64.b64decode(item["data"]))
        for item in json.loads(data)
        if "archive" in item
    ]


def files(root: Path) -> list[Path]:
    """Return every file of the archive."""
    return sorted(file for file in (root / FOLDER).glob(f"*/*{SUFFIX}") if file.is_file())


def paths_of(root: Path, writer: str) -> set[str]:
    """Return the files of one writer, by their paths below the folder of the archive."""
    return {file.relative_to(root / FOLDER).as_posix() for file in files(root) if f".{writer}{SUFFIX}" in file.name}


def remove(root: Path, path: str) -> None:
    """Delete a file by its path below the folder of the archive."""
    if _is_inside(path):
        (root / FOLDER / path).unlink(missing_ok=True)
        with suppress(OSError):  # not empty
            (root / FOLDER / path).parent.rmdir()


def names_in(root: Path, path: str) -> set[str]:
    """Return the names of the records in a file, as far as it can be read."""
    return {_name(record) for record in read(root / FOLDER / path)} if _is_inside(path) else set()


def names_of(data: bytes) -> set[str]:
    """Return the names of the records in compressed lines."""
    return {_name(record) for record in _records(data)}


def read(file: Path) -> Iterator[bytes]:
    """Yield the records of a file, as far as they can be read; one that is not there has none."""
    yield from _records(outbox.read(file) or b"")


def _records(data: bytes) -> Iterator[bytes]:
    for line in _unzipped(data).split(b"\n"):
        record = record_of(line)
        if record is not None:
            yield record


def _unzipped(data: bytes) -> bytes:
    try:
        return gzip.GzipFile(fileobj=io.BytesIO(data)).read()
    except (OSError, EOFError, zlib.error):
        return b"\n".join(_pieces(data))


def _pieces(data: bytes) -> Iterator[bytes]:
    """Yield what can be read of a file that a crash tore, or another program wrote into."""
    at = data.find(_MEMBER)
    while at >= 0:
        member, end = zlib.decompressobj(wbits=31), at + 1
        with suppress(zlib.error):
            yield member.decompress(data[at:])
            if member.eof:
                end = len(data) - len(member.unused_data)
        at = data.find(_MEMBER, end)


def line_of(record: bytes) -> bytes:
    """Return a record as a line of JSON, without its end."""
    if record.startswith(b"{") and b"\n" not in record:
        with suppress(ValueError, RecursionError):
            json.loads(record)
            return record
    try:
        return json.dumps(record.decode("utf-8"), ensure_ascii=False).encode("utf-8")
    except UnicodeDecodeError:
        return json.dumps([base64.b64encode(record).decode("ascii")]).encode("ascii")


def record_of(line: bytes) -> bytes | None:
    """Return the record that a line says, None where it says none."""
    if line.startswith(b"{"):
        return line
    with suppress(ValueError, KeyError, IndexError, TypeError, RecursionError):
        value = json.loads(line)
        return value.encode("utf-8") if isinstance(value, str) else base64.b64decode(value[0])
    return None


def _name(record: bytes) -> str:
    return hashlib.blake2b(record, digest_size=8).hexdigest()


def _is_inside(path: str) -> bool:
    month, _, name = path.partition("/")
    return bool(month.strip(".")) and name.endswith(SUFFIX) and not set("/\\:") & set(month + name)
