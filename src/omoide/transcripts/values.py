"""What a transcript is made of: records, the place to go on from, and what is known of a session."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from omoide.errors import InvalidInputError
from omoide.model.time import Micros

Kind = Literal["turn", "event", "raw", "broken"]


@dataclass(frozen=True, slots=True)
class Position:
    """Where reading goes on: ``offset`` after the last record, which began at ``last`` and had this digest.

    In files both numbers are bytes, in databases row numbers. A reader compares the digest before it goes on, so
    that a file that was cut or rewritten is read again from its start.
    """

    offset: int = 0
    last: int = 0
    digest: str = ""

    def encode(self) -> str:
        """Return one line of text that ``decode`` reads."""
        return f"{self.offset}:{self.last}:{self.digest}"

    @staticmethod
    def decode(text: str) -> Position:
        """Return the position that ``encode`` wrote.

        Raises:
            InvalidInputError: not such a text.
        """
        offset, _, rest = text.partition(":")
        last, _, digest = rest.partition(":")
        if not (offset.isdecimal() and last.isdecimal()):
            raise InvalidInputError(f"not a position in a transcript: {text!r}", value=text)
        return Position(int(offset), int(last), digest)


START = Position()
_RAW_KEY = "sha256:"
TEXT_KEY = "text:"
"""What a key begins with that stands for the words of a record, whatever white space ends its lines."""


@dataclass(frozen=True, slots=True)
class Record:
    """One line, message or row of a transcript.

    ``kind``: a "turn" is what somebody or a tool said and is searchable; an "event" is understood but not
    conversation (thinking, progress, snapshots, summaries); "raw" is of a type that the reader does not know;
    "broken" does not parse. ``type`` is the host's own name for it, for counts. ``position`` is unique in its file.
    ``after`` is where reading goes on once this record is stored. ``key`` is the host's id, else a digest of the
    bytes; it may repeat: in a file that is read again, the n-th record with a key is the n-th one known.
    ``raw`` is exact, without the line's end. ``role`` is user, assistant, tool or system.
    """

    kind: Kind
    type: str
    position: int
    end: int
    raw: bytes
    key: str
    after: Position
    role: str = ""
    text: str = ""
    at: Micros | None = None
    parent: str | None = None
    tool: str | None = None
    note: str = ""
    session: str | None = None


@dataclass(frozen=True, slots=True)
class Reading:
    """What a format makes of one line, before it is placed."""

    kind: Kind
    type: str
    role: str = ""
    text: str = ""
    at: Micros | None = None
    key: str | None = None
    parent: str | None = None
    tool: str | None = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class Session:
    """What a transcript says of a session; ``project`` is the folder it worked in, ``parent`` who started it.

    ``by_file``: nothing in the transcript names it, so that ``name`` is what its file happens to be called.
    """

    host: str
    name: str
    project: str | None = None
    branch: str | None = None
    title: str | None = None
    started: Micros | None = None
    parent: str | None = None
    version: str | None = None
    extra: dict[str, str] = field(default_factory=dict)
    by_file: bool = False


def digest_of(raw: bytes) -> str:
    """Return 32 hexadecimal digits that tell bytes apart."""
    return hashlib.sha256(raw).hexdigest()[:32]


def token_of(key: str, digest: bytes) -> str:
    """Return what tells a turn apart: its key when that is made of what was said, else with the digest of its text."""
    return key if key.startswith((TEXT_KEY, _RAW_KEY)) else f"{key} {digest.hex()}"


def place(reading: Reading, raw: bytes, start: int, end: int, session: str | None = None) -> Record:
    """Return the record of a reading that occupies ``[start, end)`` alone."""
    digest = digest_of(raw)
    return Record(
        reading.kind, reading.type, start, end, raw, reading.key or f"{_RAW_KEY}{digest}", Position(end, start, digest),
        reading.role, reading.text, reading.at, reading.parent, reading.tool, reading.note, session,
    )  # fmt: skip


def place_all(
    readings: Sequence[tuple[Reading, bytes]], whole: bytes, start: int, end: int, before: Position, session: str | None
) -> Iterator[Record]:
    """Yield the records of one unit of ``[start, end)`` that holds several, each with its own bytes.

    They stand at ``start``, ``start + 1`` and so on; reading goes on after the unit once its last record is stored,
    else from ``before``.
    """
    for index, (reading, raw) in enumerate(readings):
        alone = place(reading, raw, start + index, start + index + 1, session)
        if index < len(readings) - 1:
            yield replace(alone, after=before)
        else:
            yield replace(alone, end=end, after=Position(end, start, digest_of(whole)))
