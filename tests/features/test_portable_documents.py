from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest
from tests.features.conftest import database

from omoide import Index, Memory
from omoide.testing import FakeClock

TEXT = "The manual of the zeppelin 飛行船の手引き"


@pytest.fixture
def index(path: Path, clock: FakeClock) -> Iterator[Index]:
    """An index with one document."""
    with Index(path, clock=clock, embedder="none") as made:
        made.add_text(TEXT, source="manual.txt", metadata={"shelf": 3})
        yield made


@pytest.fixture
def copy(tmp_path: Path, clock: FakeClock) -> Iterator[Memory]:
    """Another store, in which something was written."""
    with Memory(tmp_path / "copy.db", clock=clock, embedder="none") as made:
        made.remember("was here before")
        yield made


def found(mem: Memory, clock: FakeClock) -> list[str]:
    """Return what a search for the manual finds in the store of a handle."""
    with Index(mem.path, clock=clock, embedder="none") as index:
        return [hit.text for hit in index.search("zeppelin 手引き")]


@pytest.mark.parametrize("way", ["export", "merge"])
def test_documents_come_along(
    index: Index, mem: Memory, copy: Memory, tmp_path: Path, clock: FakeClock, way: str
) -> None:
    """A document is found in the other store, with its source and metadata; again nothing happens."""

    def take() -> int:
        if way == "merge":
            return copy.merge_from(mem.path).documents
        mem.export(tmp_path / "e.jsonl")
        return copy.import_(tmp_path / "e.jsonl").documents

    assert take() == 1
    assert found(copy, clock) == [TEXT]
    with Index(copy.path, clock=clock, embedder="none") as there:
        (hit,) = there.search("zeppelin")
        assert (hit.source, hit.metadata) == ("manual.txt", {"shelf": 3})
    assert take() == 0
    assert copy.integrity_check() == []
    assert copy.verify() == []


def test_an_empty_store_knows_when_it_was_added(index: Index, mem: Memory, tmp_path: Path, clock: FakeClock) -> None:
    """A whole store put into an empty one answers questions about the past as the original does."""
    mem.remember("tea at four")
    then = clock.now()
    clock.advance(3600)
    mem.export(tmp_path / "e.jsonl")
    with Memory(tmp_path / "empty.db", clock=clock, embedder="none") as empty:
        assert empty.import_(tmp_path / "e.jsonl").documents == 1
        assert empty.integrity_check() == []
        with Index(empty.path, clock=clock, embedder="none") as there:
            assert [hit.text for hit in there.search("zeppelin", as_of=then)] == [TEXT]


def test_a_purged_document_does_not_come_back(index: Index, mem: Memory, copy: Memory, clock: FakeClock) -> None:
    """Purged by its source on one side, it is gone on both after merging, and no byte of it is left."""
    copy.merge_from(mem.path)
    clock.advance(60)
    assert mem.purge(source="manual.txt").verified
    mem.merge_from(copy.path)
    copy.merge_from(mem.path)
    assert found(mem, clock) == found(copy, clock) == []
    for store in (mem, copy):
        assert store.integrity_check() == []
        assert b"zeppelin" not in database(Path(store.path)).read_bytes()


def delete(mem: Memory, clock: FakeClock) -> None:
    """Delete every document of a store."""
    clock.advance(60)
    with Index(mem.path, clock=clock, embedder="none") as index:
        for hit in index.search("zeppelin"):
            assert hit.document_id is not None
            index.delete(hit.document_id)


@pytest.mark.parametrize("way", ["export", "merge"])
def test_a_deleted_document_does_not_come_back(
    index: Index, mem: Memory, copy: Memory, tmp_path: Path, clock: FakeClock, way: str
) -> None:
    """An older copy or export that still has it is taken in without it."""
    if way == "merge":
        copy.merge_from(mem.path)
    mem.export(tmp_path / "e.jsonl")
    delete(mem, clock)
    report = mem.merge_from(copy.path) if way == "merge" else mem.import_(tmp_path / "e.jsonl")
    assert (report.documents, [refusal.reason for refusal in report.refused]) == (0, ["purged"])
    assert found(mem, clock) == []
    assert mem.verify() == []


def test_a_deletion_reaches_the_other_copy(index: Index, mem: Memory, copy: Memory, clock: FakeClock) -> None:
    """A copy that takes in one in which the document was deleted loses it too, and keeps its others."""
    copy.merge_from(mem.path)
    with Index(copy.path, clock=clock, embedder="none") as there:
        there.add_text("another zeppelin", source="other.txt")
    delete(mem, clock)
    assert copy.merge_from(mem.path).documents == 1
    assert found(copy, clock) == ["another zeppelin"]
    assert copy.merge_from(mem.path).documents == 0
    assert mem.merge_from(copy.path).documents == 1
    assert found(mem, clock) == ["another zeppelin"]


def test_a_change_after_the_deletion_counts(index: Index, mem: Memory, copy: Memory, clock: FakeClock) -> None:
    """A document that was changed in another copy, which had not seen the deletion, comes back with its new text."""
    copy.merge_from(mem.path)
    delete(mem, clock)
    clock.advance(60)
    with Index(copy.path, clock=clock, embedder="none") as there:
        (hit,) = there.search("zeppelin")
        assert hit.document_id is not None
        there.update(hit.document_id, text="The zeppelin manual, second edition")
    assert copy.merge_from(mem.path).documents == 0
    assert mem.merge_from(copy.path).documents == 1
    assert found(mem, clock) == found(copy, clock) == ["The zeppelin manual, second edition"]


def test_a_deleted_text_can_be_added_again(index: Index, mem: Memory, clock: FakeClock) -> None:
    """Deleting says nothing about the text; purged it stays out of every copy."""
    delete(mem, clock)
    index.add_text(TEXT, source="manual.txt")
    assert found(mem, clock) == [TEXT]


def test_the_mark_of_a_deletion_holds_no_text(index: Index, mem: Memory, clock: FakeClock) -> None:
    """What a deletion leaves behind has neither source nor words."""
    delete(mem, clock)
    mem.close()
    index.close()
    connection = apsw.Connection(str(database(Path(mem.path))), flags=apsw.SQLITE_OPEN_READONLY)
    rows = repr(connection.execute("SELECT * FROM purged").fetchall())
    connection.close()
    assert "manual" not in rows
    assert len(rows) > 2
