"""Stores of other systems, made from their documented layouts for tests; no system wrote them."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import apsw

RMBR = """
CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT);
INSERT INTO meta VALUES ('schema_version', '1');
CREATE TABLE memories(id INTEGER PRIMARY KEY, namespace TEXT NOT NULL, text TEXT NOT NULL,
  metadata TEXT NOT NULL DEFAULT '{}', created_at TEXT NOT NULL);
CREATE TABLE documents(id INTEGER PRIMARY KEY, namespace TEXT NOT NULL, source TEXT,
  metadata TEXT NOT NULL DEFAULT '{}', added_at TEXT NOT NULL);
CREATE TABLE chunks(id INTEGER PRIMARY KEY, document_id INTEGER NOT NULL, namespace TEXT NOT NULL, text TEXT NOT NULL,
  metadata TEXT NOT NULL DEFAULT '{}', chunk_index INTEGER NOT NULL);
CREATE TABLE embed_cache(content_hash TEXT, model TEXT, vector BLOB, PRIMARY KEY(content_hash, model));
CREATE TABLE query_cache(cache_key TEXT PRIMARY KEY, namespace TEXT, query_vector BLOB, results TEXT, created_at REAL);
CREATE TABLE ann_index(collection TEXT PRIMARY KEY, blob BLOB, dim INTEGER, metric TEXT, updated_at TEXT);
"""
MEMHARNESS = """
CREATE TABLE facts(id INTEGER PRIMARY KEY, subject TEXT, predicate TEXT DEFAULT '', fact TEXT,
  confidence REAL DEFAULT 1,
  valid_from TEXT, valid_to TEXT, tx_at TEXT, superseded_by INTEGER, source_agent TEXT DEFAULT '',
  source_ref TEXT DEFAULT '', retracted_at TEXT, embedding BLOB, embedding_dim INTEGER, embedding_model TEXT,
  importance INTEGER DEFAULT 5, kind TEXT DEFAULT 'semantic', last_accessed_at TEXT, source_commit TEXT,
  source_path TEXT, freshness TEXT, checked_at TEXT, checked_head TEXT);
PRAGMA user_version = 5;
"""
MEM0 = """
CREATE TABLE history(id TEXT PRIMARY KEY, memory_id TEXT, old_memory TEXT, new_memory TEXT, event TEXT,
  created_at DATETIME, updated_at DATETIME, is_deleted INTEGER, actor_id TEXT, role TEXT);
CREATE TABLE messages(id TEXT PRIMARY KEY, session_scope TEXT, role TEXT, content TEXT, name TEXT, created_at DATETIME);
"""
MCP_MEMORY_SERVICE = """
CREATE TABLE memories(id INTEGER PRIMARY KEY AUTOINCREMENT, content_hash TEXT UNIQUE NOT NULL, content TEXT NOT NULL,
  tags TEXT, memory_type TEXT, metadata TEXT, created_at REAL, updated_at REAL, created_at_iso TEXT,
  updated_at_iso TEXT, deleted_at REAL, parent_id TEXT, version INTEGER DEFAULT 1, confidence REAL DEFAULT 1.0,
  superseded_by TEXT, store TEXT NOT NULL DEFAULT 'default');
CREATE TABLE memory_embeddings(rowid INTEGER PRIMARY KEY, content_embedding BLOB);
CREATE TABLE memory_graph(source_hash TEXT NOT NULL, target_hash TEXT NOT NULL, similarity REAL NOT NULL,
  connection_types TEXT NOT NULL, metadata TEXT, created_at REAL NOT NULL, relationship_type TEXT DEFAULT 'related',
  PRIMARY KEY(source_hash, target_hash));
"""
CLAUDE_MEM = """
CREATE TABLE sdk_sessions(id INTEGER PRIMARY KEY AUTOINCREMENT, content_session_id TEXT NOT NULL,
  memory_session_id TEXT UNIQUE, project TEXT NOT NULL, started_at TEXT, started_at_epoch INTEGER);
CREATE TABLE observations(id INTEGER PRIMARY KEY AUTOINCREMENT, memory_session_id TEXT NOT NULL, project TEXT NOT NULL,
  text TEXT, type TEXT NOT NULL, title TEXT, subtitle TEXT, facts TEXT, narrative TEXT, concepts TEXT, files_read TEXT,
  files_modified TEXT, prompt_number INTEGER, created_at TEXT NOT NULL, created_at_epoch INTEGER NOT NULL);
CREATE TABLE session_summaries(id INTEGER PRIMARY KEY AUTOINCREMENT, memory_session_id TEXT NOT NULL,
  project TEXT NOT NULL, request TEXT, investigated TEXT, learned TEXT, completed TEXT, next_steps TEXT, notes TEXT,
  prompt_number INTEGER, created_at TEXT NOT NULL, created_at_epoch INTEGER NOT NULL);
