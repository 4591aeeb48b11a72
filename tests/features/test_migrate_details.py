"""What arrives of the stores of each system: texts, labels, times, links."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.features import foreign

from omoide import History, Index, Memory, Policy
from omoide.errors import AccessDeniedError, InvalidInputError
from omoide.migrate import import_into
from omoide.migrate.recognising import recognise
from omoide.testing import FakeClock, FakeEmbedder

Opener = Callable[..., Memory]


@pytest.fixture
def his(path: Path, clock: FakeClock) -> History:
    """A history on the same store as ``mem``."""
    return History(path, clock=clock, embedder="none")


def test_rmbr_keeps_metadata_pins_and_times(mem: Memory, tmp_path: Path) -> None:
    """Metadata come back unchanged, pinned rows are pinned, and the time is that of the row."""
    import_into(mem, foreign.rmbr(tmp_path / "r.db"))
    tea, paris, tokyo = sorted(mem.list(), key=lambda record: record.id)
    assert (tea.metadata, tea.pinned, str(tea.known_from)) == (
        {"n": 1, "deep": {"x": ["é"]}}, False, "2026-01-02 03:04:05.678901+00:00",
    )  # fmt: skip
    assert (paris.metadata, paris.pinned) == ({}, True)
    assert tokyo.metadata == {"role": "user", "session_id": "s1"}


def test_rmbr_documents_are_found_in_their_parts(mem: Memory, path: Path, clock: FakeClock, tmp_path: Path) -> None:
    """A document arrives with its source, its metadata and the chunks it had; undo takes it out of search."""
    report = import_into(mem, foreign.rmbr(tmp_path / "r.db"))
    assert report.documents == 1
    with Index(path, clock=clock, embedder="none") as idx:
        hit = idx.search("rollback")[0]
        assert (hit.text, hit.metadata["team"]) == ("Rollback: run make rollback.", "ops")
        assert [document.source for document in idx.list()] == ["docs/deploy.md"]
        assert report.batch is not None
        mem.undo(report.batch)
        assert idx.search("rollback") == []
        import_into(mem, tmp_path / "r.db")
        assert len(idx.search("rollback")) == 1


def test_an_update_in_rmbr_is_a_version_here(mem: Memory, tmp_path: Path, clock: FakeClock) -> None:
    """A row that was changed there since is the same memory with a new text; a new row is a new memory."""
    store = foreign.rmbr(tmp_path / "r.db")
    (first, *_) = import_into(mem, store).added
    foreign.change(store, "UPDATE memories SET text = 'likes coffee', created_at = '2026-05-01T00:00:00Z' WHERE id = 1")
    foreign.change(store, "INSERT INTO memories VALUES (5, 'assistant', 'new', '{}', '2026-05-02T00:00:00Z')")
    clock.advance(60)
    report = import_into(mem, store)
    assert (report.changed, len(report.added)) == ((first,), 1)
    record = mem.get(first)
    assert record is not None
    assert (record.text, str(record.valid_from)[:10]) == ("likes coffee", "2026-05-01")
    assert {"likes black tea", "likes coffee"} == {version.text for version in mem.why(first).versions}
    assert mem.conflicts() == []


def test_vectors_of_one_model_are_taken_over(opened: Opener, tmp_path: Path) -> None:
    """With rmbr's own model no text is embedded again; with another one all wait for it."""
    embedder = FakeEmbedder(dimension=8, model_name="fake")
    store = foreign.rmbr(tmp_path / "r.db")
    (vector,) = embedder.embed(["likes black tea"])
    import numpy as np

    key = hashlib.sha256(b"likes black tea").hexdigest()
    foreign.change(store, "INSERT INTO embed_cache VALUES (?, 'fake', ?)", key, np.asarray(vector, "<f4").tobytes())
    with opened(path=tmp_path / "same.db", embedder=embedder) as mem:
        mem._ctx.filler.close()
        import_into(mem, store)
        assert mem.stats()["default"]["pending_vectors"] == 2
        (hit, *_) = mem.recall("likes black tea", use_bm25=False, k=1)
        assert (hit.text, round(hit.vector_score or 0, 2)) == ("likes black tea", 1.0)


