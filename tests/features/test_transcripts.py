"""Transcripts are read whole, in order, from where they were left; nothing is dropped in silence."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from omoide.errors import InvalidInputError, MissingPathError
from omoide.model.time import to_micros
from omoide.transcripts import reader
from omoide.transcripts.reader import Position, Record

SESSION = "0d9f6b1e-7c55-4a51-9d35-0a2b6a7f1c11"


def said(role: str, content: Any, number: int, **more: Any) -> dict[str, Any]:
    return {
        "type": role, "uuid": f"u{number}", "parentUuid": f"u{number - 1}" if number else None, "sessionId": SESSION,
        "cwd": "/work/billing", "gitBranch": "main", "version": "2.1.39", "isSidechain": False,
        "timestamp": f"2026-06-01T12:00:{number:02d}.000Z", "message": {"role": role, "content": content}, **more,
    }  # fmt: skip


CONVERSATION: list[dict[str, Any]] = [
    {"type": "file-history-snapshot", "messageId": "m", "snapshot": {"timestamp": "2026-06-01T11:59:59Z"}},
    said("user", "Pourquoi le déploiement échoue-t-il ?", 0),
    said("assistant", [{"type": "thinking", "thinking": "private reasoning"}], 1),
    said("assistant", [{"type": "text", "text": "ログを確認します。"}], 2),
    said("assistant", [{"type": "tool_use", "id": "t", "name": "Bash", "input": {"command": "kubectl logs"}}], 3),
    said("user", [{"type": "tool_result", "tool_use_id": "t", "content": "OOMKilled"}], 4),
    said("user", [{"type": "tool_result", "content": [{"type": "text", "text": "two"}, {"type": "image"}]}], 5),
    {"type": "progress", "sessionId": SESSION, "uuid": "p", "parentUuid": "u5", "data": {"type": "hook_progress"}},
    {"type": "system", "subtype": "compact_boundary", "sessionId": SESSION, "content": "Conversation compacted"},
    said("user", "This session is being continued", 6, isCompactSummary=True),
    said("user", "<command-name>/model</command-name>", 7),
    said("user", "caveat", 8, isMeta=True),
    {"type": "a-type-of-next-year", "sessionId": SESSION, "payload": 1},
    {"type": "summary", "summary": "Deployment out of memory", "leafUuid": "u6"},
]


def write(path: Path, lines: list[Any], *, ending: str = "\n") -> Path:
    text = "\n".join(line if isinstance(line, str) else json.dumps(line, ensure_ascii=False) for line in lines)
    path.write_bytes((text + ending).encode())
    return path


@pytest.fixture
def transcript(tmp_path: Path) -> Path:
    return write(tmp_path / f"{SESSION}.jsonl", CONVERSATION)


def records(path: Path, since: Position | None = None) -> list[Record]:
    return list(reader.read(path, since=since))


def test_every_line_is_one_record_in_its_order(transcript: Path) -> None:
    found = records(transcript)
    assert b"\n".join(record.raw for record in found) + b"\n" == transcript.read_bytes()
    assert [record.position for record in found] == sorted({record.position for record in found})


def test_counts_by_type_equal_a_plain_pass(transcript: Path) -> None:
    plain = Counter(f"{line['type']}/{line['subtype']}" if "subtype" in line else line["type"] for line in CONVERSATION)
    assert Counter(record.type for record in records(transcript)) == plain


def test_what_was_said_is_a_turn(transcript: Path) -> None:
    turns = [(record.role, record.text) for record in records(transcript) if record.kind == "turn"]
    assert turns == [
        ("user", "Pourquoi le déploiement échoue-t-il ?"),
        ("assistant", "ログを確認します。"),
        ("assistant", 'Bash: {"command": "kubectl logs"}'),
        ("tool", "OOMKilled"),
        ("tool", "two"),
    ]


def test_thinking_is_kept_but_is_not_searchable(transcript: Path) -> None:
    (thought,) = [record for record in records(transcript) if record.note == "thinking"]
    assert (thought.kind, thought.text) == ("event", "")
    assert b"private reasoning" in thought.raw


def test_what_the_host_wrote_for_the_user_is_no_turn(transcript: Path) -> None:
    notes = {record.note: record.kind for record in records(transcript) if record.type == "user" and record.note}
    assert notes == {"compact summary": "event", "by host": "event", "meta": "event"}


def test_a_type_that_is_not_known_is_kept_raw_and_named(transcript: Path) -> None:
    (unknown,) = [record for record in records(transcript) if record.kind == "raw"]
    assert unknown.type == "a-type-of-next-year"
    assert json.loads(unknown.raw)["payload"] == 1


def test_a_record_carries_time_tool_and_the_hosts_ids(transcript: Path) -> None:
    call = next(record for record in records(transcript) if record.tool)
    assert (call.tool, call.key, call.parent) == ("Bash", "u3", "u2")
    assert call.at == to_micros("2026-06-01T12:00:03Z")


def test_a_session_is_described_by_its_transcript(transcript: Path) -> None:
    (session,) = reader.sessions(transcript)
    assert (session.host, session.name, session.project) == ("claude-code", SESSION, "/work/billing")
    assert (session.branch, session.title, session.parent) == ("main", "Deployment out of memory", None)
    assert session.started == to_micros("2026-06-01T12:00:00Z")


def test_a_subagent_is_a_session_of_its_own_with_a_parent(tmp_path: Path) -> None:
    lines = [said("user", "Explore", 0, isSidechain=True, agentId="a1"), said("assistant", "Done", 1, isSidechain=True)]
    (session,) = reader.sessions(write(tmp_path / "agent-a1.jsonl", lines))
    assert (session.name, session.parent) == (f"{SESSION}/agent-a1", SESSION)


def test_a_sidechain_inside_a_session_is_marked(tmp_path: Path) -> None:
    lines = [said("user", "Main", 0), said("user", "Aside", 1, isSidechain=True)]
    path = write(tmp_path / "s.jsonl", lines)
    assert [record.note for record in records(path)] == ["", "sidechain"]
    assert next(reader.sessions(path)).parent is None


def test_reading_again_from_the_last_place_gives_nothing(transcript: Path) -> None:
    assert records(transcript, records(transcript)[-1].after) == []


def test_appended_lines_alone_are_read(transcript: Path) -> None:
    after = records(transcript)[-1].after
    with transcript.open("a", encoding="utf-8") as file:
        file.write(json.dumps(said("user", "DOI 10.5555/zz-4417", 31)) + "\n")
    assert [record.text for record in records(transcript, after)] == ["DOI 10.5555/zz-4417"]


def test_a_place_survives_being_written_down(transcript: Path) -> None:
    for record in records(transcript):
        assert Position.decode(record.after.encode()) == record.after


def test_reading_in_steps_equals_reading_at_once(transcript: Path) -> None:
    whole = records(transcript)
    for index, record in enumerate(whole):
        assert records(transcript, record.after) == whole[index + 1 :]


def test_a_cut_last_line_is_left_for_the_next_time(tmp_path: Path) -> None:
    path = write(tmp_path / "s.jsonl", [said("user", "one", 0), json.dumps(said("user", "two", 1))[:60]], ending="")
    first = records(path)
    assert [record.text for record in first] == ["one"]
    write(path, [said("user", "one", 0), said("user", "two", 1)])
    assert [record.text for record in records(path, first[-1].after)] == ["two"]


def test_a_whole_last_line_without_newline_is_read_once(tmp_path: Path) -> None:
    path = write(tmp_path / "s.jsonl", [said("user", "one", 0)], ending="")
    first = records(path)
    write(path, [said("user", "one", 0), said("user", "two", 1)])
    assert [record.text for record in (*first, *records(path, first[-1].after))] == ["one", "two"]


@pytest.mark.parametrize("line", ["{half", "[1, 2]", "\x00\x00", '{"type": "user"', "null", '{"a":' * 3000], ids=repr)
def test_a_broken_line_is_kept_and_stops_nothing(tmp_path: Path, line: str) -> None:
    path = write(tmp_path / "s.jsonl", [said("user", "one", 0), line, said("user", "two", 1)])
    assert [record.kind for record in records(path)] == ["turn", "broken", "turn"]
    assert records(path)[1].raw == line.encode()
    assert records(path)[1].note


def test_bytes_that_are_no_text_are_kept_exactly(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    raw = json.dumps(said("user", "caf?", 0)).encode().replace(b"caf?", b"caf\xe9")
    path.write_bytes(raw + b"\n")
    (record,) = records(path)
    assert record.raw == raw
    assert record.text.startswith("caf")


def test_half_of_a_character_cannot_reach_the_store(tmp_path: Path) -> None:
    path = write(tmp_path / "s.jsonl", [json.dumps(said("user", "x\ud83d", 0))])
    records(path)[0].text.encode("utf-8")


def test_a_file_that_shrank_is_read_again(transcript: Path) -> None:
    after = records(transcript)[-1].after
    write(transcript, CONVERSATION[:3])
    assert reader.resume(transcript, after) != after
    assert len(records(transcript, after)) == 3


def test_a_file_that_was_rewritten_is_read_again_with_the_same_keys(transcript: Path) -> None:
    before = records(transcript)
    write(transcript, [*CONVERSATION[1:], said("user", "new", 9)])
    again = records(transcript, before[-1].after)
    assert Counter(record.key for record in again) - Counter(record.key for record in before) == Counter(["u9"])


def test_blank_lines_and_windows_line_ends_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(
        b"\r\n".join([json.dumps(said("user", "one", 0)).encode(), b"", b'{"type":"user","message":{}}', b""])
    )
    assert [record.type for record in records(path)] == ["user", "blank", "user"]


def test_a_byte_order_mark_is_no_obstacle(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(b"\xef\xbb\xbf" + json.dumps(said("user", "one", 0)).encode() + b"\n")
    assert [record.text for record in records(path)] == ["one"]


def test_the_format_is_told_by_content(transcript: Path, tmp_path: Path) -> None:
    other = tmp_path / "notes.bin"
    other.write_bytes(transcript.read_bytes())
    found = reader.detect(other)
    assert found is not None
    assert found.name == "claude-code-jsonl"


def test_an_empty_file_has_no_format_and_no_records(tmp_path: Path) -> None:
    path = tmp_path / "empty.jsonl"
    path.write_bytes(b"")
    assert reader.detect(path) is None
    assert records(path) == []


@pytest.mark.parametrize(
    "raw", [b"\x89PNG\r\n\x1a\n\x00\x00", b'{"some": "object"}', b"PK\x03\x04rest", b"[1, 2, 3]"], ids=repr
)
def test_what_is_no_transcript_says_so(tmp_path: Path, raw: bytes) -> None:
    path = tmp_path / "x"
    path.write_bytes(raw)
    with pytest.raises(InvalidInputError, match="no transcript"):
        records(path)


@pytest.mark.parametrize("call", [reader.detect, reader.read, reader.sessions])
def test_a_file_that_is_not_there_says_so(tmp_path: Path, call: Callable[[Path], object]) -> None:
    with pytest.raises(MissingPathError):
        call(tmp_path / "nowhere.jsonl")


def test_memory_is_bounded_by_a_line_and_not_by_the_file(tmp_path: Path) -> None:
    """Records are made one at a time: the first is there when the rest of the file is not read."""
    path = write(tmp_path / "s.jsonl", [said("user", "x" * 1000, n % 60) for n in range(3000)])
    stream = reader.read(path)
    first = next(stream)
    with path.open("r+b") as file:
        file.truncate(first.end)
    assert len(list(stream)) < 2999
