"""The tables of a store file. Texts, versions and events are readable with any SQLite client.

Times are microseconds since 1970; an open end is NULL. ``space`` is one collection of one namespace and
the unit of search: its entries are numbered by dense ordinals, which the derived tables (``term``,
``posting``, ``block``) use. The derived tables can be dropped and rebuilt from the rest.
"""

from __future__ import annotations

from typing import Final

APPLICATION_ID: Final = 0x6F6D6F69  # "omoi"

TABLES: Final[dict[str, str]] = {
    "setting": """
CREATE TABLE setting(
  key TEXT PRIMARY KEY,
  value ANY
) WITHOUT ROWID""",
    "namespace": """
CREATE TABLE namespace(
  ns INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  created_at INTEGER NOT NULL
)""",
    "project": """
CREATE TABLE project(
  project INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE
)""",
    "space": """
CREATE TABLE space(
  space INTEGER PRIMARY KEY,
  ns INTEGER NOT NULL REFERENCES namespace(ns),
  collection TEXT NOT NULL,
  entries INTEGER NOT NULL DEFAULT 0,
  documents INTEGER NOT NULL DEFAULT 0,
  total_length INTEGER NOT NULL DEFAULT 0,
  slots INTEGER NOT NULL DEFAULT 0,
  pending INTEGER NOT NULL DEFAULT 0,
  feed INTEGER NOT NULL DEFAULT 0,
  feed_floor INTEGER NOT NULL DEFAULT 0,
  live INTEGER NOT NULL DEFAULT 0,
  UNIQUE(ns, collection)
)""",
    "content": """
CREATE TABLE content(
  content_id INTEGER PRIMARY KEY,
  hash BLOB NOT NULL UNIQUE,
  text TEXT NOT NULL
)""",
    "memory": """
CREATE TABLE memory(
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  uid TEXT NOT NULL UNIQUE,
  ns INTEGER NOT NULL REFERENCES namespace(ns),
  created_at INTEGER NOT NULL,
  pinned INTEGER NOT NULL DEFAULT 0,
  archived INTEGER NOT NULL DEFAULT 0,
  disputed TEXT,
  seen INTEGER NOT NULL DEFAULT 1,
  last_seen INTEGER,
  access_count INTEGER NOT NULL DEFAULT 0,
  accessed_at INTEGER,
  value REAL,
  ended TEXT,
  ended_by INTEGER
)""",
    "version": """
CREATE TABLE version(
  version_id INTEGER PRIMARY KEY AUTOINCREMENT,
  memory_id INTEGER NOT NULL REFERENCES memory(id),
  ns INTEGER NOT NULL REFERENCES namespace(ns),
  ord INTEGER NOT NULL,
  content_id INTEGER NOT NULL REFERENCES content(content_id),
  valid_from INTEGER NOT NULL,
  valid_to INTEGER,
  known_from INTEGER NOT NULL,
  known_to INTEGER,
  abstract TEXT,
  subject TEXT,
  predicate TEXT,
  kind TEXT NOT NULL,
  tags TEXT,
  importance INTEGER NOT NULL,
  importance_name TEXT,
  confidence REAL NOT NULL,
  basis TEXT,
  metadata TEXT,
  source TEXT,
  trust TEXT NOT NULL,
  project TEXT,
  cites TEXT,
  triggers TEXT,
  actor TEXT,
  door TEXT NOT NULL,
  observed_at INTEGER,
  batch TEXT,
  cause TEXT NOT NULL,
  opened_by INTEGER NOT NULL,
  closed_by INTEGER,
  closed_cause TEXT,
  same BLOB NOT NULL,
  gist BLOB,
  origin TEXT
)""",
    "evidence": """
CREATE TABLE evidence(
  evidence_id INTEGER PRIMARY KEY,
  memory_id INTEGER NOT NULL REFERENCES memory(id),
  version_id INTEGER,
  source TEXT,
  observed_at INTEGER,
  at INTEGER NOT NULL,
  actor TEXT,
  door TEXT NOT NULL,
  cause TEXT NOT NULL,
  batch TEXT,
  event INTEGER NOT NULL,
  withdrawn_at INTEGER
)""",
    "link": """
CREATE TABLE link(
  link_id INTEGER PRIMARY KEY,
  kind TEXT NOT NULL,
  from_id INTEGER NOT NULL REFERENCES memory(id),
  to_id INTEGER NOT NULL REFERENCES memory(id),
  at INTEGER NOT NULL,
  reason TEXT,
  event INTEGER NOT NULL,
  ended_at INTEGER
)""",
    "rejection": """
CREATE TABLE rejection(
  rejection_id INTEGER PRIMARY KEY,
  ns INTEGER NOT NULL REFERENCES namespace(ns),
  key BLOB NOT NULL,
  subject TEXT,
  predicate TEXT,
  reason TEXT,
  memory_id INTEGER,
  at INTEGER NOT NULL,
  event INTEGER NOT NULL,
  lifted_at INTEGER
)""",
    "exclusive": """
CREATE TABLE exclusive(
  ns INTEGER NOT NULL REFERENCES namespace(ns),
  predicate TEXT NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY(ns, predicate)
) WITHOUT ROWID""",
    "alias": """
CREATE TABLE alias(
  ns INTEGER NOT NULL REFERENCES namespace(ns),
  name TEXT NOT NULL,
  subject TEXT NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY(ns, name)
) WITHOUT ROWID""",
    "idempotency": """
CREATE TABLE idempotency(
  ns INTEGER NOT NULL REFERENCES namespace(ns),
  op TEXT NOT NULL,
  key BLOB NOT NULL,
  arguments BLOB NOT NULL,
  result TEXT NOT NULL,
  event INTEGER NOT NULL,
  PRIMARY KEY(ns, op, key)
) WITHOUT ROWID""",
    "purged": """
CREATE TABLE purged(
  key BLOB PRIMARY KEY,
  ns INTEGER NOT NULL,
  at INTEGER NOT NULL,
  event INTEGER NOT NULL
) WITHOUT ROWID""",
    "batch": """
CREATE TABLE batch(
  batch TEXT PRIMARY KEY,
  ns INTEGER NOT NULL REFERENCES namespace(ns),
  kind TEXT NOT NULL,
  at INTEGER NOT NULL,
  actor TEXT,
  source TEXT,
  undone_at INTEGER
) WITHOUT ROWID""",
    "document": """
CREATE TABLE document(
  document_id INTEGER PRIMARY KEY AUTOINCREMENT,
  uid TEXT NOT NULL UNIQUE,
  ns INTEGER NOT NULL REFERENCES namespace(ns),
  source TEXT,
  hash BLOB,
  title TEXT,
  metadata TEXT,
  project TEXT,
  trust TEXT NOT NULL,
  actor TEXT,
  door TEXT NOT NULL,
  batch TEXT,
  size INTEGER,
  modified_at INTEGER,
  added_at INTEGER NOT NULL,
  removed_at INTEGER
)""",
    "chunk": """
CREATE TABLE chunk(
  chunk_id INTEGER PRIMARY KEY AUTOINCREMENT,
  document_id INTEGER NOT NULL REFERENCES document(document_id),
  ns INTEGER NOT NULL REFERENCES namespace(ns),
  ord INTEGER NOT NULL,
  content_id INTEGER NOT NULL REFERENCES content(content_id),
  position INTEGER NOT NULL,
  heading TEXT,
  line_from INTEGER,
  line_to INTEGER,
  page INTEGER,
  metadata TEXT
)""",
    "session": """
CREATE TABLE session(
  session_id INTEGER PRIMARY KEY AUTOINCREMENT,
  uid TEXT NOT NULL UNIQUE,
  ns INTEGER NOT NULL REFERENCES namespace(ns),
  host TEXT NOT NULL,
  name TEXT NOT NULL,
  path TEXT,
  position INTEGER NOT NULL DEFAULT 0,
  project TEXT,
  branch TEXT,
  title TEXT,
  status TEXT NOT NULL DEFAULT 'open',
  metadata TEXT,
  started_at INTEGER,
  ended_at INTEGER,
  added_at INTEGER NOT NULL,
  batch TEXT,
  UNIQUE(ns, host, name)
)""",
    "turn": """
CREATE TABLE turn(
  turn_id INTEGER PRIMARY KEY AUTOINCREMENT,
  session_id INTEGER NOT NULL REFERENCES session(session_id),
  ns INTEGER NOT NULL REFERENCES namespace(ns),
  ord INTEGER,
  position INTEGER NOT NULL,
  key TEXT,
  role TEXT NOT NULL,
  content_id INTEGER REFERENCES content(content_id),
  raw BLOB,
  metadata TEXT,
  at INTEGER,
  added_at INTEGER NOT NULL,
  batch TEXT,
  UNIQUE(session_id, position)
)""",
    "segment": """
CREATE TABLE segment(
  segment_id TEXT PRIMARY KEY,
  ns INTEGER NOT NULL REFERENCES namespace(ns),
  session_id INTEGER REFERENCES session(session_id),
  ord INTEGER,
  content_id INTEGER REFERENCES content(content_id),
  kind TEXT NOT NULL,
  summary TEXT,
  tags TEXT,
  project TEXT,
  domain TEXT,
  entities TEXT,
  importance INTEGER NOT NULL DEFAULT 5,
  archived INTEGER NOT NULL DEFAULT 0,
  turn_from INTEGER,
  turn_to INTEGER,
  metadata TEXT,
  actor TEXT,
  door TEXT NOT NULL,
  trust TEXT NOT NULL,
  batch TEXT,
  at INTEGER NOT NULL
) WITHOUT ROWID""",
    "event": """
CREATE TABLE event(
  seq INTEGER PRIMARY KEY,
  at INTEGER NOT NULL,
  ns INTEGER,
  actor TEXT,
  door TEXT NOT NULL,
  op TEXT NOT NULL,
  targets TEXT NOT NULL,
  batch TEXT,
  hash BLOB NOT NULL
)""",
    "entry": """
CREATE TABLE entry(
  space INTEGER NOT NULL,
  ord INTEGER NOT NULL,
  key BLOB NOT NULL,
  length INTEGER NOT NULL,
  terms INTEGER NOT NULL DEFAULT 0,
  slot INTEGER,
  parts INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY(space, ord)
) WITHOUT ROWID""",
    "feed": """
CREATE TABLE feed(
  space INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  what INTEGER NOT NULL,
  ord INTEGER NOT NULL,
  PRIMARY KEY(space, seq)
) WITHOUT ROWID""",
    "term": """
CREATE TABLE term(
  term_id INTEGER PRIMARY KEY,
  space INTEGER NOT NULL,
  term TEXT NOT NULL
)""",
    "posting": """
CREATE TABLE posting(
  id INTEGER PRIMARY KEY,
  data BLOB NOT NULL
)""",
    "block": """
CREATE TABLE block(
  id INTEGER PRIMARY KEY,
  data BLOB NOT NULL
)""",
}

