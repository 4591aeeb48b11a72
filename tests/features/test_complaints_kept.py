"""What users of comparable systems lost, or could not write any more, as facts about this one."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import apsw
import pytest
from tests.features.conftest import database
from tests.features.hook_kit import claude_line
from tests.features.vaults import notes

from omoide import History, Memory
from omoide.errors import DamagedStoreError, StoreBusyError
from omoide.maintenance import repair
from omoide.testing import FakeClock, FakeEmbedder

Opener = Callable[..., Memory]

TITLES = ("大语言模型概述", "断路器自动恢复", "Обзор", "Ünïcödé", "Unicode", "!!!", "CON", "长" * 300)
VECTORS = "(id >> 28) & 15 = 1"
FF = "unhex(replace(hex(zeroblob(300)), '00', 'FF'))"
WRITER = """
import sys
from omoide import Memory
with Memory(sys.argv[1], embedder="none", busy_timeout=120, durability="NORMAL") as mem:
    for n in range(int(sys.argv[3])):
        mem.remember(f"writer {sys.argv[2]} note {n}")
"""
READER = """
import sys
from omoide import Memory
with Memory(sys.argv[1], embedder="none") as mem:
    print("ready", flush=True)
    for _ in range(60):
        mem.recall("note", k=5)
"""


def run(path: Path, *statements: str) -> None:
    """Change the database of a closed store behind its back."""
    connection = apsw.Connection(str(database(path)))
    for statement in statements:
        connection.execute(statement)
    connection.close()


def texts(mem: Memory, query: str | None = None, **options: Any) -> list[str]:
    """Return the texts that answer a query."""
    return [hit.text for hit in mem.recall(query, **options)]


def test_p02_what_was_said_after_the_first_ingest_is_taken_in(path: Path, tmp_path: Path, clock: FakeClock) -> None:
    """A transcript that grew gives its new messages only, each found; a third look adds none."""
    file = tmp_path / "t.jsonl"

    def say(first: int, last: int) -> None:
        said = {n: "DOI 10.5555/zz-4417" if n == 35 else f"message m{n}" for n in range(first, last + 1)}
        lines = [json.dumps(claude_line("s-1", text, "user", "/work")) + "\n" for text in said.values()]
        with file.open("a", encoding="utf-8") as out:
            out.writelines(lines)

    with History(path, clock=clock, embedder="none") as history:
        say(1, 30)
        assert [(taken.new, taken.known) for taken in history.ingest(file).files] == [(30, 0)]
        say(31, 40)
        assert [taken.new for taken in history.ingest(file).files] == [10]
        assert [hit.text for hit in history.search("10.5555/zz-4417", k=1)] == ["DOI 10.5555/zz-4417"]
        assert sum(taken.new for taken in history.ingest(file).files) == 0
        assert len(history.search(None, k=99)) == 40


def test_p03_no_pass_over_many_alike_facts_takes_one_away(mem: Memory, clock: FakeClock) -> None:
    """Eleven short facts of one subject are eleven before consolidation, and after it."""
    for n in range(1, 12):
        mem.remember(f"fact {n:02d}", subject="topic")
        clock.advance(60)
    wanted = [f"fact {n:02d}" for n in range(1, 12)]
    assert sorted(texts(mem, subject="topic", k=50)) == wanted
    mem.sleep()
    assert sorted(texts(mem, subject="topic", k=50, include_archived=True)) == wanted
    assert sorted(texts(mem, subject="topic", k=50, as_of=clock.now())) == wanted


def test_p04_vectors_of_which_nothing_is_left_are_made_again(opened: Opener, path: Path) -> None:
    """Every vector overwritten: the store opens, keywords answer and say so, repair makes all of them anew."""
    model = FakeEmbedder(16)
    questions = [f"note {n} on tea" for n in (3, 77, 211)]
    mem = opened(embedder=model)
    with mem.bulk():
        for n in range(300):
            mem.remember(f"note {n} on tea")
    before = [texts(mem, question) for question in questions]
    mem.close()
    run(
        path, f"UPDATE block SET data = CAST(substr(data, 1, 100) || {FF} || substr(data, 401) AS BLOB) WHERE {VECTORS}"
    )
    damaged = opened(embedder=model)
    assert texts(damaged, questions[0])[0] == questions[0]
    assert damaged.recall(questions[0]).degraded
    report = damaged.repair()
    assert (report.rebuilt, report.remaining) == (300, ())
    assert [texts(damaged, question) for question in questions] == before
    assert not damaged.recall(questions[0]).degraded


def test_p05_a_store_cut_short_serves_the_rest(opened: Opener, path: Path) -> None:
    """The newest file loses its last 25 bytes, a note its front matter: all but those answer, nothing is deleted."""
    mem = opened()
    for n in range(20):
        mem.remember(f"memory number {n}", subject=f"subject {n}")
    mem.close()
    if path.is_dir():
        (log,) = (path / ".omoide" / "log").glob("*/*.jsonl")
        log.write_bytes(log.read_bytes()[:-25])
        broken = notes(path)[0]
        broken.write_text("---\ntitle: [unclosed", encoding="utf-8")
    else:
        _crash(path, 20)
        log = path.with_name(path.name + "-wal")
        log.write_bytes(log.read_bytes()[:-25])
    again = opened()
    assert len(texts(again, k=50)) >= 19
    assert texts(again, "number 12")[0] == "memory number 12"
    if path.is_dir():
        assert [held.path for held in again.quarantine()] == [broken.relative_to(path).as_posix()]
        assert broken.read_text(encoding="utf-8") == "---\ntitle: [unclosed"


def _crash(path: Path, count: int) -> None:
    """Write more memories in a process that dies with its write-ahead log in place."""
    program = """
