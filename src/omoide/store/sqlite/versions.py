"""Version rows: written once, closed once, read back as values."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from operator import itemgetter
from typing import Any, Final

import apsw

from omoide.model.chain import closing_seal, opening_seal
from omoide.model.kinds import importance_value
from omoide.model.records import Claim, Row, State, canonical
from omoide.model.time import FOREVER, Micros
from omoide.store.sqlite.aliases import Aliases
from omoide.store.sqlite.inserting import insert
from omoide.store.sqlite.memories import STATE, state_of
from omoide.store.sqlite.namespaces import Namespaces
from omoide.store.sqlite.slices import portions
from omoide.text.lookalikes import name_key

FIELDS: Final = (
    "v.version_id, v.memory_id, v.ns, v.ord, (SELECT text FROM content WHERE content_id = v.content_id),"
    " v.valid_from, v.valid_to, v.known_from, v.known_to,"
    " v.abstract, v.subject, v.predicate, v.kind, v.tags, v.importance, v.confidence, v.basis, v.metadata,"
    " v.source, v.trust, v.project, v.cites, v.triggers, v.actor, v.door, v.observed_at, v.batch, v.cause,"
    " v.opened_by, v.closed_by, v.closed_cause, v.origin, v.importance_name, v.gist"
)
SELECT: Final = f"SELECT {FIELDS} FROM version v"
_WITH_STATE: Final = f"SELECT {FIELDS}, {STATE} FROM version v CROSS JOIN memory m ON m.id = v.memory_id"
_WIDTH: Final = 34

_COLUMNS: Final = (
    "version_id, memory_id, ns, ord, content_id, valid_from, valid_to, known_from, known_to, abstract, subject,"
    " about, predicate, kind, tags, importance, confidence, basis, metadata, source, trust, project, cites, triggers,"
    " actor, door, observed_at, batch, cause, opened_by, same, gist, origin, importance_name, salt"
)
# Derived from the rest, or changed later on: not what the audit chain vouches for.
_UNSEALED: Final = frozenset(
    ("version_id", "memory_id", "ord", "content_id", "known_to", "about", "same", "gist", "salt")
)
_NAMES: Final = _COLUMNS.replace(",", "").split()
_SEALED: Final = [name for name in _NAMES if name not in _UNSEALED]
_pick_sealed: Final = itemgetter(*map(_NAMES.index, _SEALED))
_SALT: Final = 16
_TWINS: Final = 64
"""How many versions with the same words are looked at, so that a write costs the same in every store."""
_PROPERTIES: Final = 256
_PREDICATES: Final = (
    "WITH RECURSIVE said(predicate) AS (SELECT min(predicate) FROM version WHERE ns = ?1 AND about = ?2"
    " AND predicate > '' UNION ALL SELECT (SELECT min(predicate) FROM version WHERE ns = ?1 AND about = ?2"
    " AND predicate > said.predicate) FROM said WHERE said.predicate IS NOT NULL LIMIT ?3)"
    " SELECT predicate FROM said WHERE predicate IS NOT NULL"
)
SEALED_ROWS: Final = (
    f"SELECT v.opened_by, v.memory_id, v.version_id, v.salt, c.text, {', '.join('v.' + name for name in _SEALED)},"
    " m.uid, m.created_at FROM version v LEFT JOIN content c ON c.content_id = v.content_id"
    " LEFT JOIN memory m ON m.id = v.memory_id ORDER BY v.opened_by, v.version_id"
)
"""Every version as (event, memory, version, salt, text, what else is sealed ...), in the order of events."""
Born = tuple[str, Micros]
"""The uid of a memory and when it was made, which each seal of its versions covers."""

_INSERT: Final = f"INSERT INTO version({_COLUMNS}) VALUES ({','.join('?' * (_COLUMNS.count(',') + 1))})"
_MAY_KNOW: Final = (
    "SELECT 1 FROM version WHERE same = ? UNION ALL SELECT 1 FROM rejection WHERE ns = ? AND lifted_at IS NULL LIMIT 1"
)


class Versions:
    """Reads and writes the ``version`` table."""

    def __init__(self, connection: apsw.Connection, namespaces: Namespaces) -> None:
        self._connection = connection
        self._namespaces = namespaces

    def insert(self, row: Row, *, ns: int, content_id: int, same: bytes, gist: bytes | None, born: Born) -> bytes:
        """Write ``row`` as it is, its number included; return its seal."""
        values = self._values(row, ns, content_id, same, gist)
        self._connection.execute(_INSERT, values)
        return _seal(row, values, born)

    def insert_many(self, ns: int, rows: Sequence[tuple[Row, int, bytes, bytes | None, Born]]) -> bytes:
        """Write many (row, content, same, gist, its memory) of one namespace; return their seals."""
        values = [self._values(row, ns, content_id, same, gist) for row, content_id, same, gist, _ in rows]
        insert(self._connection, f"version({_COLUMNS})", values)
        return b"".join(_seal(row[0], its, row[4]) for row, its in zip(rows, values, strict=True))

    def may_know(self, key: bytes, ns: int) -> bool:
        """Say whether any version, open or closed, has this value key, or the namespace rejects any value."""
        return self._connection.execute(_MAY_KNOW, (key, ns)).fetchone() is not None

    def known_among(self, keys: Sequence[bytes]) -> set[bytes]:
        """Return those value keys that any version, open or closed, has."""
        return {
            row[0]
            for marks, some in portions(keys)
            for row in self._connection.execute(f"SELECT same FROM version WHERE same IN ({marks})", some)
        }

    @staticmethod
    def _values(row: Row, ns: int, content_id: int, same: bytes, gist: bytes | None) -> tuple[Any, ...]:
        claim = row.claim
        return (
            row.version_id, row.memory_id, ns, row.ord, content_id, row.valid_from, _open(row.valid_to),
            row.known_from, _open(row.known_to), claim.abstract, claim.subject, _about(claim),
            claim.predicate, claim.kind,
            _list(claim.tags), importance_value(claim.importance), claim.confidence, claim.basis,
            _object(claim.metadata), claim.source, claim.trust, claim.project, _list(claim.cites),
            _list(claim.triggers), row.actor, row.door, row.observed_at, row.batch, row.cause, row.opened_by, same,
            gist, _object(row.origin) if row.origin else None,
            claim.importance if isinstance(claim.importance, str) else None, os.urandom(_SALT),
        )  # fmt: skip

    def next_id(self) -> int:
        """Return the number the next version gets; numbers are never used again."""
        row = self._connection.execute("SELECT seq FROM sqlite_sequence WHERE name = 'version'").fetchone()
        return 1 if row is None else int(row[0]) + 1

    def close(self, row: Row, at: Micros, event: int, cause: str) -> bytes:
        """End a version in known time, the only change it ever sees; return the seal of that."""
        self._connection.execute(
            "UPDATE version SET known_to = ?, closed_by = ?, closed_cause = ? WHERE version_id = ?",
            (at, event, cause, row.version_id),
        )
        return closing_seal(row.memory_id, row.version_id, at, cause)

    @staticmethod
    def ending(memory_id: int, version_id: int, at: Micros, cause: str) -> bytes:
        """Return the seal of the end of a version that was written as ended."""
        return closing_seal(memory_id, version_id, at, cause)

    def of_memory(self, memory_id: int, *, only_open: bool = False) -> list[Row]:
        """Return the versions of a memory in the order they became known."""
        extra = " AND v.known_to IS NULL" if only_open else ""
        rows = self._connection.execute(
            f"{SELECT} WHERE v.memory_id = ?{extra} ORDER BY v.known_from, v.version_id", (memory_id,)
        )
        return [self._row(row) for row in rows]

    def by_ids(self, version_ids: Sequence[int]) -> dict[int, Row]:
        """Return versions by number."""
        return {
            row[0]: self._row(row)
            for marks, ids in portions(version_ids)
            for row in self._connection.execute(f"{SELECT} WHERE v.version_id IN ({marks})", ids)
        }

    def told_by(self, ns: int, source: str) -> list[Row]:
        """Return the open versions of a namespace whose source is exactly this, oldest first."""
        return self.decode(
            self._connection.execute(
                f"{SELECT} WHERE v.source = ? AND v.ns = ? AND v.known_to IS NULL ORDER BY v.version_id", (source, ns)
            )
        )

    def with_states(self, version_ids: Sequence[int]) -> dict[int, tuple[Row, State]]:
        """Return versions by number, each with the state of its memory."""
        return {
            row[0]: (self._row(row), state_of(row[_WIDTH:], self._namespaces))
            for marks, ids in portions(version_ids)
            for row in self._connection.execute(f"{_WITH_STATE} WHERE v.version_id IN ({marks})", ids)
        }

    def same(self, key: bytes) -> list[Row]:
        """Return every version, open or closed, that says the same thing in the same scope."""
        return [self._row(row) for row in self._connection.execute(f"{SELECT} WHERE v.same = ?", (key,))]

    def opened_by(self, event: int, ns: int) -> list[Row]:
        """Return the versions that one event wrote in a namespace."""
        return self.decode(
            self._connection.execute(f"{SELECT} WHERE v.opened_by = ? AND v.ns = ? ORDER BY v.version_id", (event, ns))
        )

    def about(self, ns: int, names: Sequence[str], predicate: str, start: Micros, end: Micros, limit: int) -> list[Row]:
        """Return open versions about a subject and predicate whose valid interval overlaps ``[start, end)``.

        ``names``: every name of the subject, as ``Aliases.names`` gives them. The case of a predicate does not count.
        """
        said = self._spellings(ns, names, predicate)
        return self.decode(
            self._connection.execute(
                f"{SELECT} WHERE v.ns = ? AND v.about IN ({_marks(names)}) AND v.predicate IN ({_marks(said)})"
                " AND v.known_to IS NULL AND v.valid_from < ? AND (v.valid_to IS NULL OR v.valid_to > ?) LIMIT ?",
                (ns, *names, *said, end, start, limit),
            )
        )

    def _spellings(self, ns: int, names: Sequence[str], predicate: str) -> list[str]:
        """Return the forms of a predicate among the first predicates of a subject: one look at an index for each."""
        key = name_key(predicate)
        rows = [row for name in names for row in self._connection.execute(_PREDICATES, (ns, name, _PROPERTIES))]
        return sorted({predicate, *(said for (said,) in rows if name_key(said) == key)})

    def of_subject(self, ns: int, names: Sequence[str]) -> list[Row]:
        """Return every version, open or closed, about a subject that has these names."""
        return self.decode(
            self._connection.execute(f"{SELECT} WHERE v.ns = ? AND v.about IN ({_marks(names)})", (ns, *names))
        )

    def predicates(self, ns: int) -> list[str]:
        """Return every predicate of what is believed about a subject, as it was written."""
        rows = self._connection.execute(
            "SELECT DISTINCT predicate FROM version"
            " WHERE ns = ? AND about IS NOT NULL AND predicate IS NOT NULL AND known_to IS NULL ORDER BY predicate",
            (ns,),
        )
        return [row[0] for row in rows]

    def valued(self, ns: int, spellings: Sequence[str]) -> list[tuple[str, int, Micros, Micros, str]]:
        """Return (name key of the subject, memory, valid from, valid to, text) of open values of a predicate."""
        rows = self._connection.execute(
            "SELECT v.about, v.memory_id, v.valid_from, v.valid_to, c.text FROM version v"
            " JOIN content c ON c.content_id = v.content_id"
            f" WHERE v.ns = ? AND v.about IS NOT NULL AND v.predicate IN ({_marks(spellings)})"
            " AND v.known_to IS NULL ORDER BY v.version_id",
            (ns, *spellings),
        )
        return [(row[0], row[1], row[2], _end(row[3]), row[4]) for row in rows]

    def with_gist(self, ns: int, gist: bytes, names: Sequence[str], limit: int) -> list[int]:
        """Return memories that are believed, have the same content words and speak of the subject or of none.

        ``names``: every name of the subject; without any, memories about whatever subject.
        """
        # The plus keeps SQLite from walking a namespace by the index of what is shown.
        rows = self._connection.execute(
            "SELECT DISTINCT memory_id FROM (SELECT memory_id, about FROM version"
            " WHERE gist = ? AND known_to IS NULL AND +ns = ? LIMIT ?)"
            f" WHERE ? OR about IS NULL OR about IN ({_marks(names)}) LIMIT ?",
            (gist, ns, _TWINS, not names, *names, limit),
        )
        return [row[0] for row in rows]

    def memories_with(self, ns: int, column: str, value: str) -> list[int]:
        """Return the memories of which any version, open or closed, has a value in ``source`` or ``subject``."""
        assert column in ("source", "subject")
        if column == "subject":
            return sorted({row.memory_id for row in self.of_subject(ns, Aliases(self._connection).names(ns, value))})
        rows = self._connection.execute(
            "SELECT DISTINCT memory_id FROM version WHERE ns = ? AND source IS NOT NULL AND trim(source) = ?",
            (ns, value),
        )
        return [row[0] for row in rows]

    def delete_of(self, memory_id: int) -> list[int]:
        """Erase the versions of a memory; return the texts they referred to."""
        rows = self._connection.execute("SELECT DISTINCT content_id FROM version WHERE memory_id = ?", (memory_id,))
        contents = [row[0] for row in rows]
        self._connection.execute("DELETE FROM version WHERE memory_id = ?", (memory_id,))
        return contents

    def decode(self, rows: Iterable[Sequence[Any]]) -> list[Row]:
        """Return rows of ``FIELDS`` as values."""
        return [self._row(row) for row in rows]

    def _row(self, row: Sequence[Any]) -> Row:
        claim = Claim(
            text=row[4], abstract=row[9], subject=row[10], predicate=row[11], kind=row[12], tags=_tuple(row[13]),
            importance=row[32] or row[14], confidence=row[15], basis=row[16], metadata=_dict(row[17]), source=row[18],
            trust=row[19], project=row[20], cites=_tuple(row[21]), triggers=_tuple(row[22]),
        )  # fmt: skip
        return Row(
            version_id=row[0], memory_id=row[1], namespace=self._namespaces.name(row[2]), ord=row[3], claim=claim,
            valid_from=row[5], valid_to=_end(row[6]), known_from=row[7], known_to=_end(row[8]), actor=row[23],
            door=row[24], observed_at=row[25], batch=row[26], cause=row[27], opened_by=row[28], closed_by=row[29],
            closed_cause=row[30], origin=_dict(row[31]) if row[31] else None, gist=row[33],
        )  # fmt: skip


def _seal(row: Row, values: tuple[Any, ...], born: Born) -> bytes:
    return opening_seal(row.memory_id, row.version_id, values[-1], row.claim.text, (*_pick_sealed(values), *born))


def _about(claim: Claim) -> str | None:
    return None if claim.subject is None else name_key(claim.subject)


def _open(moment: Micros) -> Micros | None:
    return None if moment == FOREVER else moment


def _marks(values: Sequence[object]) -> str:
    return ",".join("?" * len(values))


def _end(moment: Micros | None) -> Micros:
    return FOREVER if moment is None else moment


def _list(items: Sequence[str]) -> str | None:
    return canonical(list(items)) if items else None


def _object(value: Mapping[str, Any]) -> str | None:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False) if value else None


def _tuple(text: str | None) -> tuple[str, ...]:
    return tuple(json.loads(text)) if text else ()


def _dict(text: str | None) -> dict[str, Any]:
    return dict(json.loads(text)) if text else {}
