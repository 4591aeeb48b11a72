"""Documents added in a bulk block: held back, written together, acknowledged at the flush."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from omoide import Index
from omoide.testing import FakeEmbedder

IndexOpener = Callable[..., Index]


def test_a_block_writes_its_documents_together_under_the_ids_it_gave(idx: Index) -> None:
    with idx.bulk() as block:
        ids = [idx.add_text(f"note number {n}", metadata={"n": n}) for n in range(100)]
        assert block.acknowledged == 0
    assert block.acknowledged == 100
    assert [event.op for event in idx.audit()] == ["add"]
    assert [idx.get(id).metadata["n"] for id in ids] == list(range(100))  # type: ignore[union-attr]
    assert idx.integrity_check() == []


def test_a_read_inside_the_block_sees_what_was_written_in_it(idx: Index) -> None:
    with idx.bulk():
        document = idx.add_text("just said")
        assert idx.search("said")[0].document_id == document
        assert idx.stats()["default"]["documents"] == 1


def test_flush_makes_durable(idx: Index, indexed: IndexOpener) -> None:
    with idx.bulk() as block:
        idx.add_texts(["one", "two"])
        block.flush()
        assert block.acknowledged == 2
        assert len(indexed().list()) == 2


def test_leaving_by_an_exception_writes_too(idx: Index) -> None:
    def fail() -> None:
        with idx.bulk():
            idx.add_text("kept words")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert len(idx.search("kept")) == 1


def test_many_documents_are_written_in_portions(idx: Index) -> None:
    with idx.bulk() as block:
        for number in range(2500):
            idx.add_text(f"note {number}")
        assert 1000 <= block.acknowledged < 2500
    assert idx.stats()["default"]["documents"] == 2500


def test_ids_given_in_a_block_are_not_given_to_others(idx: Index, indexed: IndexOpener) -> None:
    other = indexed()
    with idx.bulk():
        mine = idx.add_text("mine")
        theirs = other.add_text("theirs")
        assert mine != theirs
    assert (idx.get(mine).text, idx.get(theirs).text) == ("mine", "theirs")  # type: ignore[union-attr]


def test_folders_and_deletions_inside_a_block_follow_the_order(idx: Index, docs: Path) -> None:
    (docs / "a.txt").write_text("from a file")
    with idx.bulk():
        document = idx.add_text("to be deleted")
        idx.add_files(docs)
        idx.delete(document)
        idx.update(idx.add_text("first words"), text="second words")
    assert {hit.text for hit in idx.search(None, k=9)} == {"from a file", "second words"}


def test_vectors_are_made_at_the_flush(indexed: IndexOpener) -> None:
    index: Any = indexed(embedder=FakeEmbedder())
    with index.bulk():
        index.add_texts([f"note {n}" for n in range(50)])
    assert index.stats()["default"]["pending_vectors"] == 0
    assert len(index.search("note 7", use_bm25=False, k=50)) == 50
