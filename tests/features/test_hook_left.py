"""Sessions that ended without capture: found at a later start, captured or listed, settled by a person."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

import pytest
from tests.features.hook_kit import SESSION, Hooks

from omoide import History
from omoide.errors import NotFoundError


def left(hooks: Hooks, session: str = "crashed-1") -> Path:
    """A session that edited something and was killed."""
    path = hooks.say("Work before the crash.", session=session)
    payload = hooks.common("PostToolUse", session) | {"tool_name": "Edit", "tool_input": {"file_path": "a.py"}}
    hooks("claude-code", "PostToolUse", payload)
    return path


def age(hooks: Hooks) -> None:
    """Let twenty minutes pass."""
    then = time.time() - 1_200
    for path in [*(hooks.folder / "traces").iterdir(), *hooks.home.rglob("*.jsonl")]:
        os.utime(path, (then, then))


def test_one_that_crashed_is_captured_at_the_next_start(hooks: Hooks) -> None:
    left(hooks)
    age(hooks)
    hooks.claude("SessionStart", source="startup")
    hooks.work()
    assert hooks.found("before the crash") == ["Work before the crash."]
    assert [row["moment"] for row in hooks.captures()] == ["found"]


def test_one_that_goes_on_is_left_alone(hooks: Hooks) -> None:
    left(hooks)
    hooks.claude("SessionStart", source="startup")
    hooks.work()
    assert hooks.found("before the crash") == []


def test_one_whose_transcript_is_gone_is_listed_and_told_once(hooks: Hooks) -> None:
    path = left(hooks)
    age(hooks)
    path.unlink()
    assert hooks.unsaved() == ["crashed-1"]
    first = hooks.claude("SessionStart", source="startup").context
    assert "crashed-1" in first
    assert "1 edits in 1 files" in first
    again = hooks.claude("SessionStart", source="compact").context
    assert "crashed-1" not in again


def test_a_captured_session_is_whole_after_its_host_threw_the_transcript_away(hooks: Hooks) -> None:
    """However soon a host deletes its transcripts, what was captured before is kept and no loss is told of."""
    path = hooks.say("Rotate the token before Friday.")
    hooks.claude("SessionEnd", reason="other")
    hooks.work()
    path.unlink()
    assert hooks.claude("SessionStart", source="startup").context == ""
    hooks.work()
    assert hooks.found("token Friday") == ["Rotate the token before Friday."]
    assert hooks.unsaved() == []


def test_a_crashed_one_is_captured_whatever_its_age(hooks: Hooks) -> None:
    """Nothing assumes for how long a host keeps transcripts: what is still there at a start is taken."""
    left(hooks)
    then = time.time() - 45 * 86_400
    for path in [*(hooks.folder / "traces").iterdir(), *hooks.home.rglob("*.jsonl")]:
        os.utime(path, (then, then))
    hooks.claude("SessionStart", source="startup")
    hooks.work()
    assert hooks.found("before the crash") == ["Work before the crash."]


def test_an_acknowledged_one_is_not_listed(hooks: Hooks) -> None:
    path = left(hooks)
    age(hooks)
    path.unlink()
    with History(hooks.store, embedder="none") as history:
        history.ack("crashed-1", reason="nothing of value")
    assert hooks.unsaved() == []


def test_nobody_can_acknowledge_what_was_never_there(hooks: Hooks) -> None:
    with History(hooks.store, embedder="none") as history, pytest.raises(NotFoundError, match="nobody"):
        history.ack("nobody")


def test_one_that_was_captured_and_went_on_is_unsaved_again(hooks: Hooks) -> None:
    path = left(hooks)
    hooks("claude-code", "SessionEnd", hooks.common("SessionEnd", "crashed-1"))
    hooks.work()
    assert hooks.unsaved() == []
    left(hooks)
    age(hooks)
    path.unlink()
    assert hooks.unsaved() == ["crashed-1"]


def test_a_transcript_that_no_hook_ever_named_is_found_in_the_folder_of_its_host(hooks: Hooks) -> None:
    hooks.claude("SessionStart", source="startup")
    hooks.work()
    hooks.say("Nobody told of this one.", session="unheard")
    age(hooks)
    scan = json.loads((hooks.folder / "scan.json").read_text(encoding="utf-8"))
    (hooks.folder / "scan.json").write_text(json.dumps({**scan, "at": 0, "since": 0}), encoding="utf-8")
    hooks.work()
    assert hooks.found("Nobody told") == ["Nobody told of this one."]


def test_transcripts_from_before_the_first_hook_are_left_alone(hooks: Hooks) -> None:
    hooks.say("Long before.", session="old")
    os.utime(hooks.transcript("old"), (1_000_000_000, 1_000_000_000))
    hooks.claude("SessionStart", source="startup")
    hooks.work()
    assert hooks.found("Long before") == []


def test_the_last_small_turn_of_a_host_without_an_end_is_taken_at_the_next_start(hooks: Hooks) -> None:
    hooks.say("A first turn.")
    hooks.claude("Stop")
    hooks.work()
    hooks.say("A last small turn.")
    hooks.claude("Stop")
    hooks.work()
    assert hooks.found("last small") == []
    then = time.time() - 60
    os.utime(hooks.folder / "traces" / f"{SESSION}.jsonl", (then, then))
    hooks("claude-code", "SessionStart", hooks.common("SessionStart", "the-next") | {"source": "startup"})
    hooks.work()
    assert hooks.found("last small") == ["A last small turn."]


def test_listing_instead_of_capturing_can_be_chosen(hooks: Hooks, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMOIDE_RECOVER", "list")
    left(hooks)
    age(hooks)
    assert "crashed-1" in hooks.claude("SessionStart", source="startup").context
    hooks.work()
    assert hooks.found("before the crash") == []


def test_a_captured_session_whose_transcript_grew_is_captured_again(hooks: Hooks) -> None:
    left(hooks)
    hooks("claude-code", "Stop", hooks.common("Stop", "crashed-1"))
    hooks.work()
    hooks.say("After the last capture.", session="crashed-1")
    age(hooks)
    scan = json.loads((hooks.folder / "scan.json").read_text(encoding="utf-8"))
    (hooks.folder / "scan.json").write_text(json.dumps({**scan, "at": 0}), encoding="utf-8")
    hooks.work()
    assert hooks.found("last capture") == ["After the last capture."]