def test_namespaces_go_where_the_policy_allows(mem: Memory, opened: Opener, tmp_path: Path) -> None:
    """Several namespaces stay apart: one by one under a strict policy, each into its own under an open one."""
    store = foreign.rmbr(tmp_path / "r.db")
    foreign.change(store, "INSERT INTO memories VALUES (9, 'other', 'secret of another', '{}', '2026-01-09T00:00:00Z')")
    with pytest.raises(AccessDeniedError, match=r"'assistant' \(4\), 'other' \(1\)"):
        import_into(mem, store)
    with pytest.raises(InvalidInputError, match="it has 'assistant'"):
        import_into(mem, store, scope="nobody")
    assert len(import_into(mem, store, scope="assistant").added) == 3
    assert "secret of another" not in {record.text for record in mem.list()}
    wide = opened(path=tmp_path / "wide.db", policy=Policy.open())
    import_into(wide, store)
    assert {name: found["count"] for name, found in wide.stats("*").items() if found["count"]} == {
        "assistant": 3, "other": 1,
    }  # fmt: skip


def test_rlm_chunks_are_segments_under_their_ids(mem: Memory, his: History, tmp_path: Path) -> None:
    """Chunks keep id, summary, tags, project, domain, entities and date; archived ones are archived and found."""
    report = import_into(mem, foreign.rlm(tmp_path / "ctx"))
    assert (report.segments, report.read) == (2, 4)
    new, old = his.list()
    assert (new.id, new.summary, new.tags, new.project, new.domain) == (
        "2026-01-05_demo_001_dev", "API v2", ("api",), "demo", "dev",
    )  # fmt: skip
    assert (str(new.at)[:10], new.entities["files"], new.metadata["ticket"]) == ("2026-01-05", ("auth.py",), "AB-12")
    assert (old.archived, his.read(old.id)) == (True, "Forgotten gossip about the parser")
    assert [hit.id for hit in his.search("gossip")] == ["2025-11-30_demo_001"]


def test_rlm_insights_keep_importance_and_zone(mem: Memory, tmp_path: Path) -> None:
    """Category is the kind where there is such a kind; an unknown importance is medium; offsets are read."""
    import_into(mem, foreign.rlm(tmp_path / "ctx"))
    tabs, jwt = sorted(mem.list(), key=lambda record: record.id)
    assert (tabs.kind, tabs.importance, tabs.tags, str(tabs.known_from)) == (
        "preference", "high", ("style",), "2026-01-05 08:00:00.000001+00:00",
    )  # fmt: skip
    assert (jwt.text, jwt.kind, jwt.importance) == ("認証はJWT", "decision", "medium")


def test_rlm_reads_no_file_outside_of_its_folder(mem: Memory, tmp_path: Path) -> None:
    """An id that leads elsewhere is left out."""
    folder = foreign.rlm(tmp_path / "ctx")
    (tmp_path / "secret.md").write_text("password of somebody", encoding="utf-8")
    index = json.loads((folder / "index.json").read_text(encoding="utf-8"))
    index["chunks"].append({**index["chunks"][0], "id": "../../secret"})
    (folder / "index.json").write_text(json.dumps(index), encoding="utf-8")
    report = import_into(mem, folder)
    assert [item.ref for item in report.left_out] == ["rlm:chunk/../../secret"]


def test_mcp_memory_service_keeps_versions_deletions_and_edges(mem: Memory, tmp_path: Path) -> None:
    """A line of versions is one memory, a deleted one is history, an edge is a relation."""
    report = import_into(mem, foreign.mcp_memory_service(tmp_path / "m.db"))
    deploy, _, office = report.added
    assert [record.text for record in mem.list(as_of="2026-01-02T12:00:00Z")] == [
        "東京オフィスは渋谷", "nous utilisons PostgreSQL", "the deploy runs at noon",
    ]  # fmt: skip
    assert {record.text for record in mem.list()} == {"東京オフィスは渋谷", "the deploy runs at three"}
    record = mem.get(deploy)
    assert record is not None
    assert (record.kind, record.tags, record.metadata) == ("decision", ("ops",), {"who": "ann"})
    assert mem.why(deploy).related == (office,)


