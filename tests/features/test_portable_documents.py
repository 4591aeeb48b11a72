from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

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
        assert b"zeppelin" not in Path(store.path).read_bytes()
