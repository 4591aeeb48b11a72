"""An import or merge of many memories: in portions, so that others get their turn, and as one to the user."""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.features.conftest import copy_store

from omoide import Memory
from omoide.errors import InvalidInputError
from omoide.testing import FakeClock
from omoide.verbs.transfer import take_in

COUNT = 26
KILLED = """
import os, sys
from omoide import Memory
from omoide.testing import FakeClock
from omoide.verbs.transfer import take_in
path, other, way, left = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])
take_in._PORTION = 5
def pause(seconds):
    global left
    left -= 1
    if not left:
        os._exit(9)
take_in.time.sleep = pause
with Memory(path, clock=FakeClock("2026-07-01T00:00:00Z"), embedder="none") as mem:
    mem.merge_from(other) if way == "merge" else mem.import_(other)
"""
"""Takes another store in and dies between two portions, without a word."""


@pytest.fixture(autouse=True)
def few_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Five memories a transaction, so that small stores take several."""
    monkeypatch.setattr(take_in, "_PORTION", 5)


@pytest.fixture
def other(tmp_path: Path) -> Path:
    """A store with a history: revisions, successors far from what they succeed, what was forgotten and rejected."""
    path, clock = tmp_path / "other.db", FakeClock("2026-06-01T12:00:00Z")
    with Memory(path, clock=clock, embedder="none", door_trust="stated") as mem:
        ids = [mem.remember(f"note {n} 覚え書き", subject=f"s{n % 3}", source="first") for n in range(COUNT)]
        clock.advance(60)
        mem.revise(ids[2], "note 2, revised")
        mem.supersede([ids[0]], "in the place of note 0")
        mem.forget(ids[5])
        mem.reject(ids[7], reason="never said")
        clock.advance(60)
    return path


@pytest.fixture
def taking(path: Path) -> Path:
    """A store in which something was written, a day later."""
    with Memory(path, clock=FakeClock("2026-06-20T00:00:00Z"), embedder="none") as mem:
        mem.remember("was here before")
    return path


def opened(path: Path, at: str = "2026-07-01T00:00:00Z") -> Memory:
    """Open a store at a later day."""
    return Memory(path, clock=FakeClock(at), embedder="none", door_trust="stated")


def source(other: Path, way: str) -> Path:
    """Return what to take in: the store itself or an export of it."""
    if way == "merge":
        return other
    with opened(other) as mem:
        return Path(mem.export(other.with_suffix(".jsonl")))


def take(mem: Memory, cargo: Path, way: str) -> str | None:
    """Take it in; return the batch."""
    report = mem.merge_from(cargo) if way == "merge" else mem.import_(cargo)
    return report.batch


def told(path: Path) -> list[object]:
    """Return what a store believes and how it came to, without its own numbers."""
    with opened(path, "2026-08-01T00:00:00Z") as mem:
        records = [mem.why(record.id) for record in mem.list(include_archived=True)]
        past = [(record.text, record.uid) for record in mem.list(as_of="2026-06-01T12:00:30Z")]
        versions = [
            [(v.text, v.valid_from, v.valid_to, v.known_to is None, v.cause) for v in c.versions] for c in records
        ]
        changed = mem.diff("2026-01-01")
        pairs = [(pair.old.text if pair.old else None, pair.new.text) for pair in changed.revised]
        assert mem.verify() == []
        assert mem.integrity_check() == []
        return [sorted(map(repr, versions)), sorted(past), sorted(pairs), sorted(v.text for v in changed.learned)]


@pytest.mark.parametrize("way", ["merge", "import"])
def test_portions_make_what_one_transaction_makes(
    other: Path, taking: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    """What is believed, how it came to, and the pairs of a diff do not depend on the size of a portion."""
    cargo, at_once = source(other, way), tmp_path / f"at_once{taking.suffix}"
    copy_store(taking, at_once)
    with opened(taking) as mem:
        take(mem, cargo, way)
    monkeypatch.setattr(take_in, "_PORTION", 10_000)
    with opened(at_once) as mem:
        take(mem, cargo, way)
    assert told(taking) == told(at_once)


def between(monkeypatch: pytest.MonkeyPatch, do: Callable[[int], object]) -> list[int]:
    """Let something happen between any two portions; return a list that gets a number each time."""
    done: list[int] = []

    def pause(_: float) -> None:
        do(len(done))
        done.append(len(done))

    monkeypatch.setattr(time, "sleep", pause)
    return done


def test_others_write_and_read_in_between(other: Path, taking: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Between two portions nobody holds the store: another handle writes at once and sees what came so far."""
    with opened(taking) as mem, opened(taking) as writer:
        seen: list[int] = []

        def write(turn: int) -> None:
            writer.remember(f"said in turn {turn}")
            seen.append(len(writer.list()))

        turns = between(monkeypatch, write)
        mem.merge_from(other)
        assert len(turns) >= COUNT // 5
        assert seen == sorted(set(seen))
        assert {f"said in turn {turn}" for turn in turns} <= {record.text for record in mem.list()}
        assert mem.verify() == []


