"""The tables of a store file. Texts, versions and events are readable with any SQLite client.

Times are microseconds since 1970; an open end is NULL. ``space`` is one collection of one namespace and
the unit of search: its entries are numbered by dense ordinals, which the derived tables (``term``,
``posting``, ``held``, ``block``) use. The derived tables can be dropped and rebuilt from the rest.
"""

from __future__ import annotations

from typing import Final

from omoide.store.sqlite.schema_around import AROUND_TABLES
from omoide.store.sqlite.schema_indexes import INDEXES
from omoide.store.sqlite.schema_sleep import SLEEPING
from omoide.store.sqlite.schema_vault import VAULT_TABLES

__all__ = ["APPLICATION_ID", "DERIVED", "INDEXES", "TABLES"]

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
  created_at INTEGER NOT NULL,
  salt BLOB DEFAULT (randomblob(8))
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
  changed_at INTEGER,
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
  about TEXT,
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
  origin TEXT,
  salt BLOB
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
  withdrawn_at INTEGER,
  salt BLOB DEFAULT (randomblob(8))
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
  ended_at INTEGER,
  salt BLOB DEFAULT (randomblob(8))
)""",
    "ending": """
CREATE TABLE ending(
  memory_id INTEGER NOT NULL REFERENCES memory(id),
  root BLOB NOT NULL,
  at INTEGER NOT NULL,
  step INTEGER NOT NULL,
  cause TEXT NOT NULL,
  valid_from INTEGER NOT NULL,
  valid_to INTEGER NOT NULL,
  event INTEGER NOT NULL,
  salt BLOB DEFAULT (randomblob(8)),
  PRIMARY KEY(memory_id, root, at, step, cause, valid_from, valid_to)
) WITHOUT ROWID""",
    **AROUND_TABLES,
    "document": """
CREATE TABLE document(
  document_id INTEGER PRIMARY KEY AUTOINCREMENT,
  uid TEXT NOT NULL UNIQUE,
  ns INTEGER NOT NULL REFERENCES namespace(ns),
  source TEXT,
  root TEXT,
  hash BLOB,
  stat TEXT,
  recipe TEXT,
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
  updated_at INTEGER,
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
  char_from INTEGER,
  char_to INTEGER,
  title TEXT,
  heading TEXT,
  line_from INTEGER,
  line_to INTEGER,
  page INTEGER,
  metadata TEXT,
  modified_at INTEGER,
  added_at INTEGER NOT NULL,
  removed_at INTEGER
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
  mark BLOB,
  project TEXT,
  domain TEXT,
  branch TEXT,
  title TEXT,
  parent TEXT,
  status TEXT NOT NULL DEFAULT 'open',
  error TEXT,
  counts TEXT,
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
  number INTEGER,
  kind TEXT NOT NULL DEFAULT 'turn',
  key TEXT,
  role TEXT NOT NULL,
  content_id INTEGER REFERENCES content(content_id),
  raw BLOB,
  metadata TEXT,
  trust TEXT NOT NULL,
  at INTEGER,
  added_at INTEGER NOT NULL,
  batch TEXT,
  UNIQUE(session_id, position)
)""",
    "segment": """
CREATE TABLE segment(
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  ns INTEGER NOT NULL REFERENCES namespace(ns),
  segment_id TEXT NOT NULL,
  stem TEXT NOT NULL,
  serial INTEGER NOT NULL,
  session_id INTEGER REFERENCES session(session_id),
  ord INTEGER NOT NULL,
  content_id INTEGER REFERENCES content(content_id),
  packed BLOB,
  hash BLOB NOT NULL,
  lines INTEGER NOT NULL DEFAULT 1,
  kind TEXT NOT NULL,
  summary TEXT,
  tags TEXT,
  project TEXT,
  domain TEXT,
  entities TEXT,
  importance INTEGER NOT NULL DEFAULT 5,
  archived INTEGER NOT NULL DEFAULT 0,
  archived_at INTEGER,
  restored_at INTEGER,
  replaced_by TEXT,
  uses REAL NOT NULL DEFAULT 0,
  used_at INTEGER,
  metadata TEXT,
  actor TEXT,
  door TEXT NOT NULL,
  trust TEXT NOT NULL,
  batch TEXT,
  at INTEGER NOT NULL,
  UNIQUE(ns, segment_id),
  UNIQUE(ns, stem, serial)
)""",
    **SLEEPING,
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
  hash BLOB NOT NULL,
  seals BLOB
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
    "held": """
CREATE TABLE held(id INTEGER PRIMARY KEY, marks BLOB NOT NULL, codes BLOB NOT NULL, terms TEXT NOT NULL)""",
    "block": """
CREATE TABLE block(
  id INTEGER PRIMARY KEY,
  data BLOB NOT NULL
)""",
    **VAULT_TABLES,
}

DERIVED: Final = ("entry", "feed", "term", "posting", "held", "block")
