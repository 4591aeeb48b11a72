"""A conversation is told by what was said in it: whatever its file is called, it is one session, and can be undone."""

from __future__ import annotations

import os
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from tests.features.transcript_makers import BY_FILE, FORMATS, marked, words

from omoide import History
from omoide.transcripts import reader

MANY = 1_200


def said(his: History) -> Counter[str]:
    """Return how often each message of the makers is in the store."""
    hits = his.search(None, k=5_000, kind="turn")
    return Counter(line for hit in hits for line in hit.text.splitlines() if "about" in line)


def ids(his: History) -> list[Any]:
    return sorted(hit.id for hit in his.search(None, k=5_000, kind="turn"))


@pytest.mark.parametrize("name", FORMATS)
def test_p13_a_longer_copy_under_another_name_adds_what_is_new_and_can_be_undone(
    path: Path, tmp_path: Path, name: str
) -> None:
    first, second = FORMATS[name](tmp_path / "a", 40), FORMATS[name](tmp_path / "b", 52)
    os.utime(second, (1_700_000_000, 1_700_000_000))
    assert getattr(reader.detect(first), "name", None) == name.partition(" ")[0]
    with History(path, embedder="none") as his:
        assert his.ingest(first).turns == 40
        before, known = ids(his), his.read(his.sessions()[0].id).text
        done = his.ingest(second)
        assert (done.turns, his.sessions()[0].turns, len(his.sessions())) == (12, 52, 1)
        assert set(said(his).values()) == {1}
        assert (his.ingest(first).new, his.ingest(second).new) == (0, 0)
        assert done.batch is not None
        his.undo(done.batch)
        assert ids(his) == before
        assert his.read(his.sessions()[0].id).text == known
        assert his.ingest(second).turns == 12
        assert his.integrity_check() == []


@pytest.mark.parametrize("name", FORMATS)
def test_an_older_copy_under_another_name_adds_nothing(path: Path, tmp_path: Path, name: str) -> None:
    first, second = FORMATS[name](tmp_path / "a", 52), FORMATS[name](tmp_path / "b", 40)
    with History(path, embedder="none") as his:
        his.ingest(first)
        taken = his.ingest(second).files[0]
        assert (taken.new, taken.changed, taken.status) == (0, 0, "known")
        assert (his.sessions()[0].turns, len(his.sessions())) == (52, 1)


@pytest.mark.parametrize("name", BY_FILE)
def test_a_file_that_is_moved_and_goes_on_stays_one_session(path: Path, tmp_path: Path, name: str) -> None:
    make = FORMATS[name]
    with History(path, embedder="none") as his:
        place = make(tmp_path / "a", 10)
        his.ingest(place)
        for count, folder in ((16, "one"), (20, "two")):
            (tmp_path / folder).mkdir()
            place = Path(shutil.move(place, (tmp_path / folder / f"in {folder}").with_suffix(place.suffix)))
            his.ingest(make(place.with_suffix(""), count))
            assert (his.sessions()[0].turns, len(his.sessions())) == (count, 1)
        assert his.ingest(make(place.with_suffix(""), 24)).turns == 4
        assert set(said(his).values()) == {1}
        assert his.integrity_check() == []


@pytest.mark.parametrize("name", BY_FILE)
def test_conversations_that_begin_alike_stay_apart_once_they_differ(path: Path, tmp_path: Path, name: str) -> None:
    make = FORMATS[name]
    one = make(tmp_path / "one", 12)
    (tmp_path / "other").mkdir()
    other = make(tmp_path / "other" / "one", 12)
    other.write_text(other.read_text(encoding="utf-8").replace(words(10), "quite another turn"), encoding="utf-8")
    with History(path, embedder="none") as his:
        assert (his.ingest(one).turns, his.ingest(other).turns) == (12, 12)
        assert {session.id: session.turns for session in his.sessions()} == {"one": 12, "one-2": 12}
        assert (his.ingest(one).new, his.ingest(other).new) == (0, 0)
        make(tmp_path / "one", 14)
        assert his.ingest(one).turns == 2
        assert {session.id: session.turns for session in his.sessions()} == {"one": 14, "one-2": 12}


@pytest.mark.parametrize("name", BY_FILE)
def test_a_purged_conversation_stays_away_whatever_its_file_is_called(path: Path, tmp_path: Path, name: str) -> None:
    make = FORMATS[name]
    with History(path, embedder="none") as his:
        his.ingest(make(tmp_path / "a", 12))
        his.purge(session="a")
        for count in (4, 12, 20):
            assert his.ingest(make(tmp_path / f"copy {count}", count)).files[0].status == "purged"
        assert his.sessions() == []
        (tmp_path / "elsewhere").mkdir()
        other = make(tmp_path / "elsewhere" / "a", 12)
        other.write_text(other.read_text(encoding="utf-8").replace(words(1), "another answer"), encoding="utf-8")
        assert his.ingest(other).turns == 12
        assert his.sessions()[0].id == "a-2"


