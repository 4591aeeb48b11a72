"""Conversations looked over and mended: every way in which their rows can be wrong is found and repaired."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest

from omoide import History

LINES = [("user", "where do the tokens rotate"), ("assistant", "in the gateway"), ("user", "thank you")]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A file, whose tables these tests change."""
    return tmp_path / "agents.db"


@pytest.fixture
def his(path: Path, tmp_path: Path) -> Iterator[History]:
    """A history with a session of three turns, two active segments and an archived one."""
    transcript = tmp_path / "s-1.jsonl"
    transcript.write_text("".join(line(n, role, text) for n, (role, text) in enumerate(LINES)), encoding="utf-8")
    with History(path, embedder="none") as history:
        history.ingest(transcript, project="omoide")
        history.save("the first note on tea", project="omoide", session="s-1")
        history.save("the second note on tea", project="omoide")
        history.archive(history.save("the third note on tea", project="omoide"))
        yield history


def line(number: int, role: str, text: str) -> str:
    content: object = text if role == "user" else [{"type": "text", "text": text}]
    return json.dumps({
        "type": role, "uuid": f"u-{number}", "sessionId": "s-1", "parentUuid": None, "cwd": "/nowhere/app",
        "timestamp": f"2026-05-01T09:00:0{number}.000Z", "version": "2.0.0", "isSidechain": False,
        "userType": "external", "message": {"role": role, "content": content},
    }) + "\n"  # fmt: skip


def run(path: Path, *statements: str) -> None:
    """Change the file behind the library's back."""
    connection = apsw.Connection(str(path))
    for statement in statements:
        connection.execute(statement)
    connection.close()


def test_a_history_of_everything_is_sound(his: History) -> None:
    assert his.integrity_check() == []


DAMAGES = {
    "a turn without text": ("UPDATE turn SET content_id = 9999 WHERE number = 2", "has no text"),
    "turns without a session": ("DELETE FROM session", "no row of its own"),
    "a segment without text": ("UPDATE segment SET content_id = NULL WHERE archived = 0", "has no text"),
    "an archived segment that is gone": ("UPDATE segment SET packed = NULL WHERE archived = 1", "has no text"),
    "an archived segment that cannot be read": (
        "UPDATE segment SET packed = x'00' WHERE archived = 1", "cannot be read",
    ),
    "a record that cannot be read": ("UPDATE turn SET raw = x'0000' WHERE number = 1", "cannot be read"),
    "a segment that says it is archived": ("UPDATE segment SET archived = 1 WHERE number = 1", "or both"),
    "a segment that says it is not archived": ("UPDATE segment SET archived = 0 WHERE number = 3", "or both"),
    "a segment in two places": (
        "UPDATE segment SET content_id = (SELECT min(content_id) FROM content) WHERE number = 3", "or both",
    ),
    "a shared ordinal": ("UPDATE segment SET ord = 0 WHERE number = 1", "ordinal of another"),
    "two turns in one place": ("UPDATE turn SET number = 1 WHERE number = 2", "two turns in one place"),
    "an unknown trust": ("UPDATE turn SET trust = 'divine' WHERE number = 1", "trust that does not exist"),
    "an unknown kind": ("UPDATE segment SET kind = 'poem' WHERE number = 1", "kind that does not exist"),
    "a namespace without a name": ("UPDATE segment SET ns = 77 WHERE number = 2", "has no name"),
    "a project without a number": ("UPDATE segment SET project = 'nowhere' WHERE number = 2", "has no number"),
    "ids that could come again": (
        "UPDATE sqlite_sequence SET seq = 0 WHERE name = 'segment'", "table segment could be given out again",
    ),
    "terms that are held for nobody": (
        "INSERT INTO held SELECT id + 900, marks, codes, terms FROM held LIMIT 1", "does not exist",
    ),
    "held terms that cannot be read": ("UPDATE held SET codes = x'00'", "table held"),
    "held terms that are gone": ("DELETE FROM held", "terms in the keyword index"),
}  # fmt: skip


@pytest.mark.parametrize("damage", DAMAGES)
def test_damage_is_found_and_mended(his: History, path: Path, damage: str) -> None:
    statement, finding = DAMAGES[damage]
    his.close()
    run(path, statement)
    with History(path, embedder="none") as damaged:
        found = damaged.integrity_check()
        assert any(finding in text for text in found), found
        damaged.repair()
        assert damaged.integrity_check() == []
        assert {hit.id for hit in damaged.search("note on tea", k=9)} <= {each.id for each in damaged.list()}


def test_a_turn_that_lost_its_text_keeps_its_record(his: History, path: Path) -> None:
    his.close()
    run(path, "UPDATE turn SET content_id = 9999 WHERE number = 2")
    with History(path, embedder="none") as damaged:
        damaged.repair()
        session = damaged.sessions()[0]
        assert (session.records, session.turns) == (3, 2)


def test_a_word_in_the_place_of_a_time_is_found(his: History, path: Path) -> None:
    his.close()
    run(path, "UPDATE segment SET at = 'yesterday' WHERE number = 1")
    with History(path, embedder="none") as damaged:
        assert any("column at of table segment" in text for text in damaged.integrity_check())
