"""Versions straight from the file, for answers that hold very many of them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from itertools import repeat
from operator import call
from typing import Any, Final

import apsw

from omoide.model.time import to_datetime
from omoide.store.sqlite.namespaces import Namespaces
from omoide.store.sqlite.slices import portions
from omoide.types import Provenance, Version

MEMORY: Final = 1
"""Where a raw row has its memory."""
TEXT: Final = 2
START: Final = 3
END: Final = 4
KNOWN_FROM: Final = 5
KNOWN_TO: Final = 6
CAUSE: Final = 9
SUBJECT: Final = 10
TRUST: Final = 17
OPENED: Final = 23
CLOSED: Final = 24
CLOSED_CAUSE: Final = 25

_FIELDS: Final = (
    "v.version_id, v.memory_id, c.text, v.valid_from, v.valid_to, v.known_from, v.known_to, v.confidence, v.source,"
    " v.cause, v.subject, v.predicate, v.kind, ifnull(v.importance_name, v.importance), v.abstract, v.project, v.basis,"
    " v.trust, v.actor, v.door, v.observed_at, v.batch, v.ns, v.opened_by, v.closed_by, v.closed_cause,"
    " CASE WHEN coalesce(v.tags, v.metadata, v.cites, v.triggers, v.origin) IS NOT NULL"
    " THEN json_array(v.tags, v.metadata, v.cites, v.triggers, v.origin) END"
)
_VERSIONS: Final = f"SELECT {_FIELDS} FROM version v JOIN content c ON c.content_id = v.content_id"
_OPENED: Final = (
    f"{_VERSIONS} WHERE v.opened_by BETWEEN ? AND ? AND v.cause IN ({{marks}}) ORDER BY v.opened_by, v.version_id"
)
_CLOSED: Final = f"{_VERSIONS} WHERE v.closed_by BETWEEN ? AND ? ORDER BY v.closed_by, v.version_id"
_OF_MEMORIES: Final = f"{_VERSIONS} WHERE v.memory_id IN ({{marks}}) ORDER BY v.known_from, v.version_id"

Raw = Sequence[Any]


def opened_between(connection: apsw.Connection, first: int, last: int, causes: Sequence[str]) -> Iterator[Raw]:
    """Yield what the events ``first`` to ``last`` wrote for one of ``causes``, in order, as rows for ``teller``."""
    marks = ",".join("?" * len(causes))
    return connection.execute(_OPENED.format(marks=marks), (first, last, *causes))


def closed_between(connection: apsw.Connection, first: int, last: int) -> Iterator[Raw]:
    """Yield what the events ``first`` to ``last`` ended, in order, as rows for ``teller``."""
    return connection.execute(_CLOSED, (first, last))


def of_memories(connection: apsw.Connection, ids: Iterable[int]) -> dict[int, list[Raw]]:
    """Return every version of some memories, by memory in the order they became known, as rows for ``teller``."""
    found: dict[int, list[Raw]] = {}
    for marks, part in portions(sorted(set(ids))):
        for row in connection.execute(_OF_MEMORIES.format(marks=marks), part):
            found.setdefault(row[MEMORY], []).append(row)
    return found


def piece_before(rows: Iterable[Raw], event: int, start: int) -> Raw | None:
    """Return what of one memory was believed just before an event, by ``bitemporal.before`` at ``start``."""
    held = [row for row in rows if row[OPENED] < event and (row[CLOSED] is None or row[CLOSED] >= event)]
    held.sort(key=lambda row: row[START])
    earlier = [row for row in held if row[START] <= start]
    return earlier[-1] if earlier else held[0] if held else None


def piece_meant(rows: Sequence[Raw], now: int) -> Raw:
    """Return the piece of one memory that ``bitemporal.meant`` means at ``now``."""
    ordered = sorted(rows, key=lambda row: row[START])
    return next((row for row in ordered if row[END] is None or now < row[END]), ordered[-1])


def teller(namespaces: Namespaces) -> Callable[[Raw], Version]:
    """Return what makes a version of a raw row; the same version as the long way round.

    Versions made by one teller share their times and provenances where these are equal.
    """
    shared = _Moments(), _Provenances()

    def tell(row: Raw) -> Version:
        told = _new(_Told)
        _put_memory(told, row[MEMORY])
        _put_text(told, row[2])
        _put_namespace(told, namespaces.name(row[22]))
        _put_provenance(told, (row, shared))
        return told

    return tell


class _Moments(dict[int, datetime]):
    """The times of microseconds."""

    def __missing__(self, micros: int) -> datetime:
        moment = self[micros] = to_datetime(micros)
        return moment


class _Provenances(dict[tuple[Any, ...], Provenance]):
    """Provenances by their fields."""

    def __missing__(self, fields: tuple[Any, ...]) -> Provenance:
        provenance = self[fields] = Provenance(*fields)
        return provenance


class _Told(Version):
    """A version whose row is read when a field beside its text is first asked for; then it is a plain ``Version``.

    Its row waits in the slot of ``provenance``, beside what the versions of its answer share.
    """

    __slots__ = ()

    def __getattr__(self, name: str) -> Any:
        """Find a field that was not asked for before."""
        _fill(self)
        return object.__getattribute__(self, name)

    @property
    def provenance(self) -> Provenance:
        """Where the version came from."""
        _fill(self)
        found: Provenance = _get_provenance(self)
        return found

    def __eq__(self, other: object) -> bool:
        """Compare as a plain version does."""
        _fill(self)
        return self == other

    def __hash__(self) -> int:
        """Hash as a plain version does."""
        _fill(self)
        return hash(self)

    def __repr__(self) -> str:
        """Show a plain version."""
        _fill(self)
        return repr(self)

    def __reduce_ex__(self, protocol: Any) -> Any:
        """Copy and pickle as a plain version."""
        _fill(self)
        return self.__reduce_ex__(protocol)


_NOTHING: Final[dict[str, Any]] = {}
_new: Final = object.__new__
_SLOTS: Final[dict[str, Any]] = {name: Version.__dict__[name] for name in Version.__slots__}
_put_memory: Final = _SLOTS["memory_id"].__set__
_put_text: Final = _SLOTS["text"].__set__
_put_namespace: Final = _SLOTS["namespace"].__set__
_put_provenance: Final = _SLOTS["provenance"].__set__
_get_provenance: Final = _SLOTS["provenance"].__get__
_put_others: Final = tuple(
    _SLOTS[name].__set__
    for name in (
        "version_id", "valid_from", "valid_to", "known_from", "known_to", "confidence", "source", "cause", "subject",
        "predicate", "kind", "importance", "abstract", "project", "basis", "trust", "tags", "metadata", "cites",
        "triggers",
    )
)  # fmt: skip


def _fill(told: Version) -> None:
    """Read the row. Two threads may do so at once: the provenance comes last, and after it the class."""
    waiting = _get_provenance(told)
    if not isinstance(waiting, Provenance):
        row, (moments, provenances) = waiting
        (version_id, _, _, start, end, known, ended, confidence, source, cause, subject, predicate, kind, importance,
         abstract, project, basis, trust, actor, door, observed, batch, _, _, _, _, rest) = row  # fmt: skip
        labels, metadata, cited, asked, origin = _rest(rest)
        values = (
            version_id, moments[start], None if end is None else moments[end], moments[known],
            None if ended is None else moments[ended], confidence, source, cause, subject, predicate, kind, importance,
            abstract, project, basis, trust, labels, metadata, cited, asked,
        )  # fmt: skip
        any(map(call, _put_others, repeat(told), values))  # they return nothing, so none is left out
        elsewhere = origin.get("known_from")
        fields = (
            actor, door, origin.get("ref", source), None if observed is None else moments[observed], (), batch, cited,
            None if elsewhere is None else moments[elsewhere],
        )  # fmt: skip
        # What an import told of its origin may be anything, and few versions share it.
        _put_provenance(told, provenances[fields] if rest is None else Provenance(*fields))
    object.__setattr__(told, "__class__", Version)


def _rest(packed: str | None) -> tuple[tuple[str, ...], dict[str, Any], tuple[str, ...], tuple[str, ...], Any]:
    """Return tags, metadata, cites, triggers and origin, which most versions do not have."""
    if packed is None:
        return (), {}, (), (), _NOTHING
    tags, metadata, cites, triggers, origin = (json.loads(text) if text else () for text in json.loads(packed))
    return tuple(tags), dict(metadata), tuple(cites), tuple(triggers), dict(origin)
