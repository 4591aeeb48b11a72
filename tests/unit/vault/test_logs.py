"""The logs of a vault read as one history of lines."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from omoide.errors import StoreVersionError
from omoide.vault import journal, logs
from omoide.vault.pen import Pen


def line(number: int, prev: str | None, text: str = "x", **more: Any) -> bytes:
    """Return a line that says a text."""
    rows = {"content": {"+": [{"content_id": number, "text": text}]}}
    return journal.encode(number, prev, at="2026-06-01T12:00:00+00:00", rows=rows, numbers={}, **more)


def write(root: Path, writer: str, *lines: bytes) -> list[str]:
    """Add lines to a writer's log; return their hashes."""
    pen = Pen(root, writer)
    pen.write(pen.next_file(), lines, again=False)
    return [journal.hash_of(each) for each in lines]


def chain(root: Path, writer: str, count: int, prev: str | None = None, first: int = 1) -> list[str]:
    """Write a chain of lines; return their hashes."""
    made: list[str] = []
    for number in range(first, first + count):
        (prev,) = write(root, writer, line(number, prev, f"{writer} {number}"))
        made.append(prev)
    return made


def test_one_chain(tmp_path: Path) -> None:
    """The end of a chain is its head, and the way to it goes through every line in order."""
    made = chain(tmp_path, "a", 3)
    read = logs.read(tmp_path)
    assert [head.hash for head in read.heads()] == [made[2]]
    path = read.path_to(made[2])
    assert path is not None
    assert [each.hash for each in path] == made
    assert read.known([made[1]]) == set(made[:2])


def test_a_log_that_goes_on_from_another(tmp_path: Path) -> None:
    """A writer that began where another was holds the lines of both; the way since that line is its own."""
    first = chain(tmp_path, "a", 2)
    second = chain(tmp_path, "b", 2, prev=first[1], first=3)
    read = logs.read(tmp_path)
    assert [head.hash for head in read.heads()] == [second[1]]
    since = read.path_to(second[1], since=first[1])
    assert since is not None
    assert [each.hash for each in since] == second


def test_two_ways_from_one_line(tmp_path: Path) -> None:
    """Two writers that went on from one line are two heads; neither is on the way to the other."""
    first = chain(tmp_path, "a", 2)
    one, other = chain(tmp_path, "a", 1, first[1], 3), chain(tmp_path, "b", 1, first[1], 3)
    read = logs.read(tmp_path)
    assert {head.hash for head in read.heads()} == {one[0], other[0]}
    assert read.path_to(one[0], since=other[0]) is None


def test_what_a_line_says_it_holds_is_no_head(tmp_path: Path) -> None:
    """A line that was taken in by another is held by it."""
    one, other = chain(tmp_path, "a", 1), chain(tmp_path, "b", 1)
    joined = write(tmp_path, "a", line(2, one[0], also=[other[0]]))
    read = logs.read(tmp_path)
    assert [head.hash for head in read.heads()] == joined
    assert read.known(joined) == {*one, *other, *joined}


def test_a_snapshot_needs_nothing_before_it(tmp_path: Path) -> None:
    """The way to what follows a snapshot begins with the snapshot."""
    old = chain(tmp_path, "a", 2)
    begin = line(3, None, snapshot="begin")
    end = line(4, journal.hash_of(begin), snapshot="end", also=[old[1]])
    made = [*write(tmp_path, "a", begin, end), *chain(tmp_path, "a", 1, journal.hash_of(end), 5)]
    read = logs.read(tmp_path)
    assert [head.hash for head in read.heads()] == [made[-1]]
    path = read.path_to(made[-1])
    assert path is not None
    assert [each.hash for each in path] == made


def test_half_a_snapshot_does_not_count(tmp_path: Path) -> None:
    """A snapshot that was not written to its end is left out; the state before it stays."""
    old = chain(tmp_path, "a", 2)
    write(tmp_path, "a", line(3, None, snapshot="begin"))
    assert [head.hash for head in logs.read(tmp_path).heads()] == [old[1]]


def test_a_missing_line_is_bridged_and_named(tmp_path: Path) -> None:
    """Where a line is damaged, the writer's line before it counts in its place."""
    made = chain(tmp_path, "a", 3)
    (log,) = logs.files(tmp_path)
    damaged = log.read_bytes().splitlines(keepends=True)
    damaged[1] = b"=======\n"
    log.write_bytes(b"".join(damaged))
    read = logs.read(tmp_path)
    path = read.path_to(made[2])
    assert path is not None
    assert [each.number for each in path] == [1, 3]
    assert len(read.problems) == 2
    assert "line 2" in read.problems[0]


def test_line_ends_of_windows(tmp_path: Path) -> None:
    """A log whose line ends a program changed is read as it was written."""
    made = chain(tmp_path, "a", 2)
    (log,) = logs.files(tmp_path)
    log.write_bytes(log.read_bytes().replace(b"\n", b"\r\n"))
    read = logs.read(tmp_path)
    assert [head.hash for head in read.heads()] == [made[1]]
    assert read.problems == []


def test_a_newer_line_is_refused(tmp_path: Path) -> None:
    """A log of a later version says so instead of being half understood."""
    write(tmp_path, "a", line(1, None).replace(b'"omoide":1', b'"omoide":2'))
    with pytest.raises(StoreVersionError, match="newer"):
        logs.read(tmp_path)


def test_signatures(tmp_path: Path) -> None:
    """A look without reading sees a log that grew, one that is new, and takes an identity it does not know as equal."""
    chain(tmp_path, "a", 1)
    before = logs.signature(tmp_path)
    assert logs.same(before, {name: [size, 0] for name, (size, _) in before.items()})
    chain(tmp_path, "b", 1)
    assert not logs.same(before, logs.signature(tmp_path))


class TestPen:
    """The log of one writer."""

    def test_lines_that_are_there_are_not_written_again(self, tmp_path: Path) -> None:
        pen, first, second = Pen(tmp_path, "a"), line(1, None), line(2, "x")
        path = pen.next_file()
        pen.write(path, [first], again=False)
        pen.write(path, [first, second], again=True)
        assert logs.files(tmp_path)[0].read_bytes() == first + b"\n" + second + b"\n"

    def test_half_a_line_is_taken_away(self, tmp_path: Path) -> None:
        pen, first, second = Pen(tmp_path, "a"), line(1, None), line(2, "x")
        pen.write(pen.next_file(), [first], again=False)
        with logs.files(tmp_path)[0].open("ab") as log:
            log.write(second[:20])
        pen.write(pen.next_file(), [second], again=True)
        assert logs.files(tmp_path)[0].read_bytes() == first + b"\n" + second + b"\n"

    def test_a_whole_line_without_its_end_stays(self, tmp_path: Path) -> None:
        pen, first, second = Pen(tmp_path, "a"), line(1, None), line(2, "x")
        pen.write(pen.next_file(), [first], again=False)
        (log,) = logs.files(tmp_path)
        log.write_bytes(first)
        pen.write(pen.next_file(), [second], again=False)
        assert log.read_bytes() == first + b"\n" + second + b"\n"
