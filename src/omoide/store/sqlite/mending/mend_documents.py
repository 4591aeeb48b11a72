"""Rows of documents that do not hold together brought into a state in which they do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from omoide.model.uids import uuid7
from omoide.store.sqlite.checking import check_documents

if TYPE_CHECKING:
    from omoide.store.sqlite.mending.mend_rows import Mended
    from omoide.store.sqlite.transaction import Write

# Where it came from and what it is worth is lost: it may be told only to those who ask for what is untrusted.
_REMAKE: Final = """
INSERT OR IGNORE INTO document(document_id, uid, ns, trust, door, added_at)
SELECT ?1, ?2, ns, 'untrusted', 'unknown', min(added_at) FROM chunk WHERE document_id = ?1 GROUP BY document_id"""
_NEXT: Final = "UPDATE chunk SET ord = (SELECT max(o.ord) + 1 FROM chunk o WHERE o.ns = chunk.ns) WHERE chunk_id = ?"


def mend(tx: Write, done: Mended) -> None:
    """Drop parts without text, make lost documents again from their parts, and number parts apart."""
    conn = tx.connection
    gone: list[Any] = conn.execute(check_documents.NO_TEXT).fetchall()
    conn.executemany("DELETE FROM chunk WHERE chunk_id = ?", [(row[0],) for row in gone])
    if done.note(len(gone), "{} chunks whose text is lost were removed"):
        done.lost["chunk"] += len(gone)
    orphaned: list[Any] = conn.execute(check_documents.NO_DOCUMENT).fetchall()
    conn.executemany(_REMAKE, [(document_id, uuid7(tx.now)) for (document_id,) in orphaned])
    if done.note(len(orphaned), "{} documents were made again from their chunks; source and metadata are lost"):
        done.lost["document"] += len(orphaned)
    conn.execute(f"DELETE FROM document WHERE document_id IN ({check_documents.NO_PART})")
    done.note(conn.changes(), "{} documents of which no chunk is left were removed")
    shared: list[Any] = conn.execute(check_documents.SHARED_ORDINAL).fetchall()
    for row in shared:
        conn.execute(_NEXT, row)
    done.note(len(shared), "{} chunks got an ordinal of their own")
    conn.execute(f"UPDATE document SET trust = 'untrusted' WHERE document_id IN ({check_documents.UNKNOWN_TRUST})")
    done.note(conn.changes(), "{} documents of an unknown trust are untrusted now")
