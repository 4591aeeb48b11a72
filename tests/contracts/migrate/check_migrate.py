"""Stores that the real packages wrote, imported: counts, texts, dates, zones, links; twice; after they grew."""

from __future__ import annotations

import hashlib
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))

from places import NODE, PYTHON, make

from omoide import History, Index, Memory, Policy
from omoide.migrate import export_as, import_into
from omoide.migrate.recognising import recognise

SYSTEMS = {name: name.replace("_", "-") for name in (*PYTHON, *NODE)}


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "agents.db"


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).astimezone(UTC)


def source_of(name: str, folder: Path) -> Path:
    places = {"rmbr": "rmbr.db", "chroma": "chroma", "rlm": "context", "memory_server": "memory.jsonl"}
    return folder / places[name] if name in places else folder


def contents(folder: Path) -> dict[str, str]:
    files = [file for file in folder.rglob("*") if file.is_file() and "/." not in file.as_posix()]
    return {str(file): hashlib.sha256(file.read_bytes()).hexdigest() for file in files}


@pytest.mark.parametrize("name", SYSTEMS)
def test_recognised_read_only_twice_and_grown(name: str, tmp_path: Path, store: Path) -> None:
    """What holds for every one of them."""
    folder = tmp_path / "theirs"
    make(name, folder)
    source = source_of(name, folder)
    assert recognise(source) == SYSTEMS[name]
    before = contents(folder)
    with Memory(store, embedder="none", policy=Policy.open()) as mem:
        report = import_into(mem, source)
        assert report.left_out == () and report.added
        assert contents(folder) == before
        again = import_into(mem, source)
        assert (again.added, again.changed, again.segments, again.documents, again.batch) == ((), (), 0, 0, None)
        count = sum(found["count"] for found in mem.stats("*").values())
        make(name, folder, grow=True)
        grown = import_into(mem, source)
        assert len(grown.added) + grown.segments >= 1
        assert sum(found["count"] for found in mem.stats("*").values()) == count + len(grown.added)
        assert (mem.integrity_check(), mem.verify(), mem.conflicts()) == ([], [], [])


def test_rmbr(tmp_path: Path, store: Path) -> None:
    truth = make("rmbr", tmp_path / "theirs")
    with Memory(store, embedder="none") as mem:
        report = import_into(mem, tmp_path / "theirs" / "rmbr.db")
        records = {record.provenance.ref: record for record in mem.list()}
        assert len(records) == len(truth["memories"]) == 3
        for row in truth["memories"]:
            record = records[f"rmbr:memory/{row['id']}"]
            pinned = row["metadata"].pop("_pinned", False)
            assert (record.text, record.metadata, record.pinned) == (row["text"], row["metadata"], pinned)
            assert record.known_from == record.created_at == at(row["at"])
        assert report.documents == truth["documents"] == 1
        make("rmbr", tmp_path / "theirs", grow=True)
        grown = import_into(mem, tmp_path / "theirs" / "rmbr.db")
        assert (len(grown.added), len(grown.changed)) == (1, 1)
        assert {"habite à Paris", "habite à Lyon"} <= {v.text for v in mem.why(grown.changed[0]).versions}
    with Index(store, embedder="none") as idx:
        assert idx.stats()["default"]["chunks"] == truth["chunks"]
        assert idx.search("rollback")[0].metadata["team"] == "ops"


def test_mem0(tmp_path: Path, store: Path) -> None:
    truth = make("mem0", tmp_path / "theirs")
    with Memory(store, embedder="none", policy=Policy.open()) as mem:
        import_into(mem, tmp_path / "theirs")
        (tea,) = mem.list(namespace="user_id:alex")
        (told,) = truth["alex"]
        assert (tea.text, tea.metadata["cat"], tea.provenance.ref) == (told["memory"], "drinks", f"mem0:{told['id']}")
        first, last = truth["history"][told["id"]]
        versions = mem.why(tea.id).versions
        assert (versions[0].text, versions[0].known_from) == (first["new_memory"], at(first["created_at"]))
        assert (versions[-1].text, versions[-1].known_from) == (last["new_memory"], at(last["updated_at"]))
        (tokyo,) = mem.list(namespace="user_id:yuki|agent_id:bot")
        assert tokyo.text == truth["yuki"][0]["memory"]
        (gone,) = mem.list(include_retracted=True, namespace="default")
        assert (gone.text, gone.status) == ("habite à Paris", "forgotten")
    with Memory(tmp_path / "export.db", embedder="none") as mem:
        import_into(mem, tmp_path / "theirs" / "alex.json.export")
        assert [record.text for record in mem.list()] == ["likes green tea"]