def test_claude_mem_is_derived_but_for_prompts(mem: Memory, tmp_path: Path) -> None:
    """What a model wrote is derived, what the user typed is observed; project, session and files are kept."""
    import_into(mem, foreign.claude_mem(tmp_path / "c.db"))
    seen, summary, prompt = sorted(mem.list(), key=lambda record: record.id)
    assert (seen.trust, seen.kind, seen.project, seen.source) == ("derived", "decision", "shop", "m1")
    assert "tokens live 15 minutes" in seen.text
    assert seen.tags == ("auth", "security")
    assert (seen.metadata["files_read"], str(seen.known_from)) == (["auth.py"], "2026-01-02 03:04:05+00:00")
    assert "認証" in summary.text
    assert (prompt.text, prompt.trust) == ("add login", "observed")


def test_a_graph_keeps_entities_observations_and_relations(mem: Memory, tmp_path: Path) -> None:
    """An entity, each of its observations and each relation are memories about its name."""
    import_into(mem, foreign.graph(tmp_path / "memory.jsonl"))
    assert mem.subjects() == {"Alice": 4, "Société": 1}
    (relation,) = mem.list(where={"relation_to": "Société"})
    assert (relation.text, relation.predicate) == ("Alice works_at Société", "works_at")
    assert mem.recall("東京")[0].text == "東京に住む"


def test_a_torn_last_line_of_a_graph_stops_nothing(mem: Memory, tmp_path: Path) -> None:
    """A record that was cut by a crash is reported by its line."""
    path = foreign.graph(tmp_path / "memory.jsonl")
    with path.open("a", encoding="utf-8") as file:
        file.write('{"type":"entity","name":"Bob","enti')
    report = import_into(mem, path)
    assert (len(report.added), [item.ref for item in report.left_out]) == (5, ["line 4"])


def test_the_first_form_of_the_graph_is_read(mem: Memory, tmp_path: Path) -> None:
    """One document with two lists holds the same graph."""
    path = tmp_path / "memory.json"
    path.write_text(json.dumps({
        "entities": [{"name": "Alice", "entityType": "person", "observations": ["likes tea"]}],
        "relations": [{"from": "Alice", "to": "Bob", "relationType": "knows"}],
    }), encoding="utf-8")  # fmt: skip
    assert recognise(path) == "memory-server"
    assert len(import_into(mem, path).added) == 3


def test_basic_memory_keeps_notes_observations_and_links(mem: Memory, tmp_path: Path) -> None:
    """A note is a memory with its text; observations have category, tags and context; a relation leads to its note."""
    import_into(mem, foreign.basic_memory(tmp_path / "b"))
    notes = {record.subject: record for record in mem.list(kinds="note")}
    coffee = notes["Coffee Brewing"]
    assert (coffee.tags, coffee.metadata) == (("brewing", "hot"), {"rating": "5", "permalink": "notes/coffee"})
    assert "Methods." in coffee.text
    method = mem.list(where={"context": "learned in 2024"})[0]
    assert (method.text, method.predicate, method.tags) == ("Pour over is clear #filter", "method", ("filter",))
    assert {record.metadata["relation_to"] for record in mem.list(where={"relation_to": {"$exists": True}})} == {
        "Tea", "Grinder",
    }  # fmt: skip
    assert "not an observation" not in {record.text for record in mem.list()}
    assert mem.why(coffee.id).related == (notes["Tea"].id,)


