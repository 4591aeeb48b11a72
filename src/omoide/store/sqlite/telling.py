"""Versions straight from the file, for answers that hold very many of them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

import apsw

from omoide.model.time import optional_datetime, to_datetime
from omoide.store.sqlite.namespaces import Namespaces
from omoide.types import Provenance, Version

MEMORY: Final = 1
"""Where a raw row has its memory."""
SUBJECT: Final = 10
EVENT: Final = 23

_FIELDS: Final = (
    "v.version_id, v.memory_id, c.text, v.valid_from, v.valid_to, v.known_from, v.known_to, v.confidence, v.source,"
    " v.cause, v.subject, v.predicate, v.kind, ifnull(v.importance_name, v.importance), v.abstract, v.project, v.basis,"
    " v.trust, v.actor, v.door, v.observed_at, v.batch, v.ns, v.opened_by,"
    " v.tags, v.metadata, v.cites, v.triggers, v.origin,"
    " coalesce(v.tags, v.metadata, v.cites, v.triggers, v.origin) IS NULL"
)
_OPENED: Final = (
    f"SELECT {_FIELDS} FROM version v JOIN content c ON c.content_id = v.content_id"
    " WHERE v.opened_by BETWEEN ? AND ? AND v.cause IN ({marks}) ORDER BY v.opened_by, v.version_id"
)

Raw = Sequence[Any]


def opened_between(connection: apsw.Connection, first: int, last: int, causes: Sequence[str]) -> Iterator[Raw]:
    """Yield what the events ``first`` to ``last`` wrote for one of ``causes``, in order, as rows for ``teller``."""
    marks = ",".join("?" * len(causes))
    return connection.execute(_OPENED.format(marks=marks), (first, last, *causes))


def teller(namespaces: Namespaces) -> Callable[[Raw], Version]:
    """Return what makes a version of a raw row; the same version as the long way round."""

    def tell(row: Raw) -> Version:
        (version_id, memory_id, text, start, end, known, ended, confidence, source, cause, subject, predicate, kind,
         importance, abstract, project, basis, trust, actor, door, observed, batch, ns, _, tags, metadata, cites,
         triggers, origin, plain) = row  # fmt: skip
        learned = to_datetime(known)
        labels: tuple[str, ...] = ()
        cited: tuple[str, ...] = ()
        asked: tuple[str, ...] = ()
        ref, elsewhere = source, None
        if not plain:
            labels, cited, asked = _tuple(tags), _tuple(cites), _tuple(triggers)
            carried = json.loads(origin) if origin else {}
            ref, elsewhere = carried.get("ref", source), carried.get("known_from")
        provenance = Provenance(
            actor, door, ref, optional_datetime(observed), (), batch, cited,
            None if elsewhere is None else to_datetime(elsewhere),
        )  # fmt: skip
        return Version(
            version_id, memory_id, text, learned if start == known else to_datetime(start), optional_datetime(end),
            learned, optional_datetime(ended), confidence, source, provenance, trust, cause,
            json.loads(metadata) if metadata else {}, subject, predicate, kind, labels, importance, abstract,
            project, cited, asked, basis, namespaces.name(ns),
        )  # fmt: skip

    return tell


def _tuple(text: str | None) -> tuple[str, ...]:
    return tuple(json.loads(text)) if text else ()
