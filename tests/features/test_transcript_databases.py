"""Databases of other programs are read beside their live writer, and nothing is left next to them."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from omoide.errors import DamagedStoreError, StoreBusyError
from omoide.transcripts import databases, reader
from omoide.transcripts.reader import Position, Record

HERMES = """
CREATE TABLE sessions(
  id TEXT PRIMARY KEY, source TEXT, parent_session_id TEXT, title TEXT, cwd TEXT, started_at REAL);
CREATE TABLE messages(id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT, role TEXT, content TEXT, tool_calls TEXT,
  tool_name TEXT, timestamp REAL);
INSERT INTO sessions VALUES('h1', 'cli', NULL, 'Réparer', '/work/a', 1780315200.0),
  ('h2', 'telegram', 'h1', NULL, NULL, 1);
INSERT INTO messages(session_id, role, content, tool_calls, tool_name, timestamp) VALUES
  ('h1', 'user', 'Répare le test', NULL, NULL, 1780315200.5),
  ('h1', 'assistant', '', '[{"function": {"name": "shell", "arguments": "{\\"c\\": 1}"}}]', NULL, 1780315201.0),
  ('h1', 'tool', 'réussi', NULL, 'shell', 1780315202.0),
  ('h2', 'user', 'こんにちは', NULL, NULL, 1780315203.0),
  ('h2', 'session_meta', NULL, NULL, NULL, NULL);
"""
OPENCODE = """
CREATE TABLE session(
  id TEXT PRIMARY KEY, parent_id TEXT, directory TEXT, title TEXT, version TEXT, time_created INTEGER);
CREATE TABLE message(id TEXT PRIMARY KEY, session_id TEXT, time_created INTEGER, data TEXT);
CREATE TABLE part(id TEXT PRIMARY KEY, message_id TEXT, session_id TEXT, data TEXT);
INSERT INTO session VALUES('ses_1', NULL, '/work/b', 'Titre', '1.2', 1780315200000);
INSERT INTO message VALUES('msg_1', 'ses_1', 1, '{"role": "user", "time": {"created": 1780315200000}}'),
  ('msg_2', 'ses_1', 2, '{"role": "assistant", "parentID": "msg_1"}'), ('msg_3', 'ses_1', 3, 'broken');
INSERT INTO part VALUES('prt_1', 'msg_1', 'ses_1', '{"type": "text", "text": "Bonjour"}'),
  ('prt_2', 'msg_2', 'ses_1', '{"type": "reasoning", "text": "hmm"}'),
  ('prt_3', 'msg_2', 'ses_1', '{"type": "tool", "tool": "bash", "state": {"input": {"c": "ls"}, "output": "a.py"}}');
"""
SECOND = """
CREATE TABLE session_message(
  id TEXT PRIMARY KEY, session_id TEXT, type TEXT, seq INTEGER, time_created INTEGER, data TEXT);
INSERT INTO session VALUES('ses_2', 'ses_1', '/work/b', 'Second', '2.0', 1780315300000);
INSERT INTO session_message VALUES('m1', 'ses_2', 'user', 1, 1780315300000, '{"text": "Encore"}'),
  ('m2', 'ses_2', 'assistant', 2, 1780315301000, '{"content": [{"type": "text", "text": "はい"}]}'),
  ('m3', 'ses_2', 'model-switched', 3, 1780315302000, '{}'), ('m4', 'ses_2', 'hologram', 4, 1780315303000, '{}');
"""
WRITER = """
import sqlite3, sys
db = sqlite3.connect(sys.argv[1], isolation_level=None)
db.execute("PRAGMA journal_mode=" + sys.argv[2])
for line in sys.stdin:
    if line.strip() == "die":
        import os
        os._exit(9)
    db.execute(line.strip())
    print("done", flush=True)