def test_agent_memory_keeps_validity_succession_and_sessions(mem: Memory, his: History, tmp_path: Path) -> None:
    """When each held, what took its place, its author and evidence; the archived session is a segment."""
    report = import_into(mem, foreign.agent_memory(tmp_path / "a"))
    assert (report.segments, {record.text for record in mem.list()}) == (1, {"キャッシュはValkey"})
    (redis,) = mem.list(valid_at="2026-01-15")
    assert (redis.text, redis.abstract, redis.project, redis.subject) == (
        "Redis 7, en mémoire.", "The cache is Redis", "shop", "cache",
    )  # fmt: skip
    assert redis.provenance is not None
    assert (redis.provenance.actor, redis.source) == ("claude", "sessions/s1#0-1")
    chain = mem.why(redis.id)
    assert len(chain.superseded_by) == 1
    (session,) = his.list()
    assert (session.id, his.read("s1")) == ("s1", "user: which cache?\n\nassistant: Redis")


def test_instructions_keep_headings_and_code(mem: Memory, tmp_path: Path) -> None:
    """Each item and paragraph is a memory, with the headings above it and the line it stands on."""
    import_into(mem, foreign.instructions(tmp_path / "CLAUDE.md"))
    tabs, run, answer, first = sorted(mem.list(), key=lambda record: record.id)
    assert (tabs.text, tabs.abstract, tabs.kind) == ("Use tabs.", "Project", "procedure")
    assert run.text == "Run `make test`:\n  ```sh\n  make test\n  ```"
    assert (answer.text, answer.metadata) == ("日本語で答える\ntoujours poliment", {"headings": ["Project", "Tests"]})
    assert (first.text, first.provenance and first.provenance.ref) == ("First build", "CLAUDE.md#14")


@pytest.mark.parametrize("name, key", [("chatgpt", "mapping"), ("claude", "chat_messages")])
def test_exported_chats_become_history(mem: Memory, his: History, tmp_path: Path, name: str, key: str) -> None:
    """Conversations are sessions whose turns are found; a second import finds them known."""
    node: dict[str, Any] = {"id": "n1", "parent": None, "children": [], "message": {
        "id": "n1", "author": {"role": "user"}, "create_time": 1767225600,
        "content": {"content_type": "text", "parts": ["où est la gare de 東京?"]}}}  # fmt: skip
    message = {"uuid": "n1", "sender": "human", "created_at": "2026-01-01T00:00:00Z", "text": "où est la gare de 東京?"}
    chat = {"uuid": "c1", "id": "c1", "conversation_id": "c1", "title": "t", "name": "t", "create_time": 1767225600,
            "created_at": "2026-01-01T00:00:00Z", key: {"n1": node} if key == "mapping" else [message]}  # fmt: skip
    path = tmp_path / "conversations.json"
    path.write_text(json.dumps([chat]), encoding="utf-8")
    assert recognise(path) == name
    report = import_into(mem, path)
    assert (report.source, report.turns) == (name, 1)
    assert his.search("gare")[0].text == "où est la gare de 東京?"
    again = import_into(mem, path)
    assert (again.turns, again.known >= 1) == (0, True)
    assert report.batch is not None
    mem.undo(report.batch)
    assert his.search("gare") == []


def test_undo_takes_segments_back_too(mem: Memory, his: History, tmp_path: Path, clock: FakeClock) -> None:
    """After an undo the chunks of the batch are gone; a later import brings them again, under ids never used."""
    source = foreign.rlm(tmp_path / "ctx")
    batch = import_into(mem, source).batch
    assert batch is not None
    clock.advance(60)
    mem.undo(batch)
    assert [segment.id for segment in his.list() if not segment.archived] == []
    clock.advance(60)
    assert import_into(mem, source).segments == 2
    assert {segment.summary for segment in his.list()} == {"API v2", "old"}


