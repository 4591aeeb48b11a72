"""Documents are looked over, indexed anew, repaired and copied as memories are."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import apsw
import pytest
from tests.features.conftest import database

from omoide import Index
from omoide.errors import EmbedderMismatchError
from omoide.maintenance import repair
from omoide.testing import FakeClock, FakeEmbedder

IndexOpener = Callable[..., Index]
MODEL = FakeEmbedder(16)


def run(path: Path, *statements: str) -> list[Any]:
    """Change the file behind the library's back; return the last statement's rows."""
    connection = apsw.Connection(str(database(path)))
    rows: list[Any] = []
    for statement in statements:
        rows = connection.execute(statement).fetchall()
    connection.close()
    return rows


def answers(index: Index) -> list[list[tuple[int, float]]]:
    """Ask by both legs and by each, about now and the past."""
    ways: list[dict[str, Any]] = [{}, {"use_bm25": False}, {"use_vectors": False}, {"as_of": "2026-06-01T12:30:00Z"}]
    hits = [index.search(f"page {n} on tea", k=5, **way) for n in (0, 17, 59) for way in ways]
    return [[(hit.id, round(hit.score, 6)) for hit in each] for each in hits]


@pytest.fixture
def sixty(indexed: IndexOpener, clock: FakeClock) -> Index:
    """An index of sixty documents, one of them replaced and one removed since."""
    index = indexed(embedder=MODEL)
    ids = index.add_texts([f"# Page {n}\n\npage {n} on tea" for n in range(60)], splitter="markdown", metadata={"a": 1})
    clock.advance(3600)
    index.update(ids[5], text="page 5 on coffee now")
    index.delete(ids[6])
    return index


def test_a_sound_index_has_no_findings(sixty: Index) -> None:
    assert sixty.integrity_check() == []


def test_a_rebuild_gives_the_same_answers(sixty: Index) -> None:
    before = answers(sixty)
    assert sixty.rebuild() == 60
    assert answers(sixty) == before
    assert sixty.integrity_check() == []


@pytest.mark.parametrize("table", ["entry", "term", "posting", "held", "block", "feed", "space"])
def test_every_derived_table_can_be_lost(sixty: Index, indexed: IndexOpener, path: Path, table: str) -> None:
    before = answers(sixty)
    sixty.close()
    run(path, f"DELETE FROM {table}")
    index = indexed(embedder=MODEL)
    index.repair()
    assert index.integrity_check() == []
    assert answers(index) == before


def test_another_model_embeds_documents_anew(sixty: Index, indexed: IndexOpener) -> None:
    other = FakeEmbedder(24, model_name="other")
    sixty.rebuild(embedder=other)
    assert sixty.stats()["default"]["pending_vectors"] == 0
    assert len(sixty.search("page 3 on tea", use_bm25=False)) == 5
    with pytest.raises(EmbedderMismatchError):
        indexed(embedder=MODEL)


def test_vectors_that_a_store_without_a_model_lacks_are_made_later(indexed: IndexOpener) -> None:
    with indexed(embedder="none") as index:
        index.add_text("page 1 on tea")
    index = indexed(embedder=MODEL)
    index.add_text("page 2 on tea")
    assert len(index.search("page 1 on tea", use_bm25=False)) == 2


@pytest.mark.parametrize(
    "damage, finding",
    [
        ("DELETE FROM content WHERE content_id = 3", "has no text"),
        ("DELETE FROM document WHERE document_id = 3", "no row of its own"),
        ("UPDATE chunk SET ord = 1 WHERE chunk_id = 3", "the ordinal of another one"),
        ("UPDATE document SET trust = 'blind' WHERE document_id = 3", "a trust that does not exist"),
        ("DELETE FROM chunk WHERE document_id = 3", "has no chunk"),
        ("UPDATE document SET project = 'lost' WHERE document_id = 3", "has no number"),
    ],
)
def test_rows_that_do_not_hold_together_are_found_and_mended(
    sixty: Index, indexed: IndexOpener, path: Path, damage: str, finding: str
) -> None:
    sixty.close()
    run(path, "PRAGMA foreign_keys = OFF", damage)
    index = indexed(embedder=MODEL)
    assert finding in "\n".join(index.integrity_check())
    report = index.repair()
    assert report.remaining == ()
    assert index.integrity_check() == []
    assert len(index.search("page 17 on tea")) == 5


@pytest.mark.file_only("repairs a file that lacks columns")
def test_lost_columns_of_documents_are_filled_with_what_is_harmless(
    sixty: Index, indexed: IndexOpener, path: Path
) -> None:
    sixty.close()
    run(path, "ALTER TABLE document DROP COLUMN trust", "ALTER TABLE chunk DROP COLUMN added_at")
    repair(path, MODEL)
    index = indexed(embedder=MODEL)
    assert index.integrity_check() == []
    assert index.search("page 17 on tea", use_vectors=False) == []
    assert index.search("page 17 on tea", use_vectors=False, trust="untrusted")[0].text.endswith("page 17 on tea")


@pytest.mark.file_only("repairs a file with a torn page")
def test_a_file_with_a_torn_page_keeps_the_documents_that_can_be_read(
    sixty: Index, indexed: IndexOpener, path: Path
) -> None:
    sixty.close()
    (page,) = run(path, "SELECT max(pageno) FROM dbstat WHERE name = 'chunk' AND pagetype = 'leaf'")[0]
    with path.open("r+b") as file:
        file.seek((page - 1) * 4096)
        file.write(b"\xff" * 4096)
    report = repair(path, MODEL)
    assert report.kept_at is not None
    index = indexed(embedder=MODEL)
    assert index.integrity_check() == []
    assert 0 < len(index.list()) <= 60


def test_a_backup_holds_the_documents(sixty: Index, indexed: IndexOpener, tmp_path: Path) -> None:
    before = answers(sixty)
    copy = sixty.backup(tmp_path / "copy.db")
    assert answers(indexed(path=copy, embedder=MODEL)) == before


def test_documents_can_be_read_with_any_client(sixty: Index, path: Path) -> None:
    sixty.close()
    rows = run(
        path,
        "SELECT c.heading, t.text FROM document d JOIN chunk c USING (document_id) JOIN content t USING (content_id)"
        " WHERE d.document_id = 1",
    )
    assert rows == [("Page 0", "# Page 0\n\npage 0 on tea")]
