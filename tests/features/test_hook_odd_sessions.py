"""Sessions that are told of in unusual ways: without a path, in a database, with any name, with helpers."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from tests.features.hook_kit import SESSION, Hooks, claude_line

from omoide import History
from omoide.beside import traces
from omoide.beside.places import safe

HERMES = """
CREATE TABLE sessions(
  id TEXT PRIMARY KEY, source TEXT, parent_session_id TEXT, title TEXT, cwd TEXT, started_at REAL);
CREATE TABLE messages(id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT, role TEXT, content TEXT, tool_calls TEXT,
  tool_name TEXT, timestamp REAL);
INSERT INTO sessions VALUES('h-1', 'cli', NULL, 'Taxes', NULL, 1780315200.0);
INSERT INTO messages(session_id, role, content, timestamp) VALUES('h-1', 'user', 'Said to Hermes.', 1780315200.5);
"""


def hermes(hooks: Hooks, event: str) -> None:
    payload = {"hook_event_name": event, "session_id": "h-1", "cwd": str(hooks.project), "extra": {}}
    hooks("hermes", event, payload)


def test_hermes_tells_no_path_and_its_database_is_found(hooks: Hooks) -> None:
    (hooks.home / ".hermes").mkdir()
    with closing(sqlite3.connect(hooks.home / ".hermes" / "state.db")) as connection:
        connection.executescript(HERMES)
    hermes(hooks, "on_session_end")
    hooks.work()
    assert hooks.found("Hermes") == ["Said to Hermes."]
    with closing(sqlite3.connect(hooks.home / ".hermes" / "state.db")) as connection:
        connection.execute("INSERT INTO messages(session_id, role, content) VALUES('h-1', 'user', 'And later.')")
        connection.commit()
    for _ in range(8):  # as often as a host likes, in one place of a transcript that has none
        hermes(hooks, "on_session_finalize")
        hooks.work()
    assert hooks.found("later") == ["And later."]
    assert {row["state"] for row in hooks.captures()} == {"stored"}


def test_copilot_tells_no_path_at_the_end_and_its_file_is_found_by_its_session(hooks: Hooks) -> None:
    folder = hooks.home / ".copilot" / "session-state" / "c-1"
    folder.mkdir(parents=True)
    lines = [
        {"type": "session.start", "data": {"sessionId": "c-1"}, "id": "1", "timestamp": "2026-11-29T10:00:00.000Z"},
        {
            "type": "user.message",
            "data": {"content": "Said to Copilot."},
            "id": "2",
            "timestamp": "2026-11-29T10:00:01.000Z",
        },
    ]
    (folder / "events.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    hooks(
        "copilot-cli", "sessionEnd", {"sessionId": "c-1", "timestamp": 1, "cwd": str(hooks.project), "reason": "exit"}
    )
    hooks.work()
    assert hooks.found("Copilot") == ["Said to Copilot."]


def test_a_transcript_of_null_is_no_failure(hooks: Hooks) -> None:
    payload = {"conversation_id": "x", "cursor_version": "2", "hook_event_name": "stop", "transcript_path": None}
    hooks("cursor", "stop", payload)
    hooks.work()
    assert [row["state"] for row in hooks.captures()] == ["stored"]


def test_the_transcripts_of_subagents_go_with_their_session(hooks: Hooks) -> None:
    path = hooks.say("Said by the person.")
    helper = path.with_suffix("") / "subagents" / "agent-a1.jsonl"
    helper.parent.mkdir(parents=True)
    line = claude_line(SESSION, "Said to the helper.", "user", str(hooks.project)) | {
        "isSidechain": True,
        "agentId": "a1",
    }
    helper.write_text(json.dumps(line) + "\n", encoding="utf-8")
    hooks.claude("SessionEnd")
    hooks.work()
    assert hooks.found("helper") == ["Said to the helper."]


@pytest.mark.parametrize(
    "session", ["日本_001", "../../evil", "a/b\\c", "CON", "x" * 300, "with space", "é" * 200, ".hidden", "Ab", "aB"]
)
def test_any_name_of_a_session_is_kept_whole_and_inside_the_folder(hooks: Hooks, session: str) -> None:
    path = hooks.say("Said under a strange name.")
    hooks("claude-code", "SessionEnd", hooks.common("SessionEnd") | {"session_id": session})
    hooks.work()
    assert [row["session"] for row in hooks.captures()] == [session]
    assert {file.parent for file in hooks.root.rglob("*.jsonl") if file != path} == {
        hooks.folder,
        hooks.folder / "traces",
    }
    trace = traces.trace_of(hooks.store, session)
    assert trace is not None
    assert trace.about["session"] == session


def test_names_of_files_tell_any_two_sessions_apart() -> None:
    names = ["a/b", "a_b", "a b", "é", "e", "x" * 300, "x" * 301, "", "日本", "日木", "Ab", "aB", "con", "CON"]
    assert len({safe(name).lower() for name in names}) == len(names)
    assert not {"con", "CON"} & {safe(name) for name in names}
    assert all(len(safe(name)) <= 100 for name in names)


def test_a_session_without_a_name_is_captured_by_its_file(hooks: Hooks) -> None:
    path = hooks.say("Nobody named this.")
    hooks("claude-code", "SessionEnd", {"transcript_path": str(path), "cwd": str(hooks.project)})
    hooks.work()
    assert hooks.found("Nobody named") == ["Nobody named this."]
    assert [row["session"] for row in hooks.captures()] == [SESSION]


def test_a_purged_session_does_not_come_back(hooks: Hooks) -> None:
    hooks.say("To be erased.")
    hooks.claude("SessionEnd")
    hooks.work()
    with History(hooks.store, embedder="none") as history:
        history.purge(session=SESSION)
    left = [path for path in hooks.folder.rglob("*") if path.is_file() and SESSION in path.read_text(encoding="utf-8")]
    assert left == []
    assert not list(hooks.folder.rglob(f"*{SESSION}*"))
    hooks.say("And this too.")
    hooks.claude("Stop")
    hooks.work()
    assert hooks.found("erased") == []
    assert hooks.found("this too") == []


def test_each_namespace_has_a_ledger_of_its_own(hooks: Hooks) -> None:
    hooks.say("In a scope of its own.")
    hooks("claude-code", "SessionEnd", hooks.common("SessionEnd"), "--namespace", "private")
    hooks.work()
    assert hooks.captures() == []
    assert hooks.found("scope") == []
    with History(hooks.store, "private", embedder="none") as history:
        assert [row["state"] for row in history.captures()["results"]] == ["stored"]
        assert [hit.text for hit in history.search("scope")] == ["In a scope of its own."]


def test_writes_that_waited_for_a_busy_store_are_applied_by_the_worker(hooks: Hooks) -> None:
    from omoide.serve import spool

    spool.keep(hooks.store, spool.Waiting("remember", {"text": "Waited for the store."}))
    hooks.work()
    from omoide import Memory

    with Memory(hooks.store, embedder="none") as memory:
        assert [record.text for record in memory.list()] == ["Waited for the store."]


@pytest.mark.parametrize("gone", ["inbox", "traces", "shown", "claims", "heartbeat"])
def test_a_folder_that_somebody_removed_is_made_again(hooks: Hooks, gone: str) -> None:
    import shutil

    def all_of_it(source: str) -> dict[str, Any]:
        hooks.claude("SessionStart", source=source)
        hooks.claude("SessionEnd")
        return {path.name: path for path in Path(hooks.folder).iterdir()}

    before = all_of_it("startup")
    shutil.rmtree(hooks.folder / gone)
    assert all_of_it("resume").keys() == before.keys()


def test_a_trace_of_any_length_still_says_whose_it_is(hooks: Hooks) -> None:
    about = {"session": "long-session", "host": "codex", "namespace": "default"}
    for number in range(80):
        edit = {"k": "edit", "paths": ["y" * 390] * 50, "t": f"2026-01-02T00:00:{number % 60:02d}Z"}
        traces.add(hooks.store, about, edit)
    assert (hooks.folder / "traces" / "long-session.jsonl").stat().st_size > 1 << 20
    assert [trace.session for trace in traces.left(hooks.store, "default", idle=0.0)] == ["long-session"]


def test_a_vault_is_a_store_like_any_other(hooks: Hooks) -> None:
    from omoide import Memory
    from omoide.capture.working import run

    vault = str(hooks.root / "notes") + "/"
    with Memory(vault, embedder="none") as memory:
        memory.remember("Never push to main.", importance="critical", triggers=["src/billing/*"])
    start = hooks("claude-code", "SessionStart", hooks.common("SessionStart"), "--store", vault)
    assert "Never push" in start.context
    call = {"tool_name": "Edit", "tool_input": {"file_path": "src/billing/a.py"}, "tool_response": {}}
    touched = hooks("claude-code", "PostToolUse", hooks.common("PostToolUse") | call, "--store", vault)
    assert "Never push" in touched.context
    hooks.say("Said beside a vault.")
    hooks("claude-code", "SessionEnd", hooks.common("SessionEnd"), "--store", vault)
    assert run(vault) == 1
    with History(vault, embedder="none") as history:
        assert [hit.text for hit in history.search("vault")] == ["Said beside a vault."]
        assert [row["state"] for row in history.captures()["results"]] == ["stored"]
    assert (hooks.root / "notes-capture").is_dir()


def test_the_worker_takes_in_what_was_edited_in_a_vault(hooks: Hooks) -> None:
    """A hook reads the index alone, so an edited note and a missing index are the worker's to see to."""
    from shutil import rmtree

    from omoide import Memory
    from omoide.capture.working import run

    vault = hooks.root / "notes"
    vault.mkdir()
    with Memory(vault, embedder="none") as memory:
        memory.remember("Never push on Friday.", importance="critical")
    (note,) = (vault / "fact").rglob("*.md")
    note.write_text(note.read_text(encoding="utf-8").replace("Friday", "Sunday"), encoding="utf-8")
    for session in ("edited", "cloned"):
        run(str(vault))
        start = hooks("claude-code", "SessionStart", hooks.common("SessionStart", session), "--store", str(vault))
        assert "on Sunday" in start.context
        rmtree(vault / ".index")