def test_segments_in_a_history_that_was_written_are_known_from_now(
    mem: Memory, his: History, tmp_path: Path, clock: FakeClock
) -> None:
    """An older answer does not change; the date that a chunk had is in its metadata."""
    mem.remember("was here before")
    before = clock.now()
    clock.advance(60)
    import_into(mem, foreign.rlm(tmp_path / "ctx"))
    assert his.search("JWT", as_of=before) == []
    (hit, *_) = his.search("JWT")
    assert his.list()[0].metadata["saved_at"].startswith(("2026-01-05T10:00", "2025-11-30T10:00"))
    assert hit.id == "2026-01-05_demo_001_dev"


def test_chroma_keeps_metadata_of_every_type(mem: Memory, tmp_path: Path) -> None:
    """Texts, numbers and truth values come back as they were; a date in the metadata is when it was said."""
    import_into(mem, foreign.chroma(tmp_path / "chroma.sqlite3"))
    first, second = sorted(mem.list(), key=lambda record: record.id)
    assert first.metadata == {"wing": "shop", "chunk_index": 3, "kept": True, "weight": 0.5}
    assert (str(first.known_from), str(second.known_from)) == (
        "2026-01-02 03:04:05+00:00", "2025-12-31 15:00:00+00:00",
    )  # fmt: skip
    assert mem.recall("東京")[0].text == "東京オフィス"


def test_mem0_over_chroma_is_read_as_mem0(mem: Memory, tmp_path: Path) -> None:
    """What mem0 keeps in Chroma has mem0's ids, users and texts."""
    path = foreign.chroma(tmp_path / "chroma.sqlite3")
    for key, value in (("data", "likes tea"), ("user_id", "alex"), ("created_at", "2026-02-01T00:00:00Z")):
        foreign.change(path, "INSERT INTO embedding_metadata(id, key, string_value) VALUES (1, ?, ?)", key, value)
    import_into(mem, path, "mem0")
    (record,) = mem.list()
    assert (record.text, record.metadata["user_id"]) == ("likes tea", "alex")
    assert record.provenance is not None
    assert record.provenance.ref == "mem0:d1"


def test_what_expires_in_mem0_holds_until_then(mem: Memory, tmp_path: Path) -> None:
    """A memory with a day of expiry is valid to the end of that day."""
    path = foreign.lines(
        tmp_path / "m.json", [{"id": "a", "memory": "on holiday", "expiration_date": "2026-05-31",
                               "created_at": "2026-05-01T00:00:00Z", "user_id": "alex"}]
    )  # fmt: skip
    import_into(mem, path)
    assert mem.list() == []
    assert [record.text for record in mem.list(valid_at="2026-05-31T23:59:59Z")] == ["on holiday"]


def test_the_database_of_basic_memory_leads_to_its_notes(mem: Memory, tmp_path: Path) -> None:
    """Named by its database, a project is its scope, and notes are as old as the database says."""
    folder = foreign.basic_memory(tmp_path / "b")
    path = foreign.database(
        tmp_path / "memory.db",
        "CREATE TABLE project(id INTEGER PRIMARY KEY, name TEXT, path TEXT);"
        "CREATE TABLE entity(id INTEGER PRIMARY KEY, project_id INTEGER, file_path TEXT, created_at TEXT,"
        " updated_at TEXT); CREATE TABLE observation(id INTEGER); CREATE TABLE relation(id INTEGER);",
        project=[{"id": 1, "name": "main", "path": str(folder)}],
        entity=[{"project_id": 1, "file_path": "notes/tea.md", "created_at": "2026-01-02T03:04:05+00:00",
                 "updated_at": None}],
    )  # fmt: skip
    assert recognise(path) == "basic-memory"
    report = import_into(mem, path)
    assert len(report.added) == 6
    assert recognise(tmp_path) == "basic-memory"
    assert import_into(mem, tmp_path).known == 6
    (tea,) = mem.list(subject="Tea")
    assert str(tea.known_from) == "2026-01-02 03:04:05+00:00"
    (folder / "notes" / "tea.md").unlink()
    foreign.change(path, "UPDATE project SET path = '/nowhere/at/all'")
    with pytest.raises(InvalidInputError, match="name their folder"):
        import_into(mem, path)