INDEXES: Final[dict[str, str]] = {
    "version_memory": "CREATE INDEX version_memory ON version(memory_id, known_from)",
    "version_ord": "CREATE INDEX version_ord ON version(ns, ord)",
    "version_content": "CREATE INDEX version_content ON version(content_id)",
    "version_subject": (
        "CREATE INDEX version_subject ON version(ns, subject, predicate, known_to) WHERE subject IS NOT NULL"
    ),
    "version_same": "CREATE INDEX version_same ON version(same)",
    "version_gist": "CREATE INDEX version_gist ON version(gist) WHERE gist IS NOT NULL AND known_to IS NULL",
    "version_source": "CREATE INDEX version_source ON version(source) WHERE source IS NOT NULL",
    "version_closed": "CREATE INDEX version_closed ON version(closed_by) WHERE closed_by IS NOT NULL",
    "version_event": "CREATE INDEX version_event ON version(opened_by)",
    "version_batch": "CREATE INDEX version_batch ON version(batch) WHERE batch IS NOT NULL",
    "memory_namespace": "CREATE INDEX memory_namespace ON memory(ns, id)",
    "memory_live": "CREATE INDEX memory_live ON memory(ns, id) WHERE pinned = 0 AND archived = 0 AND ended IS NULL",
    "evidence_memory": "CREATE INDEX evidence_memory ON evidence(memory_id)",
    "evidence_source": "CREATE INDEX evidence_source ON evidence(source) WHERE source IS NOT NULL",
    "link_from": "CREATE INDEX link_from ON link(from_id)",
    "link_to": "CREATE INDEX link_to ON link(to_id)",
    "rejection_key": "CREATE INDEX rejection_key ON rejection(ns, key) WHERE lifted_at IS NULL",
    "document_source": "CREATE INDEX document_source ON document(ns, source)",
    "chunk_document": "CREATE INDEX chunk_document ON chunk(document_id, position)",
    "chunk_ord": "CREATE INDEX chunk_ord ON chunk(ns, ord)",
    "turn_ord": "CREATE INDEX turn_ord ON turn(ns, ord) WHERE ord IS NOT NULL",
    "turn_key": "CREATE INDEX turn_key ON turn(session_id, key) WHERE key IS NOT NULL",
    "segment_namespace": "CREATE INDEX segment_namespace ON segment(ns, at)",
    "event_time": "CREATE INDEX event_time ON event(at)",
    "entry_key": "CREATE INDEX entry_key ON entry(key) WHERE slot IS NOT NULL",
    "entry_pending": "CREATE INDEX entry_pending ON entry(space, ord) WHERE slot IS NULL",
    "term_space": "CREATE UNIQUE INDEX term_space ON term(space, term)",
}

DERIVED: Final = ("entry", "feed", "term", "posting", "block")
