"""Lines of the journal: what each write changed, one JSON object a line, each naming the line before it.

A line is known by its hash. ``prev`` is the line whose state it changes, in whatever log that lies; None for one
that changes an empty store. ``also`` are lines whose content it holds beside that of ``prev``. A snapshot is a
run of lines that gives the whole state: the first says ``"snapshot": "begin"``, the last ``"end"``.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from omoide.errors import StoreVersionError

VERSION: Final = 1
BEGIN, PART, END = "begin", "part", "end"


@dataclass(frozen=True, slots=True)
class Line:
    """One line as it was read; ``body`` holds ``rows`` and ``ids`` until they are needed."""

    hash: str
    number: int
    prev: str | None
    also: tuple[str, ...]
    snapshot: str | None
    writer: str
    body: Mapping[str, Any] = field(repr=False)

    @property
    def rows(self) -> dict[str, Any]:
        """What changed."""
        return dict(self.body.get("rows", {}))

    @property
    def numbers(self) -> dict[str, int]:
        """The highest number given out by each table where that changed."""
        return dict(self.body.get("ids", {}))


def encode(
    number: int, prev: str | None, *, at: str, rows: Mapping[str, Any], numbers: Mapping[str, int],
    also: Sequence[str] = (), snapshot: str | None = None,
) -> bytes:  # fmt: skip
    """Return the bytes of a line, without its end."""
    body: dict[str, Any] = {"omoide": VERSION, "n": number, "prev": prev, "at": at}
    if also:
        body["also"] = list(also)
    if snapshot is not None:
        body["snapshot"] = snapshot
    if numbers:
        body["ids"] = dict(numbers)
    body["rows"] = rows
    return json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode("utf-8")


def decode(data: bytes, writer: str) -> Line:
    """Return a line from its bytes.

    Raises:
        ValueError: it is no line of a journal.
        StoreVersionError: a newer omoide wrote it.
    """
    body = json.loads(data)
    if not isinstance(body, dict) or not isinstance(body.get("n"), int) or not isinstance(body.get("rows"), dict):
        raise ValueError("it is no line of a journal")  # noqa: TRY004  (whatever it is, it is not legal here)
    if body.get("omoide", 0) > VERSION:
        raise StoreVersionError(
            f"the vault's log of {writer} was written by a newer omoide; upgrade omoide to open it", value=writer
        )
    also = tuple(str(each) for each in body.get("also", ()))
    return Line(hash_of(data), body["n"], body.get("prev"), also, body.get("snapshot"), writer, body)


def hash_of(data: bytes) -> str:
    """Return what a line is known by: BLAKE2b-128 of its bytes, in hexadecimal."""
    return hashlib.blake2b(data, digest_size=16).hexdigest()
