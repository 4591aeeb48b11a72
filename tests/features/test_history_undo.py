"""An ingest or a batch of saves taken back: it leaves the answers, and may come again."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.features.transcript_makers import claude_line as line

from omoide import History, Memory


@pytest.fixture
def his(path: Path) -> Iterator[History]:
    with History(path, embedder="none") as history:
        yield history


@pytest.fixture
def transcript(tmp_path: Path) -> Path:
    file = tmp_path / "s-1.jsonl"
    file.write_text(line(1, "rotate the tokens") + line(2, "認証の設計"), encoding="utf-8")
    return file


def test_an_ingest_is_taken_back_whole(his: History, transcript: Path) -> None:
    batch = his.ingest(transcript).batch
    assert batch is not None
    assert his.undo(batch).conversations == ("s-1",)
    assert his.sessions() == []
    assert his.search("tokens") == []
    assert his.grep("認証").total == 0
    assert his.integrity_check() == []


def test_what_was_taken_back_can_be_taken_in_again(his: History, transcript: Path) -> None:
    his.undo(str(his.ingest(transcript).batch))
    assert his.ingest(transcript).new == 2
    assert his.sessions()[0].turns == 2
    assert his.integrity_check() == []


def test_only_the_second_ingest_of_a_growing_file_is_taken_back(his: History, transcript: Path) -> None:
    his.ingest(transcript)
    with transcript.open("a", encoding="utf-8") as file:
        file.write(line(3, "one more word about gardens"))
    his.undo(str(his.ingest(transcript).batch))
    session = his.sessions()[0]
    assert (session.turns, dict(session.counts)) == (2, {"user": 2})
    assert his.search("gardens") == []
    assert his.ingest(transcript).new == 1
    assert his.read("s-1", 3) == "user: one more word about gardens"


def test_saves_of_a_batch_are_taken_back_and_their_ids_are_not_used_again(path: Path) -> None:
    with Memory(path, embedder="none") as mem, History(path, embedder="none") as his:
        kept = his.save("what was there before", project="p")
        with his.batch() as batch:
            gone = his.save("what the session said", project="p")
        assert mem.undo(batch).conversations == (gone,)
        assert [each.id for each in his.list()] == [kept]
        assert his.save("something else", project="p") not in (kept, gone)
        assert his.integrity_check() == []


def test_an_undo_says_nothing_of_conversations_of_other_batches(his: History, transcript: Path) -> None:
    saved = his.save("a note apart")
    his.undo(str(his.ingest(transcript).batch))
    assert [each.id for each in his.list()] == [saved]
