"""The tables of consolidation: what was proposed, runs, what recalls returned together, what was distilled.

State beside the truth: nothing of it changes what an answer about the past says. ``proposal.draft`` and
``answer.text`` hold words of memories and are erased with them; ``decision`` holds what was decided, by id alone;
``recalled.ids`` is an array of uint32, ``distilled.session`` and ``answer.asked`` are digests. ``sleep.expires_at``
is in microseconds of the system's clock, all other times in those of the store's.
"""

from __future__ import annotations

from typing import Final

SLEEPING: Final[dict[str, str]] = {
    "proposal": """
CREATE TABLE proposal(
  ns INTEGER NOT NULL REFERENCES namespace(ns),
  proposal TEXT NOT NULL,
  kind TEXT NOT NULL,
  targets TEXT NOT NULL,
  draft TEXT,
  evidence TEXT,
  state TEXT NOT NULL,
  score REAL NOT NULL,
  run TEXT,
  made_at INTEGER NOT NULL,
  decided_at INTEGER,
  decided_by TEXT,
  batch TEXT,
  advice TEXT,
  PRIMARY KEY(ns, proposal)
) WITHOUT ROWID""",
    "decision": """
CREATE TABLE decision(
  ns INTEGER NOT NULL REFERENCES namespace(ns),
  proposal TEXT NOT NULL,
  state TEXT NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY(ns, proposal)
) WITHOUT ROWID""",
    "sleep": """
CREATE TABLE sleep(
  run TEXT PRIMARY KEY,
  ns INTEGER NOT NULL REFERENCES namespace(ns),
  state TEXT NOT NULL,
  batch TEXT NOT NULL,
  settings TEXT NOT NULL,
  pass TEXT,
  report TEXT,
  holder TEXT,
  expires_at INTEGER,
  started_at INTEGER NOT NULL,
  ended_at INTEGER
) WITHOUT ROWID""",
    "recalled": """
CREATE TABLE recalled(
  recalled_id INTEGER PRIMARY KEY AUTOINCREMENT,
  ns INTEGER NOT NULL REFERENCES namespace(ns),
  at INTEGER NOT NULL,
  ids BLOB NOT NULL
)""",
    "distilled": """
CREATE TABLE distilled(
  ns INTEGER NOT NULL REFERENCES namespace(ns),
  session BLOB NOT NULL,
  upto INTEGER NOT NULL,
  at INTEGER NOT NULL,
  failures INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY(ns, session)
) WITHOUT ROWID""",
    "answer": """
CREATE TABLE answer(
  answer_id INTEGER PRIMARY KEY,
  ns INTEGER NOT NULL REFERENCES namespace(ns),
  run TEXT,
  at INTEGER NOT NULL,
  reasoner TEXT NOT NULL,
  asked BLOB NOT NULL,
  status TEXT NOT NULL,
  about TEXT NOT NULL,
  text TEXT
)""",
}
