"""Rows of conversations that do not hold together brought into a state in which they do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from omoide.model.history import SAVED
from omoide.model.uids import uuid7
from omoide.store.sqlite.checking import check_history

if TYPE_CHECKING:
    from omoide.store.sqlite.mending.mend_rows import Mended
    from omoide.store.sqlite.transaction import Write

# The record of a turn stays when its text is lost.
_UNSAID: Final = "UPDATE turn SET kind = 'raw', ord = NULL, number = NULL, content_id = NULL WHERE turn_id = ?"
_REMAKE: Final = """
INSERT OR IGNORE INTO session(session_id, uid, ns, host, name, added_at)
SELECT ?1, ?2, ns, ?3, 'recovered-' || ?1, min(added_at) FROM turn WHERE session_id = ?1 GROUP BY session_id"""
_ALL: Final = "(SELECT ns, ord FROM turn UNION ALL SELECT ns, ord FROM segment)"
_END: Final = f"(SELECT max(o.ord) + 1 FROM {_ALL} o WHERE o.ns = {{0}}.ns)"
_NEXT: Final = {
    "turn": f"UPDATE turn SET ord = {_END.format('turn')} WHERE turn_id = ?",
    "segment": f"UPDATE segment SET ord = {_END.format('segment')} WHERE number = ?",
}
_TO_ACTIVE: Final = """
UPDATE segment SET packed = NULL, archived = 0, archived_at = NULL
WHERE number = ?1 AND content_id IN (SELECT content_id FROM content)"""
_TO_ARCHIVE: Final = """
UPDATE segment SET content_id = NULL, archived = 1, archived_at = ifnull(archived_at, at) WHERE number = ?1
AND packed IS NOT NULL AND (content_id IS NULL OR content_id NOT IN (SELECT content_id FROM content))"""
_RENUMBER: Final = """
UPDATE turn SET number = (SELECT count(*) FROM turn o WHERE o.session_id = turn.session_id AND o.number IS NOT NULL
  AND o.position <= turn.position) WHERE session_id = ? AND number IS NOT NULL"""
_DISTRUST: Final = {
    "turn": "UPDATE turn SET trust = 'untrusted' WHERE turn_id = ?",
    "segment": "UPDATE segment SET trust = 'untrusted' WHERE number = ?",
}


def mend(tx: Write, done: Mended) -> None:
    """Keep the records of turns whose text is lost, drop segments without text, make lost sessions again."""
    _texts(tx, done)
    _sessions(tx, done)
    _places(tx, done)


def _texts(tx: Write, done: Mended) -> None:
    conn = tx.connection
    broken = list(check_history.unreadable(conn))
    raws = [(number,) for table, number in broken if table == "turn"]
    conn.executemany("UPDATE turn SET raw = NULL WHERE turn_id = ?", raws)
    done.note(len(raws), "{} records of sessions whose bytes cannot be read are told by their text only")
    packed = [(number,) for table, number in broken if table == "segment"]
    conn.executemany("UPDATE segment SET packed = NULL WHERE number = ?", packed)
    gone: list[Any] = conn.execute(check_history.NO_TEXT).fetchall()
    conn.executemany(_UNSAID, [(row[0],) for row in gone])
    if done.note(len(gone), "{} turns whose text is lost are kept as records only"):
        done.lost["turn"] += len(gone)
    lost: list[Any] = conn.execute(check_history.LOST_SEGMENT).fetchall()
    conn.executemany("DELETE FROM segment WHERE number = ?", lost)
    if done.note(len(lost), "{} segments whose text is lost were removed"):
        done.lost["segment"] += len(lost)


def _sessions(tx: Write, done: Mended) -> None:
    conn = tx.connection
    orphaned: list[Any] = conn.execute(check_history.NO_SESSION).fetchall()
    conn.executemany(_REMAKE, [(session_id, uuid7(tx.now), SAVED) for (session_id,) in orphaned])
    if done.note(len(orphaned), "{} sessions were made again from their turns; name and host are lost"):
        done.lost["session"] += len(orphaned)
    stray: list[Any] = conn.execute(check_history.STRAY_SEGMENT).fetchall()
    conn.executemany("UPDATE segment SET session_id = NULL WHERE number = ?", [(row[0],) for row in stray])
    done.note(len(stray), "{} segments of a session that is lost stand for themselves")
    twice: list[Any] = conn.execute(check_history.SHARED_NUMBER).fetchall()
    for row in twice:
        conn.execute(_RENUMBER, row)
    done.note(len(twice), "the turns of {} sessions were numbered anew")


def _places(tx: Write, done: Mended) -> None:
    conn = tx.connection
    both: list[Any] = conn.execute(check_history.TWO_PLACES).fetchall()
    for row in both:
        for sql in (_TO_ACTIVE, _TO_ARCHIVE):
            conn.execute(sql, row)
    done.note(len(both), "{} segments are in one place again")
    shared: list[Any] = conn.execute(check_history.SHARED_ORDINAL).fetchall()
    for table, number in shared:
        conn.execute(_NEXT[table], (number,))
    done.note(len(shared), "{} turns and segments got an ordinal of their own")
    strange: list[Any] = conn.execute(check_history.UNKNOWN_TRUST).fetchall()
    for table, number in strange:
        conn.execute(_DISTRUST[table], (number,))
    done.note(len(strange), "{} turns and segments of an unknown trust are untrusted now")
    conn.execute(f"UPDATE segment SET kind = 'session' WHERE number IN ({check_history.UNKNOWN_KIND})")
    done.note(conn.changes(), "{} segments of an unknown kind are of kind session now")
