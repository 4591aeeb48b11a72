"""Relations read as they travel to another store, and taken in from one; each is there once, however often it comes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

import apsw

from omoide.model.relations import (
    CarriedAlias,
    CarriedBatch,
    CarriedExclusive,
    CarriedLink,
    CarriedMark,
    CarriedRejection,
    purged_memory,
    purged_name,
    purged_value,
)
from omoide.model.time import Micros
from omoide.text.lookalikes import name_key

_LINKS: Final = (
    "SELECT l.kind, f.uid, t.uid, l.at, l.reason, l.event, l.ended_at FROM link l JOIN memory f ON f.id = l.from_id"
    " JOIN memory t ON t.id = l.to_id WHERE f.ns = ? ORDER BY l.at, l.link_id"
)
_REJECTIONS: Final = (
    "SELECT n.name, r.key, r.subject, r.predicate, r.reason, m.uid, r.trust, r.at, r.lifted_at FROM rejection r"
    " JOIN namespace n ON n.ns = r.ns LEFT JOIN memory m ON m.id = r.memory_id WHERE r.ns = ? ORDER BY r.at, r.key"
)
_ALIASES: Final = (
    "SELECT n.name, a.name, a.subject, a.at FROM alias a JOIN namespace n ON n.ns = a.ns WHERE a.ns = ? ORDER BY a.name"
)
_EXCLUSIVE: Final = (
    "SELECT n.name, e.predicate, e.at FROM exclusive e JOIN namespace n ON n.ns = e.ns WHERE e.ns = ?"
    " ORDER BY e.predicate"
)
_MARKS: Final = (
    "SELECT n.name, p.key, p.at FROM purged p JOIN namespace n ON n.ns = p.ns WHERE p.ns = ? ORDER BY p.at, p.key"
)
_BATCHES: Final = (
    "SELECT n.name, b.batch, b.kind, b.at, b.actor, b.source, b.undone_at FROM batch b"
    " JOIN namespace n ON n.ns = b.ns WHERE b.ns = ? ORDER BY b.at, b.batch"
)
_UIDS: Final = "SELECT id, uid FROM memory WHERE ns = ?"
_VALUES: Final = "SELECT DISTINCT memory_id, same FROM version WHERE ns = ?"


class Relating:
    """Reads and takes in the relations of one connection's store."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection

    def links(self, ns: int) -> Iterator[CarriedLink]:
        """Yield the relations that start in a namespace."""
        return (CarriedLink(*row) for row in self._rows(_LINKS, ns))

    def rejections(self, ns: int) -> Iterator[CarriedRejection]:
        """Yield the refused values of a namespace, lifted ones too."""
        return (CarriedRejection(*row) for row in self._rows(_REJECTIONS, ns))

    def aliases(self, ns: int) -> Iterator[CarriedAlias]:
        """Yield the other names of subjects."""
        return (CarriedAlias(*row) for row in self._rows(_ALIASES, ns))

    def exclusives(self, ns: int) -> Iterator[CarriedExclusive]:
        """Yield the predicates that have one value at a time."""
        return (CarriedExclusive(*row) for row in self._rows(_EXCLUSIVE, ns))

    def marks(self, ns: int) -> Iterator[CarriedMark]:
        """Yield the hashes of what was purged."""
        return (CarriedMark(*row) for row in self._rows(_MARKS, ns))

    def batches(self, ns: int) -> Iterator[CarriedBatch]:
        """Yield the batches that wrote into a namespace."""
        return (CarriedBatch(*row) for row in self._rows(_BATCHES, ns))

    def ids_of(self, uids: Iterable[str]) -> dict[str, int]:
        """Return the ids of the memories that are here, by uid."""
        wanted, found = list(uids), {}
        for first in range(0, len(wanted), 500):
            part = wanted[first : first + 500]
            marks = ",".join("?" * len(part))
            found.update(self._all(f"SELECT uid, id FROM memory WHERE uid IN ({marks})", part))
        return found

    def take_link(self, link: CarriedLink, ends: tuple[int, int], event: int) -> bool:
        """Record a relation between two ids unless it is here; say whether anything changed."""
        values = (link.kind, *ends, link.at)
        known = self._one(
            "SELECT link_id, ended_at FROM link WHERE kind = ? AND from_id = ? AND to_id = ? AND at = ?", values
        )
        if known is None:
            self._connection.execute(
                "INSERT INTO link(kind, from_id, to_id, at, reason, event, ended_at) VALUES (?,?,?,?,?,?,?)",
                (*values, link.reason, event, link.ended_at),
            )
            return True
        return self._earlier("link", "ended_at", "link_id", known, link.ended_at)

    def take_rejection(self, ns: int, item: CarriedRejection, memory_id: int | None, event: int) -> bool:
        """Refuse a value unless that is known; say whether anything changed."""
        known = self._one(
            "SELECT rejection_id, lifted_at FROM rejection WHERE ns = ? AND key = ? AND at = ?", (ns, item.key, item.at)
        )
        if known is None:
            self._connection.execute(
                "INSERT INTO rejection(ns, key, subject, predicate, reason, memory_id, trust, at, event, lifted_at)"
                " VALUES (?,?,?,?,?,?,?,?,?,?)",
                (ns, item.key, item.subject, item.predicate, item.reason, memory_id, item.trust, item.at, event,
                 item.lifted_at),
            )  # fmt: skip
            return True
        return self._earlier("rejection", "lifted_at", "rejection_id", known, item.lifted_at)

    def take_alias(self, ns: int, item: CarriedAlias) -> bool:
        """Take a name of a subject in; of two the later said one stays, and none that was purged since."""
        if self._is_purged_name(item):
            return False
        known = self._one("SELECT subject, at FROM alias WHERE ns = ? AND name = ?", (ns, item.name))
        if known is not None and (known[1], known[0]) >= (item.at, item.subject):
            return False
        self._connection.execute(
            "INSERT OR REPLACE INTO alias(ns, name, subject, about, at) VALUES (?,?,?,?,?)",
            (ns, item.name, item.subject, name_key(item.subject), item.at),
        )
        return True

    def take_exclusive(self, ns: int, item: CarriedExclusive) -> bool:
        """Take a declaration in."""
        self._connection.execute(
            "INSERT OR IGNORE INTO exclusive(ns, predicate, at) VALUES (?,?,?)", (ns, item.predicate, item.at)
        )
        return bool(self._connection.changes())

    def take_mark(self, ns: int, item: CarriedMark, event: int) -> bool:
        """Take the hash of something purged in; the latest purge counts."""
        known = self._one("SELECT at FROM purged WHERE key = ?", (item.key,))
        if known is not None and known[0] >= item.at:
            return False
        self._connection.execute(
            "INSERT OR REPLACE INTO purged(key, ns, at, event) VALUES (?,?,?,?)", (item.key, ns, item.at, event)
        )
        return True

    def take_batch(self, ns: int, item: CarriedBatch) -> bool:
        """Record a batch unless it is known."""
        self._connection.execute(
            "INSERT OR IGNORE INTO batch(batch, ns, kind, at, actor, source, undone_at) VALUES (?,?,?,?,?,?,?)",
            (item.batch, ns, item.kind, item.at, item.actor, item.source, item.undone_at),
        )
        return bool(self._connection.changes())

    def purged(self) -> dict[bytes, Micros]:
        """Return every mark of something purged and when it was."""
        return dict(self._all("SELECT key, at FROM purged", ()))

    def forget_purged_names(self, ns: int) -> int:
        """Erase the names of a namespace that were purged in another copy; return how many."""
        gone = [item.name for item in list(self.aliases(ns)) if self._is_purged_name(item)]
        for name in gone:
            self._connection.execute("DELETE FROM alias WHERE ns = ? AND name = ?", (ns, name))
        return len(gone)

    def _is_purged_name(self, item: CarriedAlias) -> bool:
        keys = {purged_name(item.namespace, key) for key in (item.name, name_key(item.subject))}
        marks = self._all(f"SELECT at FROM purged WHERE key IN ({','.join('?' * len(keys))})", tuple(keys))
        return any(at >= item.at for (at,) in marks)

    def never_written(self, ns: int | None, batch: str) -> bool:
        """Say whether no event ever concerned a namespace, those of one batch apart."""
        known = ns is not None and self._one("SELECT 1 FROM event WHERE ns = ? AND batch IS NOT ? LIMIT 1", (ns, batch))
        return not known

    def doomed(self, ns: int) -> list[int]:
        """Return the memories of a namespace that a mark of something purged is about."""
        marks = set(self.purged())
        if not marks:
            return []
        found = {row[0] for row in self._rows(_UIDS, ns) if purged_memory(row[1]) in marks}
        found |= {row[0] for row in self._rows(_VALUES, ns) if purged_value(row[1]) in marks}
        return sorted(found)

    def _earlier(self, table: str, column: str, key: str, known: Sequence[Any], at: Micros | None) -> bool:
        """Of two times at which something ended, the earlier stays."""
        if at is None or (known[1] is not None and known[1] <= at):
            return False
        self._connection.execute(f"UPDATE {table} SET {column} = ? WHERE {key} = ?", (at, known[0]))
        return True

    def _rows(self, sql: str, ns: int) -> Iterator[Any]:
        return iter(self._connection.execute(sql, (ns,)))

    def _all(self, sql: str, values: Sequence[Any]) -> Any:
        return self._connection.execute(sql, values).fetchall()

    def _one(self, sql: str, values: Sequence[Any]) -> Any:
        return self._connection.execute(sql, values).fetchone()
