"""Texts in the file whose bytes are no text any more: told as damage, found by the check, mended by repair."""

from __future__ import annotations

from pathlib import Path

import apsw
import pytest

from omoide import Memory
from omoide.errors import DamagedStoreError
from omoide.testing import FakeEmbedder

MODEL = FakeEmbedder(16)
NO_TEXT = "CAST(x'ff' || substr(CAST({0} AS BLOB), 2) AS TEXT)"


@pytest.fixture
def store(db: Path) -> Path:
    with Memory(db, embedder=MODEL) as mem:
        mem.remember("the ferry to 松山 leaves at nine", subject="ferry", tags=["travel"], source="chat")
        mem.remember("le bac part à dix heures", subject="bac")
    return db


def harm(path: Path, table: str, column: str, value: str = NO_TEXT) -> None:
    connection = apsw.Connection(str(path))
    connection.execute(f"UPDATE {table} SET {column} = {value.format(column)} WHERE {column} IS NOT NULL")
    connection.close()


@pytest.mark.parametrize(
    "table, column",
    [("version", "subject"), ("version", "kind"), ("version", "source"), ("content", "text"), ("memory", "uid")],
)
def test_bytes_that_are_no_text_are_damage_that_repair_mends(store: Path, table: str, column: str) -> None:
    harm(store, table, column)
    with Memory(store, embedder=MODEL) as mem:
        with pytest.raises(DamagedStoreError, match="run repair"):
            mem.list()
        (line,) = mem.integrity_check()
        assert line.startswith(f"column {column} of table {table} holds ")
        assert line.endswith(" texts that cannot be read; run repair")
        report = mem.repair()
        assert any("cannot be read" in action for action in report.actions)
        assert mem.integrity_check() == []
        assert len(mem.list()) == 2
        assert mem.recall("ferry 松山")[0].id == 1


def test_a_list_that_is_no_json_is_emptied_and_everything_else_stays(store: Path) -> None:
    harm(store, "version", "tags", "'[' || {0}")
    with Memory(store, embedder=MODEL) as mem:
        with pytest.raises(DamagedStoreError, match="run repair"):
            mem.recall("ferry")
        mem.repair()
        assert mem.integrity_check() == []
        assert [(record.subject, record.tags) for record in mem.list()] == [("bac", ()), ("ferry", ())]


def test_terms_that_are_no_text_are_made_anew_from_the_rows(store: Path) -> None:
    harm(store, "term", "term")
    with Memory(store, embedder=MODEL) as mem:
        assert len(mem.integrity_check()) == 1
        mem.repair()
        assert mem.integrity_check() == []
        assert [hit.id for hit in mem.recall("heures", use_vectors=False)] == [2]


def test_what_an_event_says_is_mended_but_its_chain_stays_broken(store: Path) -> None:
    """A repair makes the event readable; that it was changed behind omoide's back is told for ever."""
    harm(store, "event", "op")
    with Memory(store, embedder=MODEL) as mem:
        mem.repair()
        assert any("chain" in line for line in mem.verify())
        assert len(mem.list()) == 2
