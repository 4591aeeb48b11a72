"""The tables by which a database knows the folder of Markdown files that it is the index of.

``note`` is part of the truth: which file says a memory. The others are about this copy of the folder alone, and
are empty in a store that is a file.
"""

from __future__ import annotations

from typing import Final

VAULT_TABLES: Final[dict[str, str]] = {
    "note": """
CREATE TABLE note(
  uid TEXT PRIMARY KEY,
  path TEXT,
  hash BLOB,
  version INTEGER
) WITHOUT ROWID""",
    "note_stat": """
CREATE TABLE note_stat(
  path TEXT PRIMARY KEY,
  hash BLOB,
  stat TEXT,
  uid TEXT
) WITHOUT ROWID""",
    "quarantine": """
CREATE TABLE quarantine(
  path TEXT PRIMARY KEY,
  code TEXT,
  reason TEXT,
  stat TEXT,
  at INTEGER
) WITHOUT ROWID""",
    "outbox": """
CREATE TABLE outbox(
  line INTEGER PRIMARY KEY,
  data BLOB,
  files BLOB
) WITHOUT ROWID""",
    "journal": """
CREATE TABLE journal(
  key TEXT PRIMARY KEY,
  value BLOB
) WITHOUT ROWID""",
}

VAULT_INDEXES: Final[dict[str, str]] = {
    "note_path": "CREATE INDEX note_path ON note(path)",
    "note_stat_uid": "CREATE INDEX note_stat_uid ON note_stat(uid) WHERE uid IS NOT NULL",
}

LOCAL: Final = (
    "note_stat", "quarantine", "outbox", "journal", "proposal", "sleep", "recalled", "answer",
)  # fmt: skip
"""Tables about this copy of the folder alone; what consolidation proposes is drafted anew, only decisions last."""