"""

Say = Callable[[str], None]


def made(path: Path, *scripts: str) -> Path:
    with closing(sqlite3.connect(path)) as connection:
        for script in scripts:
            connection.executescript(script)
    return path


@contextmanager
def writer(path: Path, mode: str = "wal") -> Iterator[Say]:
    """Keep another process that holds the database open and does what it is told."""
    command = [sys.executable, "-c", WRITER, str(path), mode]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        told, heard = process.stdin, process.stdout

        def say(line: str) -> None:
            told.write(line + "\n")
            told.flush()
            if line != "die":
                heard.readline()
            else:
                process.wait()

        yield say
        if process.poll() is None:
            told.close()
            process.wait()


def records(path: Path, since: Position | None = None) -> list[Record]:
    return list(reader.read(path, since=since))


def turns(path: Path, since: Position | None = None) -> list[tuple[str | None, str, str]]:
    return [(record.session, record.role, record.text) for record in records(path, since) if record.kind == "turn"]


def beside(path: Path) -> set[str]:
    return {other.name for other in path.parent.iterdir()}


@pytest.fixture
def hermes(tmp_path: Path) -> Path:
    return made(tmp_path / "state.db", HERMES)


def test_hermes_messages_are_read_with_their_sessions(hermes: Path) -> None:
    assert turns(hermes) == [
        ("h1", "user", "Répare le test"),
        ("h1", "assistant", 'shell: {"c": 1}'),
        ("h1", "tool", "réussi"),
        ("h2", "user", "こんにちは"),
    ]
    assert len(records(hermes)) == 5
    found = reader.detect(hermes)
    assert found is not None
    assert found.name == "hermes-database"


def test_hermes_sessions_are_described(hermes: Path) -> None:
    first, second = reader.sessions(hermes)
    assert (first.name, first.title, first.project) == ("h1", "Réparer", "/work/a")
    assert (second.parent, second.extra) == ("h1", {"source": "telegram"})


def test_rows_that_came_since_are_read_alone(hermes: Path) -> None:
    after = records(hermes)[-1].after
    made(hermes, "INSERT INTO messages(session_id, role, content) VALUES('h2', 'assistant', 'やあ')")
    assert turns(hermes, after) == [("h2", "assistant", "やあ")]
    assert records(hermes, records(hermes)[-1].after) == []


def test_a_last_row_that_grew_is_read_again_with_its_key(hermes: Path) -> None:
    last = records(hermes)[-1]
    made(hermes, "UPDATE messages SET content = 'grown', role = 'user' WHERE id = 5")
    (again,) = records(hermes, last.after)
    assert (again.key, again.position, again.text) == (last.key, last.position, "grown")


def test_a_database_that_began_anew_is_read_again(hermes: Path) -> None:
    after = records(hermes)[-1].after
    made(hermes, "DELETE FROM messages WHERE id > 2")
    assert len(records(hermes, after)) == 2


def test_opencode_messages_are_read_with_their_parts(tmp_path: Path) -> None:
    path = made(tmp_path / "opencode.db", OPENCODE)
    assert turns(path) == [("ses_1", "user", "Bonjour"), ("ses_1", "assistant", 'bash: {"c": "ls"}\n\na.py')]
    assert [record.kind for record in records(path)] == ["turn", "turn", "broken"]
    assert b"hmm" in records(path)[1].raw


def test_opencode_sessions_of_the_second_form_are_read_once(tmp_path: Path) -> None:
    moved = "INSERT INTO message VALUES('msg_9', 'ses_2', 9, '{\"role\": \"user\"}')"
    path = made(tmp_path / "opencode.db", OPENCODE, SECOND, moved)
    assert turns(path)[2:] == [("ses_2", "user", "Encore"), ("ses_2", "assistant", "はい")]
    assert [record.kind for record in records(path)][3:] == ["turn", "turn", "event", "raw"]
    assert records(path, records(path)[-1].after) == []
    assert records(path, records(path)[1].after) == records(path)[2:]
    assert [session.parent for session in reader.sessions(path)] == [None, "ses_1"]


def test_opencode_files_are_read_through_their_session(tmp_path: Path) -> None:
    session = tmp_path / "storage" / "session" / "p" / "ses_1.json"
    files: dict[Path, dict[str, Any]] = {
        session: {
            "id": "ses_1",
            "projectID": "p",
            "directory": "/work/c",
            "title": "T",
            "time": {"created": 1780315200000},
        },
        tmp_path / "storage/message/ses_1/msg_1.json": {"id": "msg_1", "role": "user"},
        tmp_path / "storage/part/msg_1/prt_1.json": {"type": "text", "text": "Salut"},
    }
    for path, value in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(value, indent=2), encoding="utf-8")
    (first,) = records(session)
    assert (first.role, first.text, first.key) == ("user", "Salut", "msg_1")
    (tmp_path / "storage/message/ses_1/msg_2.json").write_text('{"id": "msg_2", "role": "assistant"}', encoding="utf-8")
    assert [record.key for record in records(session, first.after)] == ["msg_2"]
    assert next(reader.sessions(session)).project == "/work/c"


@pytest.mark.parametrize("mode", ["wal", "delete"])
def test_a_live_writer_is_read_and_nothing_is_created(hermes: Path, mode: str) -> None:
    with writer(hermes, mode) as say:
        say("INSERT INTO messages(session_id, role, content) VALUES('h2', 'user', 'committed')")
        before = beside(hermes)
        assert turns(hermes)[-1] == ("h2", "user", "committed")
        assert beside(hermes) == before


def test_what_is_not_committed_is_not_read(hermes: Path) -> None:
    with writer(hermes) as say:
        say("INSERT INTO messages(session_id, role, content) VALUES('h2', 'user', 'committed')")
        say("BEGIN IMMEDIATE")
        say("INSERT INTO messages(session_id, role, content) VALUES('h2', 'user', 'pending')")
        assert turns(hermes)[-1] == ("h2", "user", "committed")


def test_a_writer_goes_on_while_records_are_taken(hermes: Path) -> None:
    with writer(hermes) as say:
        stream = reader.read(hermes)
        next(stream)
        say("INSERT INTO messages(session_id, role, content) VALUES('h2', 'user', 'meanwhile')")
        say("PRAGMA wal_checkpoint(TRUNCATE)")
        list(stream)
        assert turns(hermes)[-1] == ("h2", "user", "meanwhile")


def test_a_closed_database_in_wal_mode_is_read_and_nothing_is_created(hermes: Path) -> None:
    with writer(hermes) as say:
        say("INSERT INTO messages(session_id, role, content) VALUES('h2', 'user', 'last')")
    assert turns(hermes)[-1] == ("h2", "user", "last")
    assert beside(hermes) == {hermes.name}


def test_what_a_killed_writer_left_in_its_log_is_read(hermes: Path) -> None:
    with writer(hermes) as say:
        say("PRAGMA wal_autocheckpoint=0")
        say("INSERT INTO messages(session_id, role, content) VALUES('h2', 'user', 'in the log')")
        say("die")
    (hermes.parent / "state.db-shm").unlink()
    before = beside(hermes)
    assert turns(hermes)[-1] == ("h2", "user", "in the log")
    assert beside(hermes) == before


def test_a_writer_that_keeps_the_file_is_named_after_a_bounded_wait(
    hermes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(databases, "PATIENCE_SECONDS", 0.1)
    with writer(hermes, "delete") as say:
        say("BEGIN EXCLUSIVE")
        with pytest.raises(StoreBusyError, match="another program"):
            records(hermes)


def test_a_damaged_database_says_so(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    path.write_bytes(b"SQLite format 3\x00" + b"\x01" * 5000)
    with pytest.raises(DamagedStoreError):
        records(path)


def test_a_database_of_something_else_is_no_transcript(tmp_path: Path) -> None:
    assert reader.detect(made(tmp_path / "other.db", "CREATE TABLE t(x)")) is None


def test_many_rows_are_read_in_parts(hermes: Path) -> None:
    with closing(sqlite3.connect(hermes)) as connection:
        connection.executemany(
            "INSERT INTO messages(session_id, role, content) VALUES('h2', 'user', ?)", [(str(n),) for n in range(1000)]
        )
        connection.commit()
    assert [record.text for record in records(hermes)[5:]] == [str(n) for n in range(1000)]
