"""Transcripts of every line format taken into history: counts as a plain pass, once, and exactly what is appended."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from tests.features.test_transcript_lines import CODEX, COPILOT, CURSOR, GEMINI, VSCODE
from tests.features.test_transcripts_data import plain_type
from tests.features.transcript_makers import claude_record as said

from omoide import History

CLAUDE = [
    said(1, "user", "レート制限を追加して"),
    said(2, "assistant", [{"type": "thinking", "thinking": "plan"}, {"type": "text", "text": "D'accord."}]),
    said(3, "assistant", [{"type": "tool_use", "id": "t", "name": "Bash", "input": {"command": "make"}}]),
    said(4, "user", [{"type": "tool_result", "tool_use_id": "t", "content": "1 passed"}]),
    {"type": "summary", "summary": "Rate limits", "leafUuid": "u-4"},
    {"type": "system", "subtype": "compact_boundary", "uuid": "u-5", "sessionId": "s-1", "content": "compacted"},
    {"type": "something-new", "sessionId": "s-1", "value": 1},
]
SAMPLES: dict[str, tuple[list[dict[str, Any]], dict[str, int]]] = {
    "claude-code": (
        CLAUDE, {"user": 2, "assistant": 2, "summary": 1, "system/compact_boundary": 1, "something-new": 1},
    ),
    "codex": (CODEX, {
        "session_meta": 1, "response_item/message": 3, "event_msg/user_message": 1, "turn_context": 1,
        "response_item/reasoning": 1, "response_item/function_call": 1, "response_item/function_call_output": 1,
        "response_item/custom_tool_call": 1, "event_msg/agent_message": 1, "response_item/something_new": 1,
        "compacted": 1,
    }),
    "copilot": (COPILOT, dict(Counter(str(line["type"]) for line in COPILOT))),
    "cursor": (CURSOR, {"user": 1, "assistant": 1, "error": 1}),
    "gemini": (GEMINI, {"header": 1, "user": 1, "gemini": 1, "info": 1, "$set": 1, "$rewindTo": 1}),
    "vscode": (VSCODE, {"initial": 1, "push": 2, "set": 1, "delete": 1}),
}  # fmt: skip


def written(path: Path, lines: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), encoding="utf-8")
    return path


@pytest.mark.parametrize("host", SAMPLES)
def test_every_record_is_counted_by_the_type_that_its_host_gives_it(path: Path, tmp_path: Path, host: str) -> None:
    lines, counts = SAMPLES[host]
    with History(path, embedder="none") as his:
        (taken,) = his.ingest(written(tmp_path / "t.jsonl", lines)).files
        assert dict(taken.counts) == counts
        assert (taken.new, his.sessions()[0].records) == (len(lines), len(lines))
        assert dict(his.sessions()[0].counts) == counts
        assert his.ingest(tmp_path / "t.jsonl").new == 0


@pytest.mark.parametrize("host", SAMPLES)
def test_what_is_appended_is_exactly_what_is_new(path: Path, tmp_path: Path, host: str) -> None:
    lines, counts = SAMPLES[host]
    with History(path, embedder="none") as his:
        total: Counter[str] = Counter()
        for end in range(1, len(lines) + 1):
            taken = his.ingest(written(tmp_path / "t.jsonl", lines[:end])).files[0]
            total.update(taken.counts)
            assert taken.status == "skipped" or taken.new == sum(taken.counts.values())
        assert dict(total) == counts
        assert sum(session.records for session in his.sessions()) == len(lines)
        assert his.integrity_check() == []


def test_a_record_of_a_type_that_nobody_knows_is_kept_and_reported(path: Path, tmp_path: Path) -> None:
    with History(path, embedder="none") as his:
        done = his.ingest(written(tmp_path / "t.jsonl", CLAUDE))
        assert done.unknown == {"something-new": 1}
        assert his.status()["default"]["unknown"] == 1


def test_one_broken_file_stops_nothing(path: Path, tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "a.db").write_bytes(b"SQLite format 3\x00" + b"x" * 4000)
    written(folder / "b.jsonl", CLAUDE)
    (folder / "c.jsonl").write_text(json.dumps(CODEX[0]) + "\n{broken\n" + json.dumps(CODEX[2]) + "\n")
    with History(path, embedder="none") as his:
        done = his.ingest(folder)
        assert {Path(file.path).name: file.status for file in done.files} == {
            "a.db": "failed", "b.jsonl": "new", "c.jsonl": "new",
        }  # fmt: skip
        assert (done.new, sum(file.broken for file in done.files)) == (10, 1)


def test_one_conversation_under_two_names_is_kept_once(path: Path, tmp_path: Path) -> None:
    written(tmp_path / "one.jsonl", CLAUDE)
    written(tmp_path / "two.jsonl", CLAUDE)
    with History(path, embedder="none") as his:
        his.ingest([tmp_path / "one.jsonl", tmp_path / "two.jsonl"])
        (session,) = his.sessions()
        assert session.records == len(CLAUDE)
        assert his.ingest(tmp_path / "two.jsonl").new == 0


def test_real_transcripts_are_taken_in_with_the_counts_of_a_plain_pass(files: list[Path]) -> None:
    for path in files:
        with History(":memory:", embedder="none") as his:
            (taken,) = his.ingest(path).files
            assert taken.status == "new", (path, taken.reason)
            assert sum(taken.counts.values()) == taken.new == sum(e.records for e in his.sessions()), path
            if path.suffix == ".jsonl":
                lines = [line for line in path.read_bytes().split(b"\n") if line.strip()]
                assert Counter(taken.counts) == Counter(plain_type(json.loads(line)) for line in lines), path
            assert his.ingest(path).new == 0, path


def test_a_folder_of_real_transcripts_twice_adds_nothing(files: list[Path], tmp_path: Path) -> None:
    folder = next(parent for parent in files[0].parents if parent.name.startswith("transcripts"))
    with History(tmp_path / "agents.db", embedder="none") as his:
        first = his.ingest(folder)
        assert first.failed == {}
        assert his.ingest(folder).new == 0
        assert sum(session.records for session in his.sessions()) == first.new
        assert his.integrity_check() == []


def test_real_transcripts_that_grow_add_what_is_appended(files: list[Path], tmp_path: Path) -> None:
    for path in [path for path in files if path.suffix == ".jsonl"][::4]:
        lines = path.read_bytes().splitlines(keepends=True)
        half = max(len(lines) // 2, 1)
        copy = tmp_path / "t.jsonl"
        copy.write_bytes(b"".join(lines[:half]))
        with History(":memory:", embedder="none") as his:
            before = his.ingest(copy).files[0]
            copy.write_bytes(b"".join(lines))
            after = his.ingest(copy).files[0]
            whole = Counter(before.counts) + Counter(after.counts)
            assert sum(whole.values()) == sum(e.records for e in his.sessions()), path
            assert whole == Counter(plain_type(json.loads(line)) for line in lines if line.strip()), path