CREATE TABLE user_prompts(id INTEGER PRIMARY KEY AUTOINCREMENT, content_session_id TEXT NOT NULL,
  prompt_number INTEGER NOT NULL, prompt_text TEXT NOT NULL, created_at TEXT NOT NULL,
  created_at_epoch INTEGER NOT NULL);
"""
CHROMA = """
CREATE TABLE collections(id TEXT PRIMARY KEY, name TEXT NOT NULL, dimension INTEGER);
CREATE TABLE segments(id TEXT PRIMARY KEY, type TEXT NOT NULL, scope TEXT NOT NULL, collection TEXT NOT NULL);
CREATE TABLE embeddings(id INTEGER PRIMARY KEY, segment_id TEXT NOT NULL, embedding_id TEXT NOT NULL, seq_id BLOB,
  created_at TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP);
CREATE TABLE embedding_metadata(id INTEGER, key TEXT NOT NULL, string_value TEXT, int_value INTEGER, float_value REAL,
  bool_value INTEGER, PRIMARY KEY(id, key));
"""


def database(path: Path, script: str, **tables: Iterable[Mapping[str, Any]]) -> Path:
    """Write a database; ``tables`` are rows by the names of their columns."""
    connection = apsw.Connection(str(path))
    if script:
        connection.execute(script)
    for table, rows in tables.items():
        for row in rows:
            marks = ", ".join("?" * len(row))
            connection.execute(f"INSERT INTO {table}({', '.join(row)}) VALUES ({marks})", tuple(row.values()))
    connection.close()
    return path


def change(path: Path, sql: str, *values: Any) -> None:
    """Change a database as its owner would."""
    connection = apsw.Connection(str(path))
    connection.execute(sql, values)
    connection.close()


def lines(path: Path, *items: Any) -> Path:
    """Write an object a line."""
    path.write_text("".join(json.dumps(item, ensure_ascii=False) + "\n" for item in items), encoding="utf-8")
    return path


def rlm(folder: Path) -> Path:
    """Write an RLM folder: two insights, a chunk of each state."""
    (folder / "chunks").mkdir(parents=True)
    (folder / "archive").mkdir()
    (folder / "session_memory.json").write_text(
        json.dumps({
            "version": "1.0.0",
            "insights": [
                {"id": "33a698b4", "content": "Alice préfère les tabulations", "category": "preference",
                 "importance": "high", "tags": ["style"], "created_at": "2026-01-05T09:00:00.000001+01:00"},
                {"id": "4759d60e", "content": "認証はJWT", "category": "decision", "importance": "urgent", "tags": [],
                 "created_at": "2026-01-06T09:00:00+00:00"},
            ],
        }),
        encoding="utf-8",
    )  # fmt: skip
    chunk = {"id": "2026-01-05_demo_001_dev", "summary": "API v2", "tags": ["api"], "chunk_type": "session",
             "created_at": "2026-01-05T10:00:00+00:00", "project": "demo", "ticket": "AB-12", "domain": "dev",
             "entities": {"files": ["auth.py"], "modules": []}}  # fmt: skip
    old = {**chunk, "id": "2025-11-30_demo_001", "summary": "old", "created_at": "2025-11-30T10:00:00+00:00",
           "archived_at": "2026-01-04T00:00:00+00:00", "domain": None, "ticket": None}  # fmt: skip
    (folder / "index.json").write_text(json.dumps({"version": "2.0.0", "chunks": [chunk]}), encoding="utf-8")
    (folder / "archive_index.json").write_text(json.dumps({"version": "1.0.0", "archives": [old]}), encoding="utf-8")
    head = "---\nid: x\nsummary: s\n---\n\n"
    (folder / "chunks" / f"{chunk['id']}.md").write_text(f"{head}# API v2\nWe use JWT in auth.py", encoding="utf-8")
    with gzip.open(folder / "archive" / f"{old['id']}.md.gz", "wt", encoding="utf-8") as file:
        file.write(f"{head}Forgotten gossip about the parser")
    return folder


def rmbr(path: Path) -> Path:
    """Write an rmbr store of one namespace: three memories, one pinned, and a document in two chunks."""
    return database(
        path, RMBR,
        memories=[
            {"id": 1, "namespace": "assistant", "text": "likes black tea", "metadata": '{"n": 1, "deep": {"x": ["é"]}}',
             "created_at": "2026-01-02T03:04:05.678901+00:00"},
            {"id": 2, "namespace": "assistant", "text": "habite à Paris", "metadata": '{"_pinned": true}',
             "created_at": "2026-01-03T00:00:00+00:00"},
            {"id": 4, "namespace": "assistant", "text": "東京に住んでいる",
             "metadata": '{"role": "user", "session_id": "s1"}', "created_at": "2026-01-04T00:00:00+00:00"},
        ],
        documents=[{"id": 1, "namespace": "assistant", "source": "docs/deploy.md", "metadata": '{"team": "ops"}',
                    "added_at": "2026-01-05T00:00:00+00:00"}],
        chunks=[
            {"id": 1, "document_id": 1, "namespace": "assistant", "text": "# Deploy\n\nRun make deploy.",
             "metadata": '{"team": "ops"}', "chunk_index": 0},
            {"id": 2, "document_id": 1, "namespace": "assistant", "text": "Rollback: run make rollback.",
             "metadata": '{"team": "ops"}', "chunk_index": 1},
        ],
        embed_cache=[{"content_hash": "0" * 64, "model": "other", "vector": b""}],
    )  # fmt: skip


def mcp_memory_service(path: Path) -> Path:
    """Write a database of mcp-memory-service: a line of two versions, a deleted memory, and an edge."""
    return database(
        path, MCP_MEMORY_SERVICE,
        memories=[
            {"content_hash": "h1", "content": "the deploy runs at noon", "tags": "ops,deploy",
             "memory_type": "decision", "metadata": '{"who": "ann", "superseded_by": "h4"}', "created_at": 1767225600.5,
             "superseded_by": "h4"},
            {"content_hash": "h2", "content": "nous utilisons PostgreSQL", "tags": "db", "memory_type": "observation",
             "metadata": "{}", "created_at": 1767312000.0, "deleted_at": 1767398400.0},
            {"content_hash": "h3", "content": "東京オフィスは渋谷", "tags": "", "memory_type": "pattern",
             "metadata": "{}", "created_at": 1767312000.0},
            {"content_hash": "h4", "content": "the deploy runs at three", "tags": "ops", "memory_type": "decision",
             "metadata": '{"who": "ann"}', "created_at": 1767484800.0, "parent_id": "h1", "version": 2},
        ],
        memory_graph=[
            {"source_hash": "h3", "target_hash": "h4", "similarity": 0.5, "connection_types": '["semantic"]',
             "created_at": 1767484900.0, "relationship_type": "related"},
            {"source_hash": "h4", "target_hash": "h3", "similarity": 0.5, "connection_types": '["semantic"]',
             "created_at": 1767484900.0, "relationship_type": "related"},
        ],
    )  # fmt: skip


def claude_mem(path: Path) -> Path:
    """Write a database of claude-mem: an observation, a summary and a prompt."""
    when = {"created_at": "2026-01-02T03:04:05.000Z", "created_at_epoch": 1767323045000}
    return database(
        path, CLAUDE_MEM,
        sdk_sessions=[{"content_session_id": "c1", "memory_session_id": "m1", "project": "shop"}],
        observations=[{
            "memory_session_id": "m1", "project": "shop", "type": "decision", "title": "JWT chosen",
            "subtitle": "RS256",
            "facts": '["tokens live 15 minutes"]', "narrative": "We compared both.", "concepts": '["auth", "security"]',
            "files_read": '["auth.py"]', "files_modified": "[]", "prompt_number": 3, **when,
        }],
        session_summaries=[{"memory_session_id": "m1", "project": "shop", "request": "résumer", "learned": "認証",
                            "prompt_number": 3, **when}],
        user_prompts=[{"content_session_id": "c1", "prompt_number": 1, "prompt_text": "add login", **when}],
    )  # fmt: skip


def graph(path: Path) -> Path:
    """Write the graph of a memory server."""
    return lines(
        path,
        {"type": "entity", "name": "Alice", "entityType": "person", "observations": ["likes tea", "東京に住む"]},
        {"type": "entity", "name": "Société", "entityType": "company", "observations": []},
        {"type": "relation", "from": "Alice", "to": "Société", "relationType": "works_at"},
    )


def basic_memory(folder: Path) -> Path:
    """Write a folder of basic-memory: two notes that know each other."""
    (folder / "notes").mkdir(parents=True)
    (folder / "notes" / "coffee.md").write_text(
        "---\ntitle: Coffee Brewing\ntype: note\npermalink: notes/coffee\ntags:\n- brewing\n- '#hot'\nrating: 5\n---\n"
        "# Coffee Brewing\n\nMethods.\n\n- [method] Pour over is clear #filter (learned in 2024)\n- [ ] a task\n"
        "- [コツ] 湯は93度 #温度\n\n```\n- [method] not an observation\n```\n\n"
        "- relates_to [[Tea]]\n- needs [[Grinder]]\n",
        encoding="utf-8",
    )
    (folder / "notes" / "tea.md").write_text(
        "---\ntitle: Tea\ntype: note\npermalink: notes/tea\n---\n\nDu thé vert.\n", encoding="utf-8"
    )
    return folder


def agent_memory(folder: Path) -> Path:
    """Write a store of agent-memory: a fact and its predecessor, and an archived session."""
    (folder / "schemas").mkdir(parents=True)
    (folder / "config.toml").write_text("[storage]\n", encoding="utf-8")
    (folder / "MEMORY.md").write_text("# MEMORY.md\n\n- [a](fact/a.md) — x\n", encoding="utf-8")
    notes, sessions = folder / "fact" / "shop", folder / "archive" / "sessions"
    notes.mkdir(parents=True)
    sessions.mkdir(parents=True)
    head = "type: fact\nauthor: claude\nproject: shop\nsubject: cache\n"
    (notes / "cache-redis.md").write_text(
        f"---\nname: cache-redis\nabstract: The cache is Redis\n{head}created: 2026-01-02T00:00:00Z\n"
        "updated: 2026-01-02T00:00:00Z\nvalid_from: 2026-01-01\ninvalid_at: 2026-02-01T00:00:00Z\n"
        "superseded_by: cache-valkey\nweight: 1.5\nlinks: []\nprovenance: [sessions/s1#0-1]\n---\n"
        "Redis 7, en mémoire.\n",
        encoding="utf-8",
    )
    (notes / "cache-valkey.md").write_text(
        f'---\nname: cache-valkey\nabstract: "キャッシュはValkey"\n{head}created: 2026-02-01T00:00:00Z\n'
        "updated: 2026-02-01T00:00:00Z\nvalid_from: 2026-02-01T00:00:00Z\ninvalid_at: null\n"
        "links:\n  - cache-redis\n---\n",
        encoding="utf-8",
    )
    lines(
        sessions / "s1.jsonl",
        {"index": 0, "role": "user", "text": "which cache?", "at": "2026-01-02T00:00:00Z"},
        {"index": 1, "role": "assistant", "text": "Redis", "at": "2026-01-02T00:00:05Z"},
    )
    return folder


def mem0_export(path: Path) -> Path:
    """Write what mem0's ``get_all`` returns."""
    item = {"id": "m1", "memory": "likes green tea", "hash": "x", "metadata": {"cat": "drinks"}, "user_id": "alex",
            "created_at": "2026-02-01T15:00:00+00:00", "updated_at": "2026-02-03T15:00:00+00:00"}  # fmt: skip
    other = {"id": "m2", "memory": "habite à Lyon", "metadata": None, "user_id": "alex", "updated_at": None,
             "created_at": "2026-02-02T15:00:00+00:00"}  # fmt: skip
    path.write_text(json.dumps({"results": [item, other]}), encoding="utf-8")
    return path