def test_mcp_memory_service(tmp_path: Path, store: Path) -> None:
    truth = {row["text"]: row for row in make("mcp_memory_service", tmp_path / "theirs")}
    with Memory(store, embedder="none") as mem:
        report = import_into(mem, tmp_path / "theirs")
        records = {record.text: record for record in mem.list()}
        assert set(records) == {"the deploy runs at three", "東京オフィスは渋谷にある"}
        for text, record in records.items():
            assert sorted(record.tags) == sorted(truth[text]["tags"])
            assert abs(record.known_from.timestamp() - truth[text]["at"]) < 1e-3
        deploy = records["the deploy runs at three"]
        assert {version.text for version in mem.why(deploy.id).versions} == {
            "the deploy runs at noon", "the deploy runs at three",
        }
        assert [r.text for r in mem.list(as_of="2023-12-01")] == ["the deploy runs at noon"]
        assert mem.why(deploy.id).related == (records["東京オフィスは渋谷にある"].id,)
        assert len(report.added) == 3


def test_rlm(tmp_path: Path, store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    truth = make("rlm", tmp_path / "theirs")
    with Memory(store, embedder="none") as mem:
        import_into(mem, tmp_path / "theirs" / "context")
        records = {record.text: record for record in mem.list()}
        assert set(records) == {insight["content"] for insight in truth["insights"]}
        assert records["Alice préfère les tabulations"].importance == "high"
    with History(store, embedder="none") as his:
        segments = {segment.id: segment for segment in his.list()}
        assert set(segments) == {chunk["id"] for chunk in truth["chunks"] + truth["archived"]}
        assert [segment.id for segment in segments.values() if segment.archived] == [truth["archived"][0]["id"]]
        assert str(his.read(truth["chunks"][0]["id"])) == "# API v2\nWe use JWT in src/auth.py"
        assert his.search("gossip")[0].id == truth["archived"][0]["id"]


def test_chroma(tmp_path: Path, store: Path) -> None:
    truth = make("chroma", tmp_path / "theirs")
    with Memory(store, embedder="none") as mem:
        import_into(mem, tmp_path / "theirs" / "chroma")
        records = {record.provenance.ref: record for record in mem.list()}
        for id, text, metadata in zip(truth["ids"], truth["documents"], truth["metadatas"], strict=True):
            record = records[f"chroma:drawers/{id}"]
            assert (record.text, record.metadata) == (text, metadata)
        assert records["chroma:drawers/d2"].known_from == at("2026-01-01T00:00:00+09:00")


def test_memory_server(tmp_path: Path, store: Path) -> None:
    truth = make("memory_server", tmp_path / "theirs")
    with Memory(store, embedder="none") as mem:
        report = import_into(mem, tmp_path / "theirs" / "memory.jsonl")
        observations = sum(len(entity["observations"]) for entity in truth["entities"])
        assert len(report.added) == len(truth["entities"]) + observations + len(truth["relations"])
        export_as(mem, tmp_path / "back" / "memory.jsonl", "memory-server")
    (tmp_path / "back" / "memory.jsonl").rename(tmp_path / "theirs" / "memory.jsonl")
    grown = make("memory_server", tmp_path / "theirs", grow=True)
    assert {entity["name"] for entity in grown["entities"]} == {entity["name"] for entity in truth["entities"]}
    assert grown["relations"] == truth["relations"]


def test_claude_mem(tmp_path: Path, store: Path) -> None:
    truth = make("claude_mem", tmp_path / "theirs")
    with Memory(store, embedder="none") as mem:
        import_into(mem, tmp_path / "theirs")
        records = {record.provenance.ref: record for record in mem.list()}
        assert len(records) == sum(map(len, truth.values())) == 4
        for row in truth["observations"]:
            record = records[f"claude-mem:observations/{row['id']}"]
            assert row["title"] in record.text and row["narrative"] in record.text
            assert (record.project, record.trust) == ("shop", "derived")
            assert int(record.known_from.timestamp() * 1000) == row["created_at_epoch"]
        assert records["claude-mem:user_prompts/1"].text == "ajoute la connexion"