@pytest.mark.parametrize("name", BY_FILE)
def test_a_purge_of_everything_keeps_conversations_away_too(path: Path, tmp_path: Path, name: str) -> None:
    from omoide import Memory

    make = FORMATS[name]
    with History(path, embedder="none") as his:
        his.ingest(make(tmp_path / "a", 12))
    with Memory(path, embedder="none") as mem:
        mem.purge(namespace="default")
    with History(path, embedder="none") as his:
        assert his.ingest(make(tmp_path / "b", 14)).files[0].status == "purged"


def test_line_ends_and_white_space_at_the_end_of_lines_are_no_difference(path: Path, tmp_path: Path) -> None:
    place = FORMATS["text"](tmp_path / "a", 20)
    with History(path, embedder="none") as his:
        his.ingest(place)
        other = tmp_path / "b.txt"
        other.write_bytes(b"\xef\xbb\xbf" + place.read_bytes().replace(b"\n", b" \r\n") + b"\r\nUser: and now?\r\n")
        assert his.ingest(other).turns == 1
        assert his.sessions()[0].turns == 21


def test_a_file_that_became_another_conversation_is_another_session(path: Path, tmp_path: Path) -> None:
    place = FORMATS["text"](tmp_path / "chat", 12)
    with History(path, embedder="none") as his:
        his.ingest(place)
        place.write_text("".join(f"User: of something else {number}\n" for number in range(12)), encoding="utf-8")
        assert his.ingest(place).turns == 12
        assert {session.id: session.turns for session in his.sessions()} == {"chat": 12, "chat-2": 12}


def test_a_file_that_was_edited_stays_its_session(path: Path, tmp_path: Path) -> None:
    place = FORMATS["text"](tmp_path / "chat", 12)
    with History(path, embedder="none") as his:
        his.ingest(place)
        place.write_text("User: before all\n\n" + place.read_text(encoding="utf-8"), encoding="utf-8")
        assert his.ingest(place).turns == 1
        assert (his.sessions()[0].turns, len(his.sessions())) == (13, 1)


def test_a_note_of_one_part_that_grew_is_told_wherever_it_lies(path: Path, tmp_path: Path) -> None:
    note = "\n".join(f"- what we found out, number {number}" for number in range(8))
    with History(path, embedder="none") as his:
        his.ingest(marked(tmp_path / "a", note + "\n"))
        done = his.ingest(marked(tmp_path / "b", note + "\n- and one more thing\n"))
        assert (done.files[0].changed, len(his.sessions()), his.sessions()[0].turns) == (1, 1, 1)
        assert his.ingest(marked(tmp_path / "c", note)).new == 0
        assert his.search("one more thing", use_vectors=False)
        assert len(his.sessions()) == 1


def test_short_notes_that_begin_alike_are_two(path: Path, tmp_path: Path) -> None:
    with History(path, embedder="none") as his:
        his.ingest(marked(tmp_path / "a", "Hello\n"))
        his.ingest(marked(tmp_path / "b", "Hello\nthere\n"))
        assert {session.id for session in his.sessions()} == {"a", "b"}


def test_the_numbers_that_a_host_counts_with_make_no_session(path: Path, tmp_path: Path) -> None:
    make = FORMATS["gemini-json (nameless)"]
    one = make(tmp_path / "a", 6)
    other = make(tmp_path / "b", 6)
    other.write_text(other.read_text(encoding="utf-8").replace(words(3), "something else"), encoding="utf-8")
    with History(path, embedder="none") as his:
        assert (his.ingest(one).turns, his.ingest(other).turns) == (6, 6)
        assert len(his.sessions()) == 2


def test_files_that_are_named_one_by_one_are_all_taken(path: Path, tmp_path: Path) -> None:
    files = [FORMATS["text"](tmp_path / "a", 40), FORMATS["text"](tmp_path / "b", 52)]
    with History(path, embedder="none") as his:
        assert his.ingest(files).turns == 52
        assert len(his.sessions()) == 1
        assert his.ingest(tmp_path).turns == 0


def test_sessions_that_a_host_names_are_not_joined_by_what_they_say(path: Path, tmp_path: Path) -> None:
    names = ("0b7d1c9e-0000-4000-8000-000000000001", "0b7d1c9e-0000-4000-8000-000000000002")
    with History(path, embedder="none") as his:
        for name, count in zip(names, (6, 8), strict=True):
            his.ingest(FORMATS["cursor-jsonl"](tmp_path / name, count))
        assert {session.id for session in his.sessions()} == set(names)
        assert his.ingest(FORMATS["cursor-jsonl"](tmp_path / "copy", 8)).new == 0


