"""Which files say which memories, and what this copy of a vault knows about its own state."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import apsw

from omoide.store.sqlite.schema_vault import LOCAL
from omoide.store.sqlite.slices import portions

TURN: Final = "turn"

LINE: Final = "line "
"""Begins the keys under which the lines are kept whose content the database holds."""

_LINES: Final = f"SELECT substr(key, {len(LINE) + 1}) FROM journal WHERE key >= '{LINE}' AND key < '{LINE[:-1]}!'"
_PUT: Final = (
    "INSERT INTO note(uid, path, hash, version) VALUES (?, ?, ?, ?)"
    " ON CONFLICT DO UPDATE SET path = ?2, hash = ?3, version = ?4"
)
SHOWN_AT: Final = "shown_at"
"""The key of the time up to which notes show the piece that holds."""
_NOTE: Final = "SELECT uid, path, hash, version FROM note"
_FORGET: Final = (
    "DELETE FROM note_stat WHERE uid IS NOT NULL"
    " AND NOT EXISTS (SELECT 1 FROM note n WHERE n.path = note_stat.path AND n.hash = note_stat.hash)"
)
_EXPECT: Final = "INSERT OR IGNORE INTO note_stat(path, hash, stat, uid) SELECT path, hash, NULL, uid FROM note"
_SEE: Final = "INSERT OR REPLACE INTO note_stat(path, hash, stat, uid) VALUES (?, ?, ?, ?)"


@dataclass(frozen=True, slots=True)
class NoteRow:
    """The file of a memory: ``path`` relative to the vault with forward slashes, ``hash`` of its bytes.

    ``version`` is the one that the file says, None where that is not known.
    """

    uid: str
    path: str
    hash: bytes
    version: int | None = None


@dataclass(frozen=True, slots=True)
class SeenRow:
    """A file as it was last looked at; ``uid`` is that of the memory it says, None for other notes."""

    path: str
    hash: bytes
    stat: str | None
    uid: str | None


@dataclass(frozen=True, slots=True)
class HeldRow:
    """A file that is left alone, and why: ``code`` is one word, ``reason`` a sentence."""

    path: str
    code: str
    reason: str
    stat: str | None
    at: int


class Notes:
    """Reads and writes the tables about files. ``note`` rows are part of the truth, the others are local."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection

    # -- which file says a memory ------------------------------------------------------------------------

    def of(self, uid: str) -> NoteRow | None:
        """Return the file of a memory, or None."""
        row: Any = self._connection.execute(f"{_NOTE} WHERE uid = ?", (uid,)).fetchone()
        return None if row is None else NoteRow(*row)

    def many(self, uids: Sequence[str]) -> dict[str, NoteRow]:
        """Return the files of some memories, by uid."""
        found: dict[str, NoteRow] = {}
        for marks, some in portions(list(uids)):
            rows: Any = self._connection.execute(f"{_NOTE} WHERE uid IN ({marks})", some)
            found |= {row[0]: NoteRow(*row) for row in rows}
        return found

    def of_memories(self, ids: Sequence[int]) -> dict[int, str]:
        """Return the paths of the files of some memories, by id."""
        found: dict[int, str] = {}
        for marks, some in portions(list(ids)):
            rows: Any = self._connection.execute(
                f"SELECT m.id, n.path FROM memory m JOIN note n ON n.uid = m.uid WHERE m.id IN ({marks})", some
            )
            found |= dict(rows)
        return found

    def at(self, path: str) -> NoteRow | None:
        """Return the memory that a file says, or None."""
        row: Any = self._connection.execute(f"{_NOTE} WHERE path = ?", (path,)).fetchone()
        return None if row is None else NoteRow(*row)

    def beginning(self, path: str) -> list[NoteRow]:
        """Return the memories whose files have a path that begins like this."""
        rows: Any = self._connection.execute(f"{_NOTE} WHERE path >= ? AND path < ?", (path, f"{path}\U0010ffff"))
        return [NoteRow(*row) for row in rows]

    def all(self) -> Iterator[NoteRow]:
        """Yield every memory that has a file."""
        rows: Any = self._connection.execute(_NOTE)
        for row in rows:
            yield NoteRow(*row)

    def put(self, uid: str, path: str, hash: bytes, version: int | None = None) -> None:
        """Record the file of a memory, and which version it says."""
        self._connection.execute(_PUT, (uid, path, hash, version))

    def drop(self, uid: str) -> None:
        """Forget that a memory has a file."""
        self._connection.execute("DELETE FROM note WHERE uid = ?", (uid,))

    def due(self, now: int) -> list[int]:
        """Return the memories of which another piece holds since this was last asked, and take note of the time."""
        since = int(self.get(SHOWN_AT) or 0)
        self.set(SHOWN_AT, now)
        rows: Any = self._connection.execute(
            "SELECT DISTINCT memory_id FROM version WHERE known_to IS NULL AND valid_from > known_from"
            " AND valid_from > ? AND valid_from <= ?",
            (since, now),
        )
        return [row[0] for row in rows]

    # -- files as they were last looked at ---------------------------------------------------------------

    def seen(self) -> Iterator[SeenRow]:
        """Yield every file that was looked at."""
        rows: Any = self._connection.execute("SELECT path, hash, stat, uid FROM note_stat")
        for row in rows:
            yield SeenRow(*row)

    def see(self, rows: Iterable[SeenRow]) -> None:
        """Record how files look."""
        self._turn()
        self._connection.executemany(_SEE, [(row.path, row.hash, row.stat, row.uid) for row in rows])

    def expect(self) -> None:
        """What was seen of the files of memories is what the truth says of them; each is to be read again."""
        self._turn()
        self._connection.execute(_FORGET)
        self._connection.execute(_EXPECT)

    def unsee(self, paths: Iterable[str]) -> None:
        """Forget that there were files."""
        self._turn()
        self._connection.executemany("DELETE FROM note_stat WHERE path = ?", [(path,) for path in paths])

    @property
    def turn(self) -> int:
        """A number that is another one whenever what was seen of files changed."""
        return int(self.get(TURN) or 0)

    def _turn(self) -> None:
        self.set(TURN, self.turn + 1)

    # -- files that are left alone -----------------------------------------------------------------------

    def held(self) -> list[HeldRow]:
        """Return the files in quarantine, by path."""
        rows: Any = self._connection.execute("SELECT path, code, reason, stat, at FROM quarantine ORDER BY path")
        return [HeldRow(*row) for row in rows]

    def hold(self, row: HeldRow) -> None:
        """Put a file into quarantine."""
        self._turn()
        self._connection.execute(
            "INSERT OR REPLACE INTO quarantine(path, code, reason, stat, at) VALUES (?, ?, ?, ?, ?)",
            (row.path, row.code, row.reason, row.stat, row.at),
        )

    def release(self, paths: Iterable[str]) -> None:
        """Let files out of quarantine."""
        self._turn()
        self._connection.executemany("DELETE FROM quarantine WHERE path = ?", [(path,) for path in paths])

    def look_again_at(self, path: str) -> None:
        """Let a file out of quarantine whose memory changed: what was refused before may be taken now."""
        if self._connection.execute("SELECT 1 FROM quarantine WHERE path = ?", (path,)).fetchone() is not None:
            self.release([path])

    # -- what this copy knows about itself ---------------------------------------------------------------

    def get(self, key: str) -> Any:
        """Return what is kept under a key, or None."""
        row: Any = self._connection.execute("SELECT value FROM journal WHERE key = ?", (key,)).fetchone()
        return None if row is None else row[0]

    def set(self, key: str, value: str | int | None) -> None:
        """Keep something under a key."""
        self._connection.execute("INSERT OR REPLACE INTO journal(key, value) VALUES (?, ?)", (key, value))

    def set_many(self, pairs: Iterable[tuple[str, str | int | None]]) -> None:
        """Keep many things."""
        self._connection.executemany("INSERT OR REPLACE INTO journal(key, value) VALUES (?, ?)", list(pairs))

    # -- what still has to reach the folder --------------------------------------------------------------

    def post(self, line: int, data: bytes, files: bytes) -> None:
        """Put a line of the journal and the files that belong to it into the outbox."""
        self._connection.execute("INSERT INTO outbox(line, data, files) VALUES (?, ?, ?)", (line, data, files))

    def posted(self) -> list[tuple[int, bytes, bytes]]:
        """Return (line number, line, files) of what is in the outbox, in order."""
        rows: Any = self._connection.execute("SELECT line, data, files FROM outbox ORDER BY line")
        return [tuple(row) for row in rows]

    def delivered(self) -> None:
        """Empty the outbox."""
        self._connection.execute("DELETE FROM outbox")

    def reset(self) -> None:
        """Forget everything about the folder."""
        for table in ("note", *LOCAL):
            self._connection.execute(f"DELETE FROM {table}")

    # -- lines of the journal that this copy holds -------------------------------------------------------

    def lines(self) -> list[str]:
        """Return the hashes of all lines whose content the database holds."""
        rows: Any = self._connection.execute(_LINES)
        return [row[0] for row in rows]
