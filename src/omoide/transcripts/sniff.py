"""What formats are told apart by: the first bytes of a file, and what they hold."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from zipfile import BadZipFile, ZipFile

from omoide.transcripts.archive import ZIP, conversation_members, exported
from omoide.transcripts.jsonl import JsonDict, decoded
from omoide.transcripts.lines import BOM

HEAD = 1 << 18
HEAD_LINES = 50
EDGE = 4096
SQLITE = b"SQLite format 3\x00"


@dataclass(frozen=True, slots=True)
class Sample:
    """The beginning of a file: its bytes, its objects when it holds one a line, its members when it is a ZIP."""

    path: Path
    head: bytes
    whole: bool
    objects: list[JsonDict] = field(default_factory=list)
    members: frozenset[str] = frozenset()
    inner: bytes = b""
    tail: bytes = b""

    @property
    def text(self) -> str:
        """The beginning as text, without a byte order mark."""
        return self.head.removeprefix(BOM).decode("utf-8", "replace")

    @property
    def edges(self) -> str:
        """The first and the last characters, where a document names itself."""
        return self.text[:EDGE] + self.tail.decode("utf-8", "replace")

    @property
    def inner_text(self) -> str:
        """The beginning of the conversations in a ZIP, or of a JSON document; "" for anything else."""
        return self.inner.decode("utf-8", "replace") if self.inner else self.text if self.is_json else ""

    @property
    def is_database(self) -> bool:
        """Whether SQLite wrote it."""
        return self.head.startswith(SQLITE)

    @property
    def is_json(self) -> bool:
        """Whether it begins like a JSON document or a line of JSON."""
        return self.head.removeprefix(BOM).lstrip()[:1] in (b"{", b"[")


def sample_of(path: Path) -> Sample:
    """Return the sample of a file, after at most ``HEAD`` bytes or the end of its first line."""
    with path.open("rb") as file:
        head = file.read(HEAD)
        rest = file.read(1)
        if rest and b"\n" not in head:
            head += rest + file.readline()
        file.seek(max(0, path.stat().st_size - EDGE))
        tail = file.read(EDGE)
    members = _members(path, head)
    return Sample(path, head, not rest, _objects(head), members, _inner(path, members), tail)


def _objects(head: bytes) -> list[JsonDict]:
    values = (decoded(line) for line in head.split(b"\n")[:HEAD_LINES] if line.strip())
    return [value for value in values if isinstance(value, dict)]


def _members(path: Path, head: bytes) -> frozenset[str]:
    if not head.startswith(ZIP):
        return frozenset()
    try:
        with ZipFile(path) as archive:
            return frozenset(archive.namelist())
    except BadZipFile:
        return frozenset()


def _inner(path: Path, members: frozenset[str]) -> bytes:
    if not conversation_members(members):
        return b""
    with exported(path) as file:
        return file.read(HEAD)
