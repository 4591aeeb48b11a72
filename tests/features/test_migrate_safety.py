"""Importing beside a living owner, from hostile data, and from large sources."""

from __future__ import annotations

import itertools
import os
import pickle
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import apsw
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.features import foreign

from omoide import Memory
from omoide.migrate import import_into
from omoide.migrate.telling import carried, uid_of
from omoide.migrate.values import Brought, Edit, Ending, Step, said
from omoide.model.lineage import replay
from omoide.model.time import FOREVER

Opener = Callable[..., Memory]
FULL = os.environ.get("OMOIDE_LAWS") == "deep"


def test_a_living_owner_is_not_disturbed(mem: Memory, tmp_path: Path) -> None:
    """A store in write-ahead mode is read beside its open writer: its log and its locks stay as they are."""
    path = foreign.rmbr(tmp_path / "r.db")
    owner = apsw.Connection(str(path))
    owner.execute("PRAGMA journal_mode = WAL")
    owner.execute("INSERT INTO memories VALUES (9, 'assistant', 'in the log only', '{}', '2026-01-09T00:00:00Z')")
    owner.execute("BEGIN IMMEDIATE")
    owner.execute("INSERT INTO memories VALUES (10, 'assistant', 'not committed', '{}', '2026-01-09T00:00:00Z')")
    log = path.with_name("r.db-wal").read_bytes()
    import_into(mem, path)
    texts = {record.text for record in mem.list()}
    assert "in the log only" in texts
    assert "not committed" not in texts
    assert path.with_name("r.db-wal").read_bytes()[: len(log)] == log
    owner.execute("COMMIT")
    owner.close()


def test_a_closed_store_in_write_ahead_mode_gets_no_files(mem: Memory, tmp_path: Path) -> None:
    """Nothing appears beside a store that nobody has open."""
    path = foreign.rmbr(tmp_path / "r.db")
    owner = apsw.Connection(str(path))
    owner.execute("PRAGMA journal_mode = WAL")
    owner.close()
    before = {file.name: file.read_bytes() for file in tmp_path.iterdir() if file.name.startswith("r.db")}
    import_into(mem, path)
    assert {file.name: file.read_bytes() for file in tmp_path.iterdir() if file.name.startswith("r.db")} == before


def test_a_read_only_folder_is_enough(mem: Memory, tmp_path: Path) -> None:
    """A store that may not be written is read."""
    folder = tmp_path / "theirs"
    folder.mkdir()
    path = foreign.rmbr(folder / "r.db")
    path.chmod(0o444)
    folder.chmod(0o555)
    try:
        assert len(import_into(mem, path).added) == 3
    finally:
        folder.chmod(0o755)


class _Bomb:
    """Pickled, it runs a command where it is unpickled."""

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return (os.system, ("exit 1",))


