"""Processes that save, move and take in conversations, killed or four at once: nothing lost, nothing twice."""

from __future__ import annotations

import json
import random
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.features.transcript_makers import cursor, words

from omoide import History

pytestmark = pytest.mark.torture
Lines = Callable[[int], list[list[str]]]
CHILD = "history_child.py"


def kill_at_random(start: Any, first_line: Callable[[int], None], number: int, *arguments: object) -> None:
    """Start a child, let it work for a moment that nobody chose, and kill it without a warning."""
    child = start(*arguments, script=CHILD)
    first_line(number)
    time.sleep(random.Random(f"{arguments}{number}").uniform(0.02, 0.4))
    assert child.poll() is None, "the child ended by itself"
    child.kill()
    child.wait()


def acknowledged(lines: list[list[str]]) -> dict[str, str]:
    """Return the text of every segment whose save returned, by id."""
    return {words[1]: words[2].rstrip("\n") for words in lines if words[0] == "ack"}


def check_whole(his: History) -> None:
    """Every segment is in one place, once, whole, and found by a word of its own."""
    assert his.integrity_check() == []
    segments = his.list()
    assert len({segment.id for segment in segments}) == len(segments)
    places = [his.list(archived=archived) for archived in (True, False)]
    assert sum(map(len, places)) == len(segments)
    texts = Counter(str(his.read(segment.id)) for segment in segments)
    assert set(texts.values()) <= {1}


def test_kill_amid_saves_loses_nothing_acknowledged(
    start: Any, lines: Lines, first_line: Callable[[int], None], path: Path
) -> None:
    expected: dict[str, str] = {}
    for number in range(3):
        kill_at_random(start, first_line, number, "save", path, f"w{number}", 0)
        expected |= acknowledged(lines(number))
        with History(path, embedder="none") as his:
            check_whole(his)
            for name, text in random.Random(number).sample(sorted(expected.items()), min(6, len(expected))):
                assert his.read(name) == text
                assert name in {hit.id for hit in his.search(text, k=3)}
                assert his.grep(text, literal=True).total == 1


def test_kill_amid_archiving_leaves_each_segment_in_one_place(
    start: Any, first_line: Callable[[int], None], path: Path
) -> None:
    texts = [f"segment {n}: the tokens rotate every {n} hours" for n in range(12)]
    with History(path, embedder="none") as his:
        names: dict[str, str] = {his.save(text): text for text in texts}
    for number in range(3):
        kill_at_random(start, first_line, number, "shift", path)
        with History(path, embedder="none") as his:
            check_whole(his)
            assert {segment.id: his.read(segment.id) for segment in his.list()} == names
            for segment in his.list():
                (hit,) = [hit for hit in his.search(names[segment.id], k=12) if hit.id == segment.id]
                assert (hit.status == "archived") == segment.archived


def transcripts(folder: Path, *, sessions: int, turns: int) -> None:
    """Write transcripts of some sessions."""
    folder.mkdir()
    for name in (f"s-{n}" for n in range(sessions)):
        lines = [
            json.dumps({
                "type": "user", "uuid": f"{name}-{n}", "sessionId": name, "parentUuid": None, "cwd": "/nowhere/app",
                "timestamp": "2026-05-01T09:00:00.000Z", "version": "2.0.0", "isSidechain": False,
                "userType": "external", "message": {"role": "user", "content": f"turn {n} of {name}"},
            })
            for n in range(turns)
        ]  # fmt: skip
        (folder / f"{name}.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")


def test_kill_amid_an_ingest_leaves_what_the_next_one_completes(start: Any, path: Path, tmp_path: Path) -> None:
    transcripts(tmp_path / "many", sessions=3, turns=900)
    for number in range(3):
        child = start("ingest", path, tmp_path / "many", 0, script=CHILD)
        time.sleep(random.Random(number).uniform(0.5, 1.2))
        child.kill()
        child.wait()
        with History(path, embedder="none") as his:
            assert his.integrity_check() == []
    with History(path, embedder="none") as his:
        his.ingest(tmp_path / "many")
        assert [(each.turns, each.records) for each in his.sessions()] == [(900, 900)] * 3
        assert his.ingest(tmp_path / "many").new == 0
        assert his.read("s-1", 900, 900) == "user: turn 899 of s-1"
        assert his.integrity_check() == []


def test_four_writers_save_everything_once(start: Any, lines: Lines, path: Path, tmp_path: Path) -> None:
    writers = [start("save", path, f"w{n}", 25, script=CHILD) for n in range(4)]
    assert [child.wait(100) for child in writers] == [0] * 4, errors(tmp_path)
    acks = {name: text for number in range(4) for name, text in acknowledged(lines(number)).items()}
    with History(path, embedder="none") as his:
        check_whole(his)
        assert len(acks) == 100
        assert all(his.read(name) == text for name, text in acks.items())
        assert len(his.list()) == 125
        assert sum(session.segments for session in his.sessions()) == 100


def test_four_processes_that_take_in_one_folder_add_each_record_once(start: Any, path: Path, tmp_path: Path) -> None:
    transcripts(tmp_path / "many", sessions=4, turns=60)
    readers = [start("ingest", path, tmp_path / "many", 2, script=CHILD) for _ in range(4)]
    assert [child.wait(100) for child in readers] == [0] * 4, errors(tmp_path)
    with History(path, embedder="none") as his:
        assert [(each.turns, each.records) for each in his.sessions()] == [(60, 60)] * 4
        assert his.integrity_check() == []


def test_four_processes_that_take_in_copies_of_one_conversation_keep_it_once(
    start: Any, path: Path, tmp_path: Path
) -> None:
    """Nothing but their files name them, and each copy is longer than the one before."""
    folder = tmp_path / "copies"
    folder.mkdir()
    for number, count in enumerate((300, 700, 1_100, 1_200)):
        cursor(folder / f"copy {number}", count)
    readers = [start("ingest", path, folder, 2, script=CHILD) for _ in range(4)]
    assert [child.wait(100) for child in readers] == [0] * 4, errors(tmp_path)
    with History(path, embedder="none") as his:
        (session,) = his.sessions()
        assert (session.turns, session.records) == (1_200, 1_200)
        assert [his.read(session.id, n, n) for n in (1, 700, 1_200)] == [
            "user: " + words(0), "assistant: " + words(699), "assistant: " + words(1_199),
        ]  # fmt: skip
        assert his.integrity_check() == []


def errors(folder: Path) -> str:
    """Return what children complained about."""
    return "\n".join(file.read_text() for file in folder.glob("*.err"))