def test_a_database_that_began_anew_and_goes_on_loses_no_message(path: Path, tmp_path: Path) -> None:
    """Its rows are counted from 1 again, so that a new one stands where an old one stood."""
    place = FORMATS["hermes-database"](tmp_path / "state", 10)
    with History(path, embedder="none") as his:
        his.ingest(place)
        for count in (4, 11, 12, 13, 14, 15, 16):
            place.unlink()
            FORMATS["hermes-database"](tmp_path / "state", count)
            his.ingest(place)
        assert said(his).keys() == {words(number) for number in range(16)}
        assert his.integrity_check() == []


@pytest.mark.parametrize("count", [499, 500, 501, MANY])
def test_a_long_copy_is_read_in_parts_and_adds_its_end(tmp_path: Path, count: int) -> None:
    first = FORMATS["text"](tmp_path / "a", count)
    second = FORMATS["text"](tmp_path / "b", count + 20)
    with History(":memory:", embedder="none") as his:
        his.ingest(first)
        assert his.ingest(second).turns == 20
        assert his.ingest(second).new == 0
        assert his.sessions()[0].turns == count + 20


def tail(path: Path, skipped: int, extra: list[str] | None = None) -> Path:
    """A copy of a file of lines without the first ones."""
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)[skipped:] + (extra or [])
    found = path.with_name(f"tail of {path.name}")
    found.write_text("".join(lines), encoding="utf-8")
    return found


BY_LINE = ("messages-jsonl (nameless)", "cursor-jsonl")


@pytest.mark.parametrize("name", BY_LINE)
def test_a_copy_that_begins_later_adds_only_what_is_new(path: Path, tmp_path: Path, name: str) -> None:
    """An export of the last messages overlaps with what is known and has no beginning in common with it."""
    with History(path, embedder="none") as his:
        his.ingest(FORMATS[name](tmp_path / "a", 40))
        (tmp_path / "later").mkdir()
        longer = FORMATS[name](tmp_path / "later" / "b", 60)
        repeated = longer.read_text(encoding="utf-8").splitlines(keepends=True)[3]
        later = tail(longer, 20, [repeated])
        done = his.ingest(later)
        assert (done.turns, len(his.sessions()), his.sessions()[0].turns) == (21, 1, 61)
        assert sorted(said(his).values()) == [1] * 59 + [2]
        assert (his.ingest(later).new, his.ingest(tmp_path / "a.jsonl").new) == (0, 0)
        assert done.batch is not None
        his.undo(done.batch)
        assert set(said(his).values()) == {1}
        assert his.sessions()[0].turns == 40
        assert his.integrity_check() == []


@pytest.mark.parametrize("name", BY_LINE)
def test_a_piece_from_the_middle_adds_nothing(path: Path, tmp_path: Path, name: str) -> None:
    with History(path, embedder="none") as his:
        his.ingest(FORMATS[name](tmp_path / "a", 40))
        (tmp_path / "piece").mkdir()
        piece = tail(FORMATS[name](tmp_path / "piece" / "b", 30), 12)
        assert (his.ingest(piece).new, len(his.sessions())) == (0, 1)


@pytest.mark.parametrize("name", BY_LINE)
def test_the_end_of_a_purged_conversation_stays_away_too(path: Path, tmp_path: Path, name: str) -> None:
    """The control: a conversation with other words comes in."""
    with History(path, embedder="none") as his:
        his.ingest(FORMATS[name](tmp_path / "a", 40))
        his.purge(session="a")
        (tmp_path / "later").mkdir()
        later = FORMATS[name](tmp_path / "later" / "b", 60)
        assert his.ingest(tail(later, 20)).files[0].status == "purged"
        other = tail(later, 45)
        assert his.ingest(other).turns == 15


@pytest.mark.parametrize("name", BY_LINE)
def test_a_few_turns_in_common_make_no_session(path: Path, tmp_path: Path, name: str) -> None:
    """The control: fewer than an opening agree, or they go on differently."""
    with History(path, embedder="none") as his:
        his.ingest(FORMATS[name](tmp_path / "a", 40))
        for folder, skipped, changed in (("short", 36, 41), ("other", 20, 30)):
            (tmp_path / folder).mkdir()
            piece = tail(FORMATS[name](tmp_path / folder / folder, 50), skipped)
            piece.write_text(
                piece.read_text(encoding="utf-8").replace(words(changed), f"{folder} way"), encoding="utf-8"
            )
            assert his.ingest(piece).turns == 50 - skipped
        assert len(his.sessions()) == 3
