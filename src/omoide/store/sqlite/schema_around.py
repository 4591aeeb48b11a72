"""The tables of what stands around memories: values that are refused, names, declarations, calls, batches.

``salt`` names a row in the seals of the audit chain.
"""

from __future__ import annotations

from typing import Final

AROUND_TABLES: Final[dict[str, str]] = {
    "rejection": """
CREATE TABLE rejection(
  rejection_id INTEGER PRIMARY KEY,
  ns INTEGER NOT NULL REFERENCES namespace(ns),
  key BLOB NOT NULL,
  subject TEXT,
  predicate TEXT,
  reason TEXT,
  memory_id INTEGER,
  trust TEXT,
  at INTEGER NOT NULL,
  event INTEGER NOT NULL,
  lifted_at INTEGER,
  salt BLOB DEFAULT (randomblob(8))
)""",
    "exclusive": """
CREATE TABLE exclusive(
  ns INTEGER NOT NULL REFERENCES namespace(ns),
  predicate TEXT NOT NULL,
  at INTEGER NOT NULL,
  salt BLOB DEFAULT (randomblob(8)),
  PRIMARY KEY(ns, predicate)
) WITHOUT ROWID""",
    "alias": """
CREATE TABLE alias(
  ns INTEGER NOT NULL REFERENCES namespace(ns),
  name TEXT NOT NULL,
  subject TEXT NOT NULL,
  about TEXT NOT NULL,
  at INTEGER NOT NULL,
  salt BLOB DEFAULT (randomblob(8)),
  PRIMARY KEY(ns, name)
) WITHOUT ROWID""",
    "citation": """
CREATE TABLE citation(
  memory_id INTEGER NOT NULL REFERENCES memory(id),
  cite BLOB NOT NULL,
  status TEXT NOT NULL,
  place BLOB,
  mark TEXT,
  at INTEGER NOT NULL,
  PRIMARY KEY(memory_id, cite)
) WITHOUT ROWID""",
    "idempotency": """
CREATE TABLE idempotency(
  ns INTEGER NOT NULL REFERENCES namespace(ns),
  op TEXT NOT NULL,
  key BLOB NOT NULL,
  arguments BLOB NOT NULL,
  result TEXT NOT NULL,
  event INTEGER NOT NULL,
  salt BLOB DEFAULT (randomblob(8)),
  PRIMARY KEY(ns, op, key)
) WITHOUT ROWID""",
    "purged": """
CREATE TABLE purged(
  key BLOB PRIMARY KEY,
  ns INTEGER NOT NULL,
  at INTEGER NOT NULL,
  event INTEGER NOT NULL,
  salt BLOB DEFAULT (randomblob(8))
) WITHOUT ROWID""",
    "batch": """
CREATE TABLE batch(
  batch TEXT PRIMARY KEY,
  ns INTEGER NOT NULL REFERENCES namespace(ns),
  kind TEXT NOT NULL,
  at INTEGER NOT NULL,
  actor TEXT,
  source TEXT,
  undone_at INTEGER,
  salt BLOB DEFAULT (randomblob(8))
) WITHOUT ROWID""",
}
