"""Conversations taken out of a store, put into another, merged: nothing lost, nothing twice, purges carried out."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from omoide import History, Memory
from omoide.errors import InvalidInputError


def line(number: int, text: str, role: str = "user", session: str = "s-1") -> str:
    content: object = text if role == "user" else [{"type": "text", "text": text}]
    said = {
        "type": role, "uuid": f"{session}-{number}", "sessionId": session, "parentUuid": None, "cwd": "/nowhere/app",
        "timestamp": f"2026-05-01T09:00:{number:02}.000Z", "version": "2.0.0", "isSidechain": False,
        "userType": "external", "message": {"role": role, "content": content},
    }  # fmt: skip
    return json.dumps(said, ensure_ascii=False) + "\n"


@pytest.fixture
def transcript(tmp_path: Path) -> Path:
    file = tmp_path / "s-1.jsonl"
    file.write_text(line(1, "rotate the tokens") + line(2, "認証の設計", "assistant"), encoding="utf-8")
    return file


@pytest.fixture
def full(tmp_path: Path, transcript: Path) -> Path:
    """A store with a session, an active segment, an archived one and a replaced snapshot."""
    path = tmp_path / "full.db"
    with History(path, embedder="none") as his:
        his.ingest(transcript, project="omoide", domain="auth")
        his.save("the first note on tea", tags=["tea"], project="omoide", session="s-1", metadata={"by": "me"})
        his.archive(his.save("the second note, on coffee", project="omoide", importance="high"))
        his.save("state one", kind="snapshot", project="omoide")
        his.save("state two", kind="snapshot", project="omoide")
    return path


def told(his: History) -> list[object]:
    segments = [(s.id, s.kind, s.summary, s.tags, s.archived, s.replaced_by, s.importance) for s in his.list()]
    sessions = [(s.id, s.host, s.turns, s.records, s.project, s.domain, dict(s.counts)) for s in his.sessions()]
    return [*segments, *sessions, his.read("s-1"), [each.id for each in his.search("note tea coffee tokens", k=9)]]


def carry(how: str, full: Path, target: Path) -> None:
    with Memory(full, embedder="none") as source, Memory(target, embedder="none") as mem:
        if how == "merge":
            mem.merge_from(full)
        else:
            file = full.with_suffix(".jsonl")
            source.export(file)
            mem.import_(file)


@pytest.mark.parametrize("how", ["import", "merge"])
def test_another_store_has_the_same_conversations(full: Path, path: Path, how: str) -> None:
    carry(how, full, path)
    with History(full, embedder="none") as one, History(path, embedder="none") as other:
        assert told(other) == told(one)
        assert other.integrity_check() == []


def test_an_import_into_an_empty_store_keeps_the_times_and_the_audit_chain(full: Path, path: Path) -> None:
    carry("import", full, path)
    with History(full, embedder="none") as one, History(path, embedder="none") as other:
        assert [s.at for s in other.list()] == [s.at for s in one.list()]
        assert other.sessions()[0].added_at == one.sessions()[0].added_at
        assert other.read("s-1").of == 2
    with Memory(path, embedder="none") as mem:
        assert mem.verify() == []


@pytest.mark.parametrize("how", ["import", "merge"])
def test_a_second_time_brings_nothing(full: Path, path: Path, how: str) -> None:
    carry(how, full, path)
    with History(path, embedder="none") as other:
        before = told(other)
    carry(how, full, path)
    with History(path, embedder="none") as other:
        assert told(other) == before


def test_records_of_one_session_are_joined(full: Path, path: Path, tmp_path: Path, transcript: Path) -> None:
    """Two copies took in different parts of one transcript."""
    longer = tmp_path / "longer" / "s-1.jsonl"
    longer.parent.mkdir()
    longer.write_text(transcript.read_text(encoding="utf-8") + line(3, "and one more word"), encoding="utf-8")
    with History(path, embedder="none") as other:
        other.ingest(longer)
    carry("merge", full, path)
    carry("merge", path, full)
    for store in (full, path):
        with History(store, embedder="none") as his:
            assert (his.sessions()[0].turns, dict(his.sessions()[0].counts)) == (3, {"user": 2, "assistant": 1})
            assert his.ingest(longer).new == 0


def test_two_different_segments_of_one_id_both_stay(full: Path, path: Path) -> None:
    with History(path, embedder="none") as other:
        mine = other.save("a note of my own", project="omoide")
    carry("merge", full, path)
    with History(path, embedder="none") as other:
        assert other.read(mine) == "a note of my own"
        assert len(other.list()) == 5
        assert len({each.id for each in other.list()}) == 5


def test_a_purge_is_carried_out_in_the_copy_and_an_export_brings_nothing_back(
    full: Path, path: Path, tmp_path: Path
) -> None:
    other = path
    with Memory(full, embedder="none") as mem:
        mem.export(tmp_path / "before.jsonl")
    carry("merge", full, other)
    with History(full, embedder="none") as his:
        gone = his.list(project="omoide", tags="tea")[0].id
        his.purge(gone)
        his.purge(session="s-1")
    carry("merge", full, other)
    with Memory(other, embedder="none") as mem:
        refused = mem.import_(tmp_path / "before.jsonl").refused
        assert {each.reason for each in refused} == {"purged"}
    with History(other, embedder="none") as his:
        assert his.search("tea") == []
        assert his.sessions() == []
        assert len(his.list()) == 3
        assert his.integrity_check() == []


def test_a_purge_of_another_segment_with_the_same_id_takes_nothing_away(full: Path, path: Path) -> None:
    with History(path, embedder="none") as other:
        other.purge(other.save("a note of my own", project="omoide"))
    carry("merge", path, full)
    with History(full, embedder="none") as his:
        assert len(his.list()) == 4


def test_undo_of_a_merge_takes_the_conversations_back(full: Path, path: Path) -> None:
    with Memory(path, embedder="none") as mem:
        mem.remember("something of my own")
        batch = mem.merge_from(full).batch
        assert batch is not None
        mem.undo(batch)
    with History(path, embedder="none") as his:
        assert his.list() == []
        assert his.sessions() == []
        assert his.integrity_check() == []


def test_a_dry_run_takes_nothing_in(full: Path, path: Path) -> None:
    with Memory(path, embedder="none") as mem:
        report = mem.merge_from(full, dry_run=True)
        assert (report.turns, report.segments) == (2, 4)
    with History(path, embedder="none") as his:
        assert his.list() == []


def test_a_damaged_line_of_a_conversation_is_named(full: Path, path: Path, tmp_path: Path) -> None:
    file = tmp_path / "export.jsonl"
    with Memory(full, embedder="none") as mem:
        mem.export(file)
    lines = file.read_text(encoding="utf-8").splitlines()
    number = next(n for n, text in enumerate(lines) if '"type":"turn"' in text)
    lines[number] = lines[number].replace('"raw":"', '"raw":"AAAA')
    end = json.loads(lines[-1])
    del end["sha256"]
    file.write_text("\n".join([*lines[:-1], json.dumps(end)]) + "\n", encoding="utf-8")
    with Memory(path, embedder="none") as mem:
        with pytest.raises(InvalidInputError, match=f"line {number + 1}"):
            mem.import_(file)
        assert mem.stats()["default"]["count"] == 0


def test_one_state_gives_one_export_and_one_dump(full: Path, path: Path) -> None:
    carry("import", full, path)
    dumps = []
    for store in (full, path):
        with Memory(store, embedder="none") as mem:
            text = io.StringIO()
            mem.dump(text)
            dumps.append(text.getvalue())
    assert "認証の設計" in dumps[0]
    assert "the second note, on coffee" in dumps[0]
    assert dumps[0] == dumps[1]