def test_pickled_points_run_nothing(mem: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A point that would run a command is left out; nothing of it is called."""
    ran: list[str] = []
    bomb = pickle.dumps({"id": "x", "payload": _Bomb()})
    monkeypatch.setattr(os, "system", ran.append)
    good = pickle.dumps({"id": "m1", "payload": {"data": "likes tea", "user_id": "alex"}})
    folder = tmp_path / "qdrant" / "collection" / "mem0"
    folder.mkdir(parents=True)
    foreign.database(
        folder / "storage.sqlite", "CREATE TABLE points(id TEXT PRIMARY KEY, point BLOB)",
        points=[{"id": "a", "point": bomb}, {"id": "b", "point": good}, {"id": "c", "point": b"\x80\x04nonsense"}],
    )  # fmt: skip
    report = import_into(mem, tmp_path / "qdrant")
    assert ran == []
    assert [record.text for record in mem.list()] == ["likes tea"]
    assert len(report.left_out) == 2


def test_odd_texts_survive(mem: Memory, tmp_path: Path) -> None:
    """NUL, emoji, right-to-left and a megabyte arrive as they are."""
    texts = ["a\x00b", "👩‍👩‍👧 family", "שלום עולם", "x" * 1_000_000, "'; DROP TABLE memories; --", "１２３ｱｲｳ"]
    rows = [
        {"id": 10 + at, "namespace": "assistant", "text": text, "created_at": "2026-01-01T00:00:00Z"}
        for at, text in enumerate(texts)
    ]
    path = foreign.database(tmp_path / "r.db", foreign.RMBR, memories=rows)
    import_into(mem, path)
    assert sorted(record.text for record in mem.list()) == sorted(texts)


def test_broken_rows_in_the_middle_of_many_stop_nothing(mem: Memory, tmp_path: Path) -> None:
    """Some hundred rows arrive whole though some of them are broken."""
    rows = [
        {"id": at + 1, "namespace": "assistant", "text": f"note {at}" if at % 200 else "", "metadata": "{}",
         "created_at": "2026-01-01T00:00:00Z" if at % 250 else "yesterday"}
        for at in range(600)
    ]  # fmt: skip
    report = import_into(mem, foreign.database(tmp_path / "r.db", foreign.RMBR, memories=rows))
    assert (report.read, len(report.added), len(report.left_out)) == (600, 595, 5)
    assert (mem.integrity_check(), mem.verify()) == ([], [])


def test_a_foreign_file_in_place_of_a_store_names_the_command(opened: Opener, tmp_path: Path) -> None:
    """Opening another system's file as a store says how to import it."""
    from omoide.errors import ForeignStoreError

    path = foreign.claude_mem(tmp_path / "c.db")
    with pytest.raises(ForeignStoreError, match="omoide import --from claude-mem"):
        opened(path=path)


# -- the telling of steps ----------------------------------------------------------------------------------

_TIMES = st.integers(min_value=0, max_value=12)


@st.composite
def histories(draw: st.DrawFn) -> tuple[Step, ...]:
    """Return some steps of a memory, the first one an edit."""
    steps: list[Step] = []
    at = 0
    for number in range(draw(st.integers(min_value=1, max_value=7))):
        at += draw(st.integers(min_value=0, max_value=2))
        if number and draw(st.integers(min_value=0, max_value=3)) == 0:
            ref = draw(st.sampled_from([None, *(f"r{n}" for n in range(number))]))
            since = draw(st.none() | _TIMES)
            steps.append(Ending(at, draw(st.sampled_from(["forget", "supersede"])), since, ref))
            continue
        start = draw(st.none() | _TIMES)
        end = draw(st.just(FOREVER) | st.integers(min_value=(start or 0) + 1, max_value=20))
        steps.append(Edit(at, said(f"text {number}"), f"r{number}", valid_from=start, valid_to=end))
    return tuple(steps)


@settings(max_examples=2000 if FULL else 100)
@given(histories())
def test_what_is_told_is_what_a_merge_would_replay(steps: tuple[Step, ...]) -> None:
    """The versions left open are those that the merge of two copies finds, and no two hold at one time."""
    memory = carried(uid_of("x", ("1",)), "default", Brought(("1",), steps), 100)
    spans = replay([v.as_put() for v in memory.versions if v.edit], [item.end for item in memory.ends])
    told = sorted((v.root, v.valid_from, v.valid_to) for v in memory.versions if v.open)
    assert told == sorted((span.root, span.valid_from, span.valid_to) for span in spans)
    for version in memory.versions:
        assert version.valid_from < version.valid_to
        assert version.known_from <= version.known_to
    held = sorted((v.valid_from, v.valid_to) for v in memory.versions if v.open)
    assert all(one[1] <= other[0] for one, other in itertools.pairwise(held))


def test_uids_tell_systems_and_records_apart() -> None:
    """A uid depends on every part of a key, and is the same in every process."""
    uids = {uid_of("a", ("x", "y")), uid_of("a", ("xy",)), uid_of("b", ("x", "y")), uid_of("a", ("x", "y", ""))}
    assert len(uids) == 4
    assert uid_of("rmbr", ("1",)) == "4372ec6e-10dd-8da4-b3b7-bf6ee03522c6"


_CHILD = """
import sys
from omoide import Memory
from omoide.migrate import import_into
with Memory(sys.argv[1], embedder="none") as mem:
    print("begun", flush=True)
    import_into(mem, sys.argv[2])
    print("done", flush=True)
"""


@pytest.mark.torture
@pytest.mark.parametrize("delay", [0.0, 0.1])
def test_a_killed_import_leaves_nothing_or_everything(opened: Opener, tmp_path: Path, delay: float) -> None:
    """After a kill at any moment the store is sound, holds none or all of the source, and the import can be made."""
    rows = [
        {"id": at + 1, "namespace": "a", "text": f"note {at}", "created_at": "2026-01-01T00:00:00Z"}
        for at in range(150)
    ]
    source = foreign.database(tmp_path / "r.db", foreign.RMBR, memories=rows)
    store = tmp_path / "killed.db"
    child = subprocess.Popen([sys.executable, "-c", _CHILD, store, source], stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    assert child.stdout.readline() == "begun\n"
    time.sleep(delay)
    child.kill()
    child.communicate()
    mem = opened(path=store)
    assert len(mem.list()) in (0, 150)
    assert (mem.integrity_check(), mem.verify()) == ([], [])
    report = import_into(mem, source)
    assert len(report.added) + report.known == 150
    assert len(mem.list()) == 150
