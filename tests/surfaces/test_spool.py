"""Writes that could not wait for a busy store: kept, applied once, in order, in the name of who made them."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import apsw
import pytest
from jsonschema import Draft202012Validator
from tests.surfaces.command_line import CommandLine

from omoide import Memory
from omoide.errors import InvalidInputError, StoreError
from omoide.model.arguments import ToolCallError
from omoide.ops import OPERATIONS
from omoide.serve import spool
from omoide.serve.spool import Applied, Waiting


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """A store that knows one thing."""
    path = tmp_path / "agents.db"
    with Memory(path, embedder="none") as memory:
        memory.remember("known already")
    return path


@contextmanager
def held(path: Path) -> Iterator[None]:
    """Let somebody else write the store for as long as the block lasts."""
    other = apsw.Connection(str(path))
    other.execute("BEGIN IMMEDIATE")
    try:
        yield
    finally:
        other.execute("ROLLBACK")
        other.close()


def texts(path: Path, namespace: str = "default") -> list[str]:
    with Memory(path, namespace, embedder="none") as memory:
        return [record.text for record in reversed(memory.list())]


def test_a_command_keeps_what_a_busy_store_cannot_take_and_the_next_one_saves_it(
    cli: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    cli("remember", "first")
    monkeypatch.setenv("OMOIDE_BUSY_TIMEOUT", "0.2")
    with held(cli.store):
        assert cli.json("remember", "second") == {
            "id": None, "saved": False, "spooled": True, "notices": [],
        }  # fmt: skip
        assert "kept beside it" in cli("remember", "third").out
        assert len(cli.json("list")["results"]) == 1
        (row,) = [check for check in cli.json("doctor")["checks"] if check["name"] == "spool"]
        assert row["state"] == "warn"
    said = cli("list", "--json")
    assert [record["text"] for record in said.json["results"]] == ["third", "second", "first"]
    assert "2 writes that were waiting are saved." in said.err
    assert spool.waiting_in(cli.store) == []


def test_what_would_be_done_twice_by_a_repeat_is_refused_instead(
    cli: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    cli("remember", "first")
    monkeypatch.setenv("OMOIDE_BUSY_TIMEOUT", "0.2")
    with held(cli.store):
        assert cli("confirm", "1", status=6).err.startswith("The store is busy: ")
    with pytest.raises(InvalidInputError, match="cannot wait"):
        spool.keep(cli.store, Waiting("confirm", {"id": 1}))


CALLS: dict[str, dict[str, Any]] = {
    "remember": {"text": "x"},
    "revise": {"id": 1, "text": "x"},
    "supersede": {"ids": [1], "text": "x"},
    "forget": {"id": 1},
}


@pytest.mark.parametrize("name", [name for name in OPERATIONS if spool.can_wait(name)])
def test_the_answer_has_the_shape_of_any_other(store: Path, name: str) -> None:
    answer = spool.keep(store, Waiting(name, CALLS[name]))
    Draft202012Validator(OPERATIONS[name].result_schema).validate(answer)
    assert (answer["saved"], answer["spooled"]) == (False, True)


def test_writes_are_applied_in_the_order_they_were_made(store: Path) -> None:
    for number in range(20):
        spool.keep(store, Waiting("remember", {"text": f"fact {number}"}))
    assert spool.apply(store, embedder="none") == Applied(20, 0, 0)
    assert texts(store)[1:] == [f"fact {number}" for number in range(20)]


def test_a_write_applied_twice_counts_once(store: Path) -> None:
    spool.keep(store, Waiting("supersede", {"ids": [1], "text": "known better"}))
    (file,) = spool.waiting_in(store)
    copy = file.read_bytes()
    spool.apply(store, embedder="none")
    file.write_bytes(copy)
    spool.apply(store, embedder="none")
    assert texts(store) == ["known better"]


def test_a_write_keeps_its_time_its_namespace_and_its_voice(store: Path) -> None:
    waiting = Waiting("remember", {"text": "a fox"}, "den", "mcp", "stated", "alice", at="2026-01-02T03:04:05+00:00")
    spool.keep(store, waiting)
    spool.apply(store, embedder="none")
    with Memory(store, "den", embedder="none") as memory:
        (record,) = memory.list()
    assert (record.trust, record.valid_from and record.valid_from.isoformat()) == ("stated", waiting.at)
    assert record.provenance is not None
    assert (record.provenance.door, record.provenance.actor) == ("mcp", "alice")


def test_a_store_that_is_still_busy_keeps_everything_waiting(store: Path) -> None:
    spool.keep(store, Waiting("remember", {"text": "later"}))
    with held(store):
        assert spool.apply(store, embedder="none", busy_timeout=0.1) == Applied(0, 0, 1)
    assert texts(store) == ["known already"]


def test_what_can_never_be_applied_is_set_aside_with_the_reason(store: Path) -> None:
    spool.keep(store, Waiting("revise", {"id": 99, "text": "x"}))
    spool.keep(store, Waiting("remember", {"text": "fine"}))
    folder = spool.folder_of(store)
    (folder / "00-broken.json").write_text("{", encoding="utf-8")
    (folder / "01-foreign.json").write_text(json.dumps({"operation": "purge", "arguments": {}}), encoding="utf-8")
    (folder / "02-list.json").write_text("[]", encoding="utf-8")
    assert spool.apply(store, embedder="none") == Applied(1, 4, 0)
    assert texts(store) == ["known already", "fine"]
    reasons = sorted(file.read_text(encoding="utf-8") for file in (folder / spool.FAILED).glob("*.reason"))
    assert len(spool.failed_in(store)) == len(reasons) == 4
    assert any(reason.startswith("not_found: ") for reason in reasons)


def test_a_half_written_file_is_not_taken_for_a_write(store: Path) -> None:
    spool.folder_of(store).mkdir()
    (spool.folder_of(store) / ".1.part").write_text('{"operation": "rem', encoding="utf-8")
    assert spool.apply(store, embedder="none") == Applied()


def test_arguments_are_checked_before_a_write_is_kept(store: Path) -> None:
    with pytest.raises(ToolCallError):
        spool.keep(store, Waiting("remember", {"text": 5}))
    assert spool.waiting_in(store) == []


def test_a_spool_that_cannot_be_written_is_an_error(store: Path) -> None:
    spool.folder_of(store).write_text("in the way", encoding="utf-8")
    with pytest.raises(StoreError, match="cannot be kept"):
        spool.keep(store, Waiting("remember", {"text": "x"}))


def test_a_round_is_bounded(store: Path) -> None:
    for number in range(5):
        spool.keep(store, Waiting("remember", {"text": f"fact {number}"}))
    assert spool.apply(store, limit=3, embedder="none") == Applied(3, 0, 2)


def test_writes_of_one_tick_of_the_clock_keep_their_order(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The clock of some systems stands still for 16 ms."""
    now = time.time_ns()
    monkeypatch.setattr(time, "time_ns", lambda: now)
    for number in range(12):
        spool.keep(store, Waiting("remember", {"text": f"fact {number}"}))
    monkeypatch.undo()
    spool.apply(store, embedder="none")
    assert texts(store) == ["known already", *(f"fact {number}" for number in range(12))]
