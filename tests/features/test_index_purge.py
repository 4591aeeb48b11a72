"""Purge and undo reach documents, and no later ingest brings back what was purged."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from omoide import Index, Memory
from omoide.testing import FakeClock, FakeEmbedder

IndexOpener = Callable[..., Index]
Opener = Callable[..., Memory]


def test_purge_of_a_source_erases_its_documents(idx: Index, mem: Memory, path: Path) -> None:
    idx.add_text("the quokka protocol", source="secret.md", metadata={"k": "wombat"})
    idx.add_text("the open protocol", source="open.md")
    mem.purge(source="secret.md")
    assert [hit.text for hit in idx.search("protocol")] == ["the open protocol"]
    assert idx.integrity_check() == []
    idx.close()
    mem.close()
    files = [path] if path.is_file() else [file for file in path.rglob("*") if file.is_file()]
    data = b"".join(file.read_bytes() for file in files)
    assert not any(word in data for word in (b"quokka", b"wombat", b"secret.md"))


def test_purge_of_a_namespace_erases_all_its_documents(opened: Opener, indexed: IndexOpener) -> None:
    embedder = FakeEmbedder()
    indexed("other", embedder=embedder).add_text("their words")
    index = indexed("mine", embedder=embedder)
    index.add_texts([f"my words {n}" for n in range(20)])
    opened("mine", embedder=embedder).purge(namespace="mine")
    assert index.list(include_removed=True) == []
    assert index.search("words") == []
    assert len(indexed("other", embedder=embedder).search("words")) == 1
    assert index.integrity_check() == []


def test_an_ingest_does_not_bring_a_purged_file_back(idx: Index, mem: Memory, docs: Path) -> None:
    file = docs / "secret.md"
    file.write_text("the quokka protocol")
    idx.add_files(docs)
    mem.purge(source=str(file))
    again = idx.add_files(docs)
    assert [(each.status, each.code) for each in again.files] == [("skipped", "purged")]
    (docs / "copy.md").write_text("the quokka protocol")
    assert idx.add_files(docs) == []
    assert idx.search("quokka") == []
    assert idx.add_text(file.read_text(), source=str(file)) > 0


def test_undo_of_an_ingest_takes_its_documents_out_of_search(idx: Index, mem: Memory, docs: Path) -> None:
    (docs / "a.txt").write_text("kept words")
    idx.add_files(docs)
    (docs / "b.txt").write_text("unwanted words")
    added = idx.add_files(docs)
    assert added.batch is not None
    mem.undo(added.batch)
    assert [hit.text for hit in idx.search("words")] == ["kept words"]
    assert len(idx.list(include_removed=True)) == 2


def test_undo_brings_back_what_an_ingest_replaced_or_took_out(
    idx: Index, mem: Memory, docs: Path, clock: FakeClock
) -> None:
    (docs / "a.txt").write_text("the good old words")
    (docs / "b.txt").write_text("the other words")
    ids = list(idx.add_files(docs))
    clock.advance(60)
    (docs / "a.txt").write_text("a sudden change")
    (docs / "b.txt").unlink()
    added = idx.add_files(docs)
    assert added.batch is not None
    clock.advance(60)
    report = mem.undo(added.batch)
    assert sorted(report.documents) == ids
    assert [hit.document_id for hit in idx.search("words", k=9)] != []
    assert {hit.text for hit in idx.search(None, k=9)} == {"the good old words", "the other words"}
    assert {hit.text for hit in idx.search(None, k=9, as_of="2026-06-01T12:01:30Z")} == {"a sudden change"}
    assert idx.integrity_check() == []
    assert mem.undo(added.batch).documents == ()


def test_undo_leaves_a_document_that_was_written_since(idx: Index, mem: Memory, docs: Path, clock: FakeClock) -> None:
    (docs / "a.txt").write_text("first words")
    (document,) = idx.add_files(docs)
    clock.advance(60)
    (docs / "a.txt").write_text("second words")
    added = idx.add_files(docs)
    assert added.batch is not None
    clock.advance(60)
    idx.update(document, text="third words")
    assert mem.undo(added.batch).documents == ()
    assert [hit.text for hit in idx.search("words")] == ["third words"]