import os, sys
from omoide import Memory
mem = Memory(sys.argv[1], embedder="none")
for n in range(int(sys.argv[2])):
    mem.remember(f"late memory {n}")
os._exit(0)
"""
    subprocess.run([sys.executable, "-c", program, str(path), str(count)], check=True)


def test_p06_a_schema_that_drifted_is_told_by_table_and_column_once(opened: Opener, path: Path) -> None:
    """With a column renamed the store does not open, names it, and is as before after repair."""
    mem = opened()
    mem.remember("known before")
    mem.close()
    run(path, "ALTER TABLE memory RENAME COLUMN seen TO sightings")
    if not path.is_dir():
        with pytest.raises(DamagedStoreError, match=r"memory.*seen"):
            opened()
        repair(path, embedder="none")
    again = opened()
    for n in range(3):
        again.remember(f"written after {n}")
    assert sorted(texts(again, k=9)) == ["known before", *(f"written after {n}" for n in range(3))]


def test_p07_two_writers_and_two_readers_share_a_store(opened: Opener, path: Path) -> None:
    """Every write of both arrives once while others ask all the time; nobody meets an error."""
    mem = opened()
    start = [sys.executable, "-c"]
    readers = [subprocess.Popen([*start, READER, str(path)], stdout=subprocess.PIPE) for _ in range(2)]
    for reader in readers:
        assert reader.stdout is not None
        reader.stdout.readline()
    writers = [subprocess.Popen([*start, WRITER, str(path), str(n), "60"]) for n in range(2)]
    assert [child.wait(timeout=120) for child in (*writers, *readers)] == [0, 0, 0, 0]
    for reader in readers:
        assert reader.stdout is not None
        reader.stdout.close()
    wanted = sorted(f"writer {w} note {n}" for w in range(2) for n in range(60))
    assert sorted(record.text for record in mem.list(limit=999)) == wanted


def test_p09_a_store_held_by_a_stopped_process_says_who_and_never_says_saved(path: Path, opened: Opener) -> None:
    """A write waits a bounded time, names the holder where it is known, and leaves nothing half written."""
    mem = opened(busy_timeout=0.3)
    mem.remember("known before")
    program = """
import sys, time, apsw
held = apsw.Connection(sys.argv[1])
held.execute("BEGIN IMMEDIATE")
print("held", flush=True)
time.sleep(600)
"""
    child = subprocess.Popen([sys.executable, "-c", program, str(database(path))], stdout=subprocess.PIPE)
    try:
        assert child.stdout is not None
        child.stdout.readline()
        with pytest.raises(StoreBusyError, match=str(child.pid) if sys.platform == "linux" else "held"):
            mem.remember("must not be lost 5521")
        assert texts(mem, "known") == ["known before"]
        assert texts(mem, "5521") == []
    finally:
        child.kill()
        child.wait()
        if child.stdout is not None:
            child.stdout.close()
    mem.remember("must not be lost 5521")
    assert texts(mem, "5521") == ["must not be lost 5521"]


def test_p20_titles_in_every_script_have_files_of_their_own(tmp_path: Path, clock: FakeClock) -> None:
    """Eight titles are eight notes with names legal on every system, and eight memories from the files alone."""
    root = tmp_path / "vault"
    with Memory(f"{root}/", clock=clock, embedder="none") as mem:
        for title in TITLES:
            mem.remember(f"about {title[:9]}", subject=title)
    names = [note.name for note in notes(root)]
    assert len({name.casefold() for name in names}) == 8
    assert all(len(name.encode()) < 255 and not set(name) & set('<>:"/\\|?*') for name in names)
    assert not {"con.md", ".md"} & {name.casefold() for name in names}
    for file in (root / ".index").iterdir():
        file.unlink()
    with Memory(f"{root}/", clock=clock, embedder="none") as mem:
        assert {record.subject for record in mem.list()} == set(TITLES)
