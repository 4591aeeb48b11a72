"""The commands about hooks: what they show to people, in their language, and to programs."""

from __future__ import annotations

import io
import json
import sys

import pytest
from tests.surfaces.command_line import CommandLine

from omoide.beside import traces
from omoide.capture import hook


@pytest.fixture
def told(cli: CommandLine, monkeypatch: pytest.MonkeyPatch) -> CommandLine:
    """A store with a rule, shown to a session that then ended, and a session that was left behind."""
    monkeypatch.setenv("OMOIDE_NO_WORKER", "1")
    monkeypatch.setenv("OMOIDE_EMBEDDER", "none")
    monkeypatch.setenv("OMOIDE_TRANSCRIPT_ROOTS", str(cli.folder))
    cli("remember", "Never push to main.", "--importance", "critical")
    transcript = cli.folder / "said.jsonl"
    said = {"type": "user", "sessionId": "s-1", "uuid": "u-1", "message": {"role": "user", "content": "Hello there."}}
    transcript.write_text(json.dumps(said) + "\n", encoding="utf-8")
    for event in ("SessionStart", "SessionEnd"):
        payload = {"session_id": "s-1", "transcript_path": str(transcript), "cwd": "", "hook_event_name": event}
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(json.dumps(payload).encode())))
        assert hook.main(["claude-code", event, "--store", str(cli.store)]) == 0
    edit = {"k": "edit", "paths": ["a.py"], "t": "2026-01-02T03:04:05Z"}
    traces.add(str(cli.store), {"session": "left-1", "host": "codex", "namespace": "default"}, edit, {"k": "end"})
    return cli


def test_captures_shows_the_ledger_and_what_was_left(told: CommandLine) -> None:
    out = told("captures").out
    assert "accepted" in out
    assert "left-1" in out


def test_capture_carries_out_what_waits(told: CommandLine) -> None:
    assert told("capture").out.strip() == "1 capture carried out."
    assert told.json("captures")["results"][0]["state"] == "stored"
    assert "Hello there." in told("history-search", "Hello").out


def test_ack_settles_a_session(told: CommandLine) -> None:
    assert "left-1" in told("ack", "left-1", "--reason", "an experiment").out
    assert told.json("captures")["unsaved"] == []
    assert told("ack", "nobody", status=None).status != 0


def test_injected_shows_what_was_shown(told: CommandLine) -> None:
    (row,) = told.json("injected")["results"]
    assert (row["session"], row["memories"], row["event"]) == ("s-1", [1], "SessionStart")
    assert "SessionStart" in told("injected").out


def test_context_prints_the_block_that_agents_are_shown(told: CommandLine) -> None:
    out = told("context").out
    assert out.startswith("Standing rules:\n<stored-text")
    assert "> Never push to main." in out


def test_context_takes_several_subjects_and_a_budget(told: CommandLine) -> None:
    told("remember", "lives in Osaka", "--subject", "Bob")
    told("remember", "lives in Rome", "--subject", "Eve")
    both = told.json("context", "--subject", "Bob", "--subject", "Eve")["results"]
    assert [row["subject"] for row in both] == ["Eve", "Bob"]
    assert told.json("context", "--budget", "1")["truncated"] is True


@pytest.mark.parametrize(
    "language,words", [("en", "Carry out now"), ("fr", "Effectuer maintenant"), ("ja", "今取り込み")]
)
def test_the_commands_explain_themselves(told: CommandLine, language: str, words: str) -> None:
    assert words in told("--lang", language, "capture", "--help").out.replace("\n", " ")


def test_hook_explains_itself(told: CommandLine) -> None:
    assert "HOST EVENT" in told("hook", "--help").out


def test_nothing_yet_is_said_so(cli: CommandLine) -> None:
    assert cli("captures").out.strip() == "Nothing yet."
    assert cli("injected").out.strip() == "Nothing yet."
