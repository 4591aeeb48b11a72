"""Conversations of programs that keep them as the interfaces of models take them: one message a line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from omoide import History
from omoide.testing import FakeClock

TALK: list[dict[str, Any]] = [
    {"role": "system", "content": "You help with gardens."},
    {"role": "user", "content": "Où planter l'érable ?", "timestamp": "2026-05-01T10:00:00Z"},
    {"role": "assistant", "content": [{"type": "text", "text": "日陰に植えます。"}]},
    {"role": "assistant", "content": "", "tool_calls": [{"function": {"name": "weather", "arguments": '{"day": 3}'}}]},
    {"role": "tool", "content": "rain until Thursday"},
]


def write(path: Path, messages: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(one, ensure_ascii=False) + "\n" for one in messages), encoding="utf-8")
    return path


@pytest.fixture
def history(path: Path, clock: FakeClock) -> Any:
    with History(path, clock=clock, embedder="none") as opened:
        yield opened


def test_what_was_said_is_found_and_what_instructed_the_model_is_not(history: History, tmp_path: Path) -> None:
    (taken,) = history.ingest(write(tmp_path / "talk.jsonl", TALK)).files
    assert (taken.format, taken.new, taken.turns) == ("messages-jsonl", 5, 4)
    assert [hit.text for hit in history.search("érable")] == ["Où planter l'érable ?"]
    assert [hit.text for hit in history.search("日陰")] == ["日陰に植えます。"]
    assert history.search("gardens") == []
    assert [hit.text for hit in history.search("rain", role="tool")] == ["rain until Thursday"]
    assert history.search("rain") == []


def test_a_conversation_that_grew_gives_its_new_messages_only(history: History, tmp_path: Path) -> None:
    file = write(tmp_path / "talk.jsonl", TALK)
    history.ingest(file)
    write(file, [*TALK, {"role": "user", "content": "And the DOI 10.5555/zz-4417?"}])
    assert history.ingest(file).new == 1
    assert [hit.text for hit in history.search("10.5555/zz-4417")] == ["And the DOI 10.5555/zz-4417?"]
    assert history.ingest(file).new == 0


def test_a_session_that_the_lines_name_is_that_session_in_any_file(history: History, tmp_path: Path) -> None:
    named = [{**one, "session_id": "talk-7", "id": str(n)} for n, one in enumerate(TALK)]
    history.ingest(write(tmp_path / "a.jsonl", named))
    assert history.ingest(write(tmp_path / "b.jsonl", named)).new == 0
    assert [session.id for session in history.sessions()] == ["talk-7"]


@pytest.mark.parametrize("lines", [[{"text": "a note"}], [{"role": "captain", "content": "x"}], [{"role": "user"}]])
def test_other_lines_are_no_conversation(history: History, tmp_path: Path, lines: list[dict[str, Any]]) -> None:
    (taken,) = history.ingest(write(tmp_path / "rows.jsonl", lines)).files
    assert taken.status == "skipped"