def test_undo_takes_all_portions_back_and_nothing_else(
    other: Path, taking: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One batch, one undo; what others wrote in between stays, and what they edited is listed."""
    with opened(taking) as mem, opened(taking) as writer:
        edited: list[int] = []

        def write(turn: int) -> None:
            writer.remember(f"said in turn {turn}")
            if turn == 1:
                edited.append(writer.recall("note", k=1)[0].id)
                writer.revise(edited[0], "edited by somebody else")

        between(monkeypatch, write)
        report = mem.merge_from(other)
        assert report.batch is not None
        undone = mem.undo(report.batch)
        left = {record.text for record in mem.list()}
        assert undone.skipped == tuple(edited)
        assert "was here before" in left
        assert "edited by somebody else" in left
        assert not any(text.startswith("note") for text in left)
        assert {text for text in left if text.startswith("said")}


@pytest.mark.parametrize("way", ["merge", "import"])
@pytest.mark.parametrize("portions", [1, 5])
@pytest.mark.parametrize("empty", [False, True], ids=["written", "empty"])
def test_cut_short_and_asked_for_again_it_ends_the_same(
    other: Path, taking: Path, tmp_path: Path, way: str, portions: int, empty: bool
) -> None:
    """Killed between any two portions, the same call again makes what an unbroken one makes, under one batch."""
    cargo, broken = source(other, way), tmp_path / f"broken{taking.suffix}"
    if way == "import" and empty:  # a whole store in an empty one is one step
        cargo.write_bytes(_incomplete(cargo))
    if not empty:
        copy_store(taking, broken)
    elif taking.is_dir():
        broken.mkdir()
        shutil.rmtree(taking)
        taking.mkdir()
    else:
        taking.unlink()
    run = subprocess.run([sys.executable, "-c", KILLED, broken, cargo, way, str(portions)], check=False)
    assert run.returncode == 9
    with opened(broken) as mem:
        assert mem.verify() == []
        assert mem.integrity_check() == []
        assert "in the place of note 0" not in {record.text for record in mem.list()}
        batch = take(mem, cargo, way)
        assert batch is not None
        assert take(mem, cargo, way) is None
    with opened(taking) as mem:
        take(mem, cargo, way)
    assert told(broken) == told(taking)
    with opened(broken, "2026-09-01T00:00:00Z") as mem:
        assert mem.undo(batch).skipped == ()
        assert [record.text for record in mem.list()] == ([] if empty else ["was here before"])


def _incomplete(export: Path) -> bytes:
    """Return the lines of an export that does not claim to be of a whole store."""
    *lines, _ = export.read_bytes().splitlines(keepends=True)
    header = {**json.loads(lines[0]), "complete": False}
    return _ended([json.dumps(header, separators=(",", ":")).encode() + b"\n", *lines[1:]])


def _ended(lines: list[bytes]) -> bytes:
    digest = hashlib.sha256(b"".join(lines)).hexdigest()
    end = {"type": "end", "lines": len(lines), "sha256": digest}
    return b"".join(lines) + json.dumps(end, separators=(",", ":")).encode() + b"\n"


def test_a_damaged_line_in_the_last_portion_changes_nothing(other: Path, taking: Path) -> None:
    """The whole file is read before anything is written, so that no portion of a damaged one comes in."""
    cargo = source(other, "import")
    *lines, _ = cargo.read_bytes().splitlines(keepends=True)
    last = max(place for place, line in enumerate(lines) if line.startswith(b'{"type":"memory"'))
    lines[last] = lines[last].replace(b'"kind":"fact"', b'"kind":"nonsense"')
    cargo.write_bytes(_ended(lines))
    with opened(taking) as mem:
        before = mem.head()
        with pytest.raises(InvalidInputError, match=f"line {last + 1}"):
            mem.import_(cargo)
        assert mem.head() == before
        assert [record.text for record in mem.list()] == ["was here before"]


def test_a_dry_run_of_many_changes_nothing(other: Path, taking: Path) -> None:
    """It counts every portion and leaves no trace."""
    with opened(taking) as mem:
        before = mem.head()
        report = mem.merge_from(other, dry_run=True)
        assert len(report.added) == COUNT + 1
        assert mem.head() == before


def test_a_second_merge_of_many_does_nothing(other: Path, taking: Path) -> None:
    """Many memories that are known write nothing, not even an event."""
    with opened(taking) as mem:
        mem.merge_from(other)
        before = mem.head()
        report = mem.merge_from(other)
        assert (report.batch, report.added, report.changed) == (None, (), ())
        assert mem.head() == before


def test_a_past_that_was_asked_for_in_between_does_not_change(
    other: Path, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where somebody writes to a new namespace between two portions, the rest is known from when it comes in."""
    with opened(path) as mem, opened(path) as writer:
        answers: list[list[str]] = []

        def write(turn: int) -> None:
            if turn == 1:
                writer.remember("said in between")
            if turn >= 1:
                answers.append(sorted(record.text for record in writer.list(as_of="2026-06-01T12:00:30Z")))

        between(monkeypatch, write)
        mem.merge_from(other)
        answers.append(sorted(record.text for record in mem.list(as_of="2026-06-01T12:00:30Z")))
        assert len(answers) > 2
        assert all(answer == answers[0] for answer in answers)
