"""The indexes of the tables in ``schema``."""

from __future__ import annotations

from typing import Final

from omoide.store.sqlite.schema_vault import VAULT_INDEXES

INDEXES: Final[dict[str, str]] = {
    "version_memory": "CREATE INDEX version_memory ON version(memory_id, known_from)",
    "version_ord": "CREATE INDEX version_ord ON version(ns, ord)",
    "version_content": "CREATE INDEX version_content ON version(content_id)",
    "version_subject": (
        "CREATE INDEX version_subject ON version(ns, about, predicate, known_to) WHERE about IS NOT NULL"
    ),
    "version_same": "CREATE INDEX version_same ON version(same)",
    "version_gist": "CREATE INDEX version_gist ON version(gist) WHERE gist IS NOT NULL AND known_to IS NULL",
    "version_retracted": (
        "CREATE INDEX version_retracted ON version(ns, known_to) WHERE cites IS NOT NULL AND known_to IS NOT NULL"
    ),
    "version_told": (
        "CREATE INDEX version_told ON version(ns, known_to) WHERE source IS NOT NULL AND known_to IS NOT NULL"
    ),
    "version_source": "CREATE INDEX version_source ON version(ns, source) WHERE source IS NOT NULL",
    "version_closed": "CREATE INDEX version_closed ON version(closed_by) WHERE closed_by IS NOT NULL",
    "version_event": "CREATE INDEX version_event ON version(opened_by)",
    "version_batch": "CREATE INDEX version_batch ON version(batch) WHERE batch IS NOT NULL",
    "version_cites": ("CREATE INDEX version_cites ON version(memory_id) WHERE cites IS NOT NULL AND known_to IS NULL"),
    "version_shown": (
        "CREATE INDEX version_shown ON version(ns, project, importance DESC, known_from DESC) WHERE known_to IS NULL"
    ),
    "version_planned": (
        "CREATE INDEX version_planned ON version(valid_from) WHERE known_to IS NULL AND valid_from > known_from"
    ),
    "version_triggers": "CREATE INDEX version_triggers ON version(ns) WHERE triggers IS NOT NULL AND known_to IS NULL",
    "memory_namespace": "CREATE INDEX memory_namespace ON memory(ns, id)",
    "memory_pinned": "CREATE INDEX memory_pinned ON memory(ns, id) WHERE pinned = 1",
    "memory_live": "CREATE INDEX memory_live ON memory(ns, id) WHERE pinned = 0 AND archived = 0 AND ended IS NULL",
    "evidence_memory": "CREATE INDEX evidence_memory ON evidence(memory_id)",
    "evidence_source": "CREATE INDEX evidence_source ON evidence(source) WHERE source IS NOT NULL",
    "link_from": "CREATE INDEX link_from ON link(from_id)",
    "link_to": "CREATE INDEX link_to ON link(to_id)",
    "rejection_key": "CREATE INDEX rejection_key ON rejection(ns, key) WHERE lifted_at IS NULL",
    "document_source": "CREATE INDEX document_source ON document(ns, source)",
    "chunk_document": "CREATE INDEX chunk_document ON chunk(document_id, position)",
    "document_current": "CREATE INDEX document_current ON document(ns, document_id) WHERE removed_at IS NULL",
    "document_batch": "CREATE INDEX document_batch ON document(batch) WHERE batch IS NOT NULL",
    "chunk_ord": "CREATE INDEX chunk_ord ON chunk(ns, ord)",
    "chunk_content": "CREATE INDEX chunk_content ON chunk(content_id)",
    "session_path": "CREATE INDEX session_path ON session(ns, path) WHERE path IS NOT NULL",
    "turn_ord": "CREATE INDEX turn_ord ON turn(ns, ord) WHERE ord IS NOT NULL",
    "turn_key": "CREATE INDEX turn_key ON turn(session_id, key) WHERE key IS NOT NULL",
    "turn_number": "CREATE INDEX turn_number ON turn(session_id, number) WHERE number IS NOT NULL",
    "turn_content": "CREATE INDEX turn_content ON turn(content_id) WHERE content_id IS NOT NULL",
    "segment_namespace": "CREATE INDEX segment_namespace ON segment(ns, at)",
    "segment_ord": "CREATE INDEX segment_ord ON segment(ns, ord)",
    "segment_hash": "CREATE INDEX segment_hash ON segment(ns, hash)",
    "segment_content": "CREATE INDEX segment_content ON segment(content_id) WHERE content_id IS NOT NULL",
    "segment_session": "CREATE INDEX segment_session ON segment(session_id) WHERE session_id IS NOT NULL",
    "event_time": "CREATE INDEX event_time ON event(at)",
    "event_batch": "CREATE INDEX event_batch ON event(batch) WHERE batch IS NOT NULL",
    "event_undo": "CREATE INDEX event_undo ON event(ns, seq) WHERE op = 'undo'",
    "evidence_batch": "CREATE INDEX evidence_batch ON evidence(batch) WHERE batch IS NOT NULL",
    "alias_subject": "CREATE INDEX alias_subject ON alias(ns, about)",
    "entry_key": "CREATE INDEX entry_key ON entry(key) WHERE slot IS NOT NULL",
    "entry_pending": "CREATE INDEX entry_pending ON entry(space, ord) WHERE slot IS NULL",
    "term_space": "CREATE UNIQUE INDEX term_space ON term(space, term)",
    **VAULT_INDEXES,
}
