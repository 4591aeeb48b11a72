"""A folder added again: exactly what changed is written, under the ids it had."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from omoide import Index
from omoide.testing import FakeClock, FakeEmbedder
from omoide.types import IngestResult
from omoide.verbs.passages import ingest_plan

IndexOpener = Callable[..., Index]
YEAR_2024 = 1_704_067_200


def put(path: Path, text: str, at: int = YEAR_2024) -> Path:
    """Write a file that was last modified long ago."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    os.utime(path, (at, at))
    return path


def told(result: IngestResult) -> dict[str, str]:
    return {Path(str(each.path)).name: each.status for each in result.files}


@pytest.fixture
def three(docs: Path) -> Path:
    put(docs / "a.md", "# Deploy\n\nRun make deploy.")
    put(docs / "b.txt", "lunch is at noon")
    put(docs / "sub" / "c.py", "def answer():\n    return 42\n")
    return docs


def test_what_is_unchanged_is_not_even_opened(idx: Index, three: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    idx.add_files(three)
    opened: list[str] = []
    monkeypatch.setattr(ingest_plan, "_hash", opened.append)
    again = idx.add_files(three)
    assert (list(again), again.batch, opened) == ([], None, [])
    assert set(told(again).values()) == {"unchanged"}
    assert len(idx.audit()) == 1


def test_a_file_that_was_touched_is_read_and_found_the_same(idx: Index, three: Path) -> None:
    idx.add_files(three)
    os.utime(three / "a.md", (YEAR_2024 + 60, YEAR_2024 + 60))
    assert told(idx.add_files(three))["a.md"] == "unchanged"
    assert idx.stats()["default"]["documents"] == 3
    assert idx.integrity_check() == []


def test_a_change_within_the_same_second_and_size_is_seen(idx: Index, docs: Path) -> None:
    (docs / "a.txt").write_text("one word")
    idx.add_files(docs)
    state = (docs / "a.txt").stat()
    (docs / "a.txt").write_text("two word")
    os.utime(docs / "a.txt", ns=(state.st_atime_ns, state.st_mtime_ns))
    assert told(idx.add_files(docs)) == {"a.txt": "changed"}


def test_what_changed_is_replaced_under_its_id(idx: Index, three: Path) -> None:
    idx.add_files(three)
    before = {Path(str(document.source)).name: document.id for document in idx.list()}
    put(three / "b.txt", "lunch is at one o'clock", YEAR_2024 + 1)
    again = idx.add_files(three)
    assert told(again) == {"a.md": "unchanged", "b.txt": "changed", "c.py": "unchanged"}
    assert list(again) == [before["b.txt"]]
    assert [hit.text for hit in idx.search("lunch")] == ["lunch is at one o'clock"]
    assert idx.stats()["default"]["documents"] == 3


def test_other_settings_cut_anew(idx: Index, three: Path) -> None:
    idx.add_files(three)
    again = idx.add_files(three, chunk_size=20, chunk_overlap=0)
    assert set(told(again).values()) == {"changed"}
    assert set(told(idx.add_files(three, chunk_size=20, chunk_overlap=0)).values()) == {"unchanged"}
    assert set(told(idx.add_files(three, chunk_size=20, chunk_overlap=0, metadata={"v": 2})).values()) == {"changed"}


def test_a_file_that_is_gone_leaves_the_search_and_stays_in_the_past(idx: Index, three: Path, clock: FakeClock) -> None:
    idx.add_files(three)
    clock.advance(3600)
    (three / "b.txt").unlink()
    again = idx.add_files(three)
    assert [(each.status, each.code) for each in again.files if each.path == str(three / "b.txt")] == [
        ("removed", "vanished")
    ]
    assert idx.search("lunch") == []
    assert len(idx.search("lunch", as_of="2026-06-01T12:30:00Z")) == 1
    assert len(idx.list()) == 2
    assert len(idx.list(include_removed=True)) == 3


def test_a_file_that_is_back_has_its_id_again_and_the_gap_stays(idx: Index, three: Path, clock: FakeClock) -> None:
    idx.add_files(three)
    (document,) = idx.list(source=str(three / "b.txt"))
    clock.advance(3600)
    (three / "b.txt").unlink()
    idx.add_files(three)
    clock.advance(3600)
    put(three / "b.txt", "lunch is at noon")
    assert told(idx.add_files(three))["b.txt"] == "restored"
    assert idx.search("lunch")[0].document_id == document.id
    assert idx.search("lunch", as_of="2026-06-01T13:30:00Z") == []
    assert len(idx.search("lunch", as_of="2026-06-01T12:30:00Z")) == 1


def test_prune_false_only_reports(idx: Index, three: Path) -> None:
    idx.add_files(three)
    (three / "b.txt").unlink()
    assert told(idx.add_files(three, prune=False))["b.txt"] == "vanished"
    assert len(idx.search("lunch")) == 1


def test_what_an_ingest_did_not_bring_is_never_taken_out(idx: Index, three: Path) -> None:
    idx.add_text("a page about lunch", source=str(three / "gone.txt"))
    idx.add_text("a page about dinner", source="https://example.org")
    put(three.parent / "elsewhere" / "d.txt", "breakfast")
    idx.add_files(three.parent / "elsewhere")
    (three.parent / "elsewhere" / "d.txt").unlink()
    idx.add_files(three)
    idx.add_files(three)
    assert len(idx.list()) == 6


def test_a_pattern_takes_out_only_what_it_names(idx: Index, three: Path) -> None:
    idx.add_files(three)
    (three / "a.md").unlink()
    (three / "b.txt").unlink()
    again = idx.add_files(three, pattern="*.md")
    assert told(again) == {"a.md": "removed"}
    assert len(idx.list()) == 2


def test_a_file_that_is_ignored_now_leaves_the_search(idx: Index, three: Path) -> None:
    idx.add_files(three)
    put(three / ".gitignore", "*.txt\n")
    again = idx.add_files(three)
    assert [each.code for each in again.files if each.status == "removed"] == ["ignored"]
    assert idx.search("lunch") == []


@pytest.mark.skipif(os.name == "nt" or not hasattr(os, "geteuid") or os.geteuid() == 0, reason="needs modes that bind")
def test_a_folder_that_cannot_be_read_takes_nothing_out(idx: Index, three: Path) -> None:
    idx.add_files(three)
    (three / "sub").chmod(0)
    try:
        again = idx.add_files(three)
    finally:
        (three / "sub").chmod(0o755)
    assert told(again)["sub"] == "failed"
    assert len(idx.list()) == 3


def test_a_moved_file_keeps_its_id_and_is_not_embedded_again(indexed: IndexOpener, three: Path) -> None:
    class Counting(FakeEmbedder):
        asked = 0

        def embed(self, texts: list[str], /) -> list[list[float]]:
            self.asked += len(texts)
            return super().embed(texts)

    embedder = Counting()
    index = indexed(embedder=embedder)
    index.add_files(three)
    (document,) = index.list(source=str(three / "b.txt"))
    asked = embedder.asked
    (three / "moved").mkdir()
    (three / "b.txt").rename(three / "moved" / "meals.txt")
    again = index.add_files(three)
    assert told(again)["meals.txt"] == "renamed"
    assert "b.txt" not in told(again)
    assert embedder.asked == asked
    hit = index.search("lunch at noon", k=1)[0]
    assert (hit.document_id, hit.source) == (document.id, str(three / "moved" / "meals.txt"))
    assert index.integrity_check() == []


def test_a_file_that_became_empty_leaves_the_search(idx: Index, three: Path) -> None:
    idx.add_files(three)
    put(three / "b.txt", "", YEAR_2024 + 1)
    again = idx.add_files(three)
    assert [(each.status, each.code) for each in again.files if each.path == str(three / "b.txt")] == [
        ("removed", "empty")
    ]
    assert idx.search("lunch") == []


def test_a_file_that_became_unreadable_keeps_what_was_read_before(idx: Index, three: Path) -> None:
    idx.add_files(three)
    (three / "b.txt").write_bytes(bytes(range(256)) * 20)
    again = idx.add_files(three)
    (report,) = [each for each in again.files if each.path == str(three / "b.txt")]
    assert report.code == "binary"
    assert "kept" in str(report.reason)
    assert len(idx.search("lunch")) == 1


def test_a_document_that_was_edited_by_hand_follows_its_file_again(idx: Index, three: Path) -> None:
    idx.add_files(three)
    (document,) = idx.list(source=str(three / "b.txt"))
    idx.update(document.id, text="lunch was cancelled")
    assert told(idx.add_files(three))["b.txt"] == "changed"
    assert idx.get(document.id).text == "lunch is at noon"  # type: ignore[union-attr]


def test_a_deleted_document_comes_back_only_with_the_next_ingest(idx: Index, three: Path) -> None:
    idx.add_files(three)
    (document,) = idx.list(source=str(three / "b.txt"))
    idx.delete(document.id)
    assert idx.search("lunch") == []
    assert told(idx.add_files(three))["b.txt"] == "added"


def test_namespaces_hold_the_same_folder_apart(indexed: IndexOpener, three: Path) -> None:
    one, other = indexed("one"), indexed("other")
    assert (len(one.add_files(three)), len(other.add_files(three))) == (3, 3)
    (three / "b.txt").unlink()
    one.add_files(three)
    assert (one.search("lunch"), len(other.search("lunch"))) == ([], 1)


def test_an_ingest_that_fails_half_way_goes_on_where_it_stopped(
    indexed: IndexOpener, docs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(200):
        put(docs / f"{number:03}.txt", f"note number {number}")
    index = indexed()

    def stop(done: int, total: int, path: str) -> None:
        if done == 150:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        index.add_files(docs, progress=stop)
    written = len(index.list())
    assert 0 < written < 200
    again = index.add_files(docs)
    assert (len(again), again.counts) == (200 - written, {"unchanged": written, "added": 200 - written})
    assert len(index.list()) == 200
    assert index.integrity_check() == []


def test_an_unreadable_clock_of_a_file_does_no_harm(idx: Index, docs: Path) -> None:
    put(docs / "old.txt", "before the epoch", -86_400)
    put(docs / "new.txt", "from the far future", 4_102_444_800)
    idx.add_files(docs)
    assert len(idx.search("epoch")) == 1
    assert len(idx.search("future")) == 1
    assert idx.integrity_check() == []


def test_documents_say_when_their_file_was_modified(idx: Index, three: Path) -> None:
    idx.add_files(three)
    document: Any = idx.list(source=str(three / "b.txt"))[0]
    assert (document.modified_at.year, document.added_at.year, document.size) == (2024, 2026, 16)
    assert document.title == "b.txt"
