"""Rows that do not hold together brought into a state in which they do; what is lost is counted."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

import apsw

from omoide.model.uids import uuid7
from omoide.store.sqlite.checking import check_around, check_chain, check_rows
from omoide.store.sqlite.mending import mend_documents, mend_history
from omoide.store.sqlite.transaction import Write

ValueKey = Callable[[str, str, str | None, str | None], bytes]
"""Namespace, text, subject, predicate -> the key under which a value is found again."""

LOST: Final = "lost"
"""How a memory ended of which damage left no open version."""

_OWNERS: Final = ("version", "chunk", "turn", "segment")
_VALUES: Final = (
    "SELECT v.version_id, n.name, c.text, v.subject, v.predicate FROM version v"
    " JOIN namespace n ON n.ns = v.ns JOIN content c ON c.content_id = v.content_id"
)
_ENDINGS: Final = "('forget', 'reject', 'supersede')"

REMAKE_MEMORY: Final = f"""
INSERT OR IGNORE INTO memory(id, uid, ns, created_at, last_seen, ended, ended_by)
SELECT ?1, ?2, v.ns, min(v.known_from), min(v.known_from), e.cause, e.event FROM version v LEFT JOIN (
  SELECT iif(closed_cause IN {_ENDINGS}, closed_cause, '{LOST}') AS cause, closed_by AS event FROM version
  WHERE memory_id = ?1 AND NOT EXISTS (SELECT 1 FROM version WHERE memory_id = ?1 AND known_to IS NULL)
  ORDER BY closed_by DESC LIMIT 1
) e WHERE v.memory_id = ?1 GROUP BY v.memory_id"""
"""Takes an id and a uid; makes the row of a memory that has versions and nothing else left."""

_UNENDED: Final = """
SELECT id FROM memory WHERE ended IS NULL AND id IN (SELECT memory_id FROM version)
AND id NOT IN (SELECT memory_id FROM version WHERE known_to IS NULL)"""
_LATEST: Final = "SELECT max(max(known_from), ifnull(max(known_to), 0)) FROM version"


@dataclass(slots=True)
class Mended:
    """What was done and how many rows of which table are gone."""

    actions: list[str] = field(default_factory=list)
    lost: Counter[str] = field(default_factory=Counter)

    def note(self, count: int, what: str) -> bool:
        """Note an action on ``count`` things; say whether there were any."""
        if count:
            self.actions.append(what.format(count))
        return bool(count)


def mend(tx: Write, value_key: ValueKey) -> Mended:
    """Make the rows hold together."""
    done = Mended()
    conn = tx.connection
    for (ns,) in conn.execute(check_rows.NO_NAMESPACE).fetchall():
        name = f"recovered-{ns}"
        conn.execute("INSERT INTO namespace(ns, name, created_at) VALUES (?, ?, ?)", (ns, name, tx.now))
        done.actions.append(f"namespace {ns} had lost its name and is called {name!r}")
    mend_documents.mend(tx, done)
    _texts(conn, done, value_key)
    mend_history.mend(tx, done)
    _memories(tx, done)
    _details(tx, done, value_key)
    for table, top in check_rows.stale_sequences(conn):
        conn.execute("DELETE FROM sqlite_sequence WHERE name = ?", (table,))
        conn.execute("INSERT INTO sqlite_sequence(name, seq) VALUES (?, ?)", (table, top))
        done.actions.append(f"the ids of table {table} go on after {top}")
    return done


def accept_losses(tx: Write) -> list[str]:
    """Take note of events that are gone, and let the chain go on beyond every number that rows refer to."""
    conn = tx.connection
    last, at, digest = tx.last
    highest = check_chain.highest_reference(conn)
    latest: Any = conn.execute(_LATEST).get
    tx.now = max(tx.now, latest or 0)
    known = check_chain.lost_stretches(conn)
    fresh = [gap for gap in check_chain.gaps(conn) if gap not in known]
    if highest > last:
        tx.last = (highest, at, digest)
        fresh.append((last, highest + 1))
    if fresh:
        tx.settings.set(check_chain.LOST, json.dumps([*known, *fresh]))
    return [f"events {before + 1} to {after - 1} are lost; verify() goes on saying so" for before, after in fresh]


def keep_changes(tx: Write) -> list[str]:
    """Take note of rows around versions that are not what the events tell of; they stay as they are."""
    found = set(check_around.differences(tx.connection))
    fresh = found - check_around.kept(tx.connection)
    if fresh:
        tx.settings.set(check_around.KEPT, json.dumps(sorted(found)))
    return [f"{len(fresh)} rows changed outside omoide are kept as they are; verify() goes on saying so"] * bool(fresh)


def _texts(conn: apsw.Connection, done: Mended, value_key: ValueKey) -> None:
    altered = {content_id: _readable(data) for content_id, data in check_rows.altered_texts(conn)}
    torn = [content_id for content_id, text in altered.items() if text is None]
    conn.executemany("DELETE FROM content WHERE content_id = ?", [(content_id,) for content_id in torn])
    for content_id, text in altered.items():
        if text is not None:
            _take_text(conn, content_id, text, value_key)
    done.note(len(altered) - len(torn), "{} texts that were changed outside omoide are kept as they are now")
    gone: list[Any] = conn.execute(check_rows.NO_TEXT).fetchall()
    conn.executemany("DELETE FROM version WHERE version_id = ?", [(row[0],) for row in gone])
    if done.note(len(gone), "{} versions whose text is lost were removed"):
        done.lost["version"] += len(gone)
    conn.execute(f"DELETE FROM content WHERE content_id IN ({check_rows.UNUSED_TEXTS})")
    done.note(conn.changes(), "{} texts that belonged to nothing were removed")


def _readable(data: bytes) -> str | None:
    """Return a changed text, None when it is what a torn page leaves and not what somebody wrote."""
    try:
        return None if b"\0" in data else data.decode("utf-8")
    except UnicodeDecodeError:
        return None


def _take_text(conn: apsw.Connection, content_id: int, text: str, value_key: ValueKey) -> None:
    """Let a text that was changed be found under its new value."""
    digest = check_rows.text_hash(text)
    row: Any = conn.execute("SELECT content_id FROM content WHERE hash = ?", (digest,)).fetchone()
    if row is None:
        conn.execute("UPDATE content SET hash = ?, text = ? WHERE content_id = ?", (digest, text, content_id))
        owner = content_id
    else:
        owner = row[0]
        for table in _OWNERS:
            conn.execute(f"UPDATE {table} SET content_id = ? WHERE content_id = ?", (owner, content_id))
        conn.execute("DELETE FROM content WHERE content_id = ?", (content_id,))
    _set_keys(conn, f"{_VALUES} WHERE v.content_id = ?", (owner,), value_key)


def _set_keys(conn: apsw.Connection, sql: str, values: tuple[Any, ...], value_key: ValueKey) -> int:
    rows: list[Any] = conn.execute(sql, values).fetchall()
    keys = [(value_key(name, text, subject, predicate), version) for version, name, text, subject, predicate in rows]
    conn.executemany("UPDATE version SET same = ? WHERE version_id = ?", keys)
    return len(keys)


def _memories(tx: Write, done: Mended) -> None:
    """Make rows for memories of which only versions are left, and drop those of which nothing is."""
    conn = tx.connection
    orphaned: list[Any] = conn.execute(check_rows.NO_MEMORY).fetchall()
    conn.executemany(REMAKE_MEMORY, [(memory_id, uuid7(tx.now)) for (memory_id,) in orphaned])
    if done.note(len(orphaned), "{} memories were made again from their versions; pins and marks are lost"):
        done.lost["memory"] += len(orphaned)
    conn.execute(f"DELETE FROM memory WHERE id IN ({check_rows.NO_VERSION})")
    done.note(conn.changes(), "{} memories of which no version is left were removed")
    conn.execute(f"UPDATE memory SET ended = ?, ended_by = ? WHERE id IN ({_UNENDED})", (LOST, tx.seq))
    done.note(conn.changes(), "{} memories of which the open version is lost were ended")


def _details(tx: Write, done: Mended, value_key: ValueKey) -> None:
    conn = tx.connection
    shared: list[Any] = conn.execute(check_rows.SHARED_ORDINAL).fetchall()
    for (version_id,) in shared:
        conn.execute(
            "UPDATE version SET ord = (SELECT max(o.ord) + 1 FROM version o WHERE o.ns = version.ns)"
            " WHERE version_id = ?",
            (version_id,),
        )
    done.note(len(shared), "{} versions got an ordinal of their own")
    for (name,) in conn.execute(check_rows.UNNAMED_PROJECT).fetchall():
        tx.projects.ensure(str(name))
    conn.execute(f"UPDATE version SET kind = 'fact' WHERE version_id IN ({check_rows.UNKNOWN_KIND})")
    done.note(conn.changes(), "{} versions of an unknown kind are facts now")
    conn.execute(f"UPDATE version SET trust = 'untrusted' WHERE version_id IN ({check_rows.UNKNOWN_TRUST})")
    done.note(conn.changes(), "{} versions of an unknown trust are untrusted now")
    keyless = _set_keys(conn, f"{_VALUES} WHERE v.same = zeroblob(16)", (), value_key)
    done.note(keyless, "{} versions got the key of their value again")