def instructions(path: Path) -> Path:
    """Write a file of instructions."""
    path.write_text(
        "# Project\n\n@docs/more.md\n<!-- hidden -->\nUse tabs.\n\n"
        "## Tests\n- Run `make test`:\n  ```sh\n  make test\n  ```\n"
        "- 日本語で答える\n  toujours poliment\n1. First build\n",
        encoding="utf-8",
    )
    return path


def table(path: Path) -> Path:
    """Write a table with columns of its own."""
    path.write_text(
        'text,id,created_at,tags,mood\nlikes tea,a,2026-01-02T00:00:00+09:00,"x,y",good\n"habite à Nice\n(06)",b,,,\n',
        encoding="utf-8",
    )
    return path


def chroma(path: Path) -> Path:
    """Write a database of Chroma: one collection with two entries."""

    def field(entry: int, key: str, **value: Any) -> dict[str, Any]:
        return {"id": entry, "key": key, **value}

    return database(
        path, CHROMA,
        collections=[{"id": "c1", "name": "drawers"}],
        segments=[{"id": "s1", "type": "metadata", "scope": "METADATA", "collection": "c1"},
                  {"id": "s2", "type": "vector", "scope": "VECTOR", "collection": "c1"}],
        embeddings=[{"id": 1, "segment_id": "s1", "embedding_id": "d1", "created_at": "2026-01-02 03:04:05"},
                    {"id": 2, "segment_id": "s1", "embedding_id": "d2", "created_at": "2026-01-02 03:04:05"}],
        embedding_metadata=[
            field(1, "chroma:document", string_value="nous utilisons PostgreSQL"),
            field(1, "wing", string_value="shop"),
            field(1, "chunk_index", int_value=3), field(1, "kept", bool_value=1), field(1, "weight", float_value=0.5),
            field(2, "chroma:document", string_value="東京オフィス"),
            field(2, "filed_at", string_value="2026-01-01T00:00:00+09:00"),
        ],
    )  # fmt: skip
