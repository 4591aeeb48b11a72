"""rmbr's names and habits, for programs that change the import and nothing else."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import omoide
from omoide.compat import rmbr
from omoide.compat.rmbr import Memory, Policy
from omoide.compat.rmbr.door import resolve
from omoide.compat.rmbr.memory import MemoryRecord
from omoide.testing import FakeClock

Opener = Callable[..., Memory]


@pytest.fixture
def opened(path: Path, clock: FakeClock) -> Iterator[Opener]:
    """Open rmbr handles on one store."""
    handles: list[Memory] = []

    def open_one(namespace: str = "a", **options: Any) -> Memory:
        settings: dict[str, Any] = {"clock": clock, "embedder": "none"} | options
        handles.append(Memory(path, namespace, **settings))
        return handles[-1]

    yield open_one
    for handle in handles:
        handle.close()


@pytest.fixture
def mem(opened: Opener) -> Memory:
    return opened()


def record_of(mem: Memory, memory_id: int) -> MemoryRecord:
    record = mem.get(memory_id)
    assert record is not None
    return record


class TestNames:
    @pytest.mark.parametrize(
        "module, names",
        [
            ("memory", ["Memory", "MemoryRecord", "Hit", "Hits"]),
            ("policy", ["Policy"]),
            ("tools", ["ToolSpec", "ToolCallError"]),
            ("search", ["Hit", "Hits"]),
            ("embed", ["FakeEmbedder"]),
        ],
    )
    def test_each_module_has_its_names(self, module: str, names: list[str]) -> None:
        found = import_module(f"omoide.compat.rmbr.{module}")
        assert all(hasattr(found, name) for name in names)

    def test_the_package_has_rmbrs_names(self) -> None:
        assert {"Memory", "Index", "Policy", "serve_mcp", "serve_http", "__version__"} <= set(dir(rmbr))
        assert Policy is omoide.Policy
        assert rmbr.__version__ == omoide.__version__

    def test_other_names_do_not_exist(self) -> None:
        with pytest.raises(AttributeError, match="Ledger"):
            rmbr.Ledger

    def test_a_part_that_omoide_lacks_is_named(self) -> None:
        with pytest.raises(ImportError, match=r"rmbr\.ann\.Ann stands for omoide\.nowhere\.Ann"):
            resolve("omoide.compat.rmbr.ann", {"Ann": "omoide.nowhere:Ann"}, "Ann")


class TestSignatures:
    @pytest.mark.parametrize(
        "method, parameters",
        [
            ("__init__", "path namespace policy embedder dedupe_threshold max_memories"),
            ("remember", "text metadata namespace dedupe_threshold pinned"),
            ("remember_turn", "role content session_id metadata namespace dedupe_threshold"),
            ("recall", "query k namespaces where use_bm25 use_vectors budget_ms min_similarity"),
            ("recall", "recency_weight recency_half_life_seconds rerank"),
            ("update", "id text metadata"),
            ("forget_older_than", "seconds namespace"),
            ("list", "limit where"),
            ("stats", "namespaces"),
            ("as_tools", "read_only"),
        ],
    )
    def test_a_method_takes_what_rmbrs_took(self, method: str, parameters: str) -> None:
        assert set(parameters.split()) <= set(inspect.signature(getattr(Memory, method)).parameters)

    @pytest.mark.parametrize(
        "name",
        ["aremember", "aremember_turn", "arecall", "aupdate", "aforget", "aforget_older_than"],
    )
    def test_the_async_twins_are_there(self, name: str) -> None:
        assert inspect.iscoroutinefunction(getattr(Memory, name))


class TestRecords:
    def test_times_are_text(self, mem: Memory, clock: FakeClock) -> None:
        clock.set("2026-06-01T12:00:00.000005Z")
        memory_id = mem.remember("x", metadata={"a": 1})
        assert record_of(mem, memory_id) == MemoryRecord(
            memory_id, "a", "x", {"a": 1}, "2026-06-01T12:00:00.000005+00:00"
        )
        assert mem.list()[0].created_at == "2026-06-01T12:00:00.000005+00:00"

    def test_a_whole_second_shows_its_microseconds(self, mem: Memory) -> None:
        created_at = record_of(mem, mem.remember("x")).created_at
        assert created_at == "2026-06-01T12:00:00.000000+00:00"
        assert datetime.fromisoformat(created_at) == datetime(2026, 6, 1, 12, tzinfo=UTC)

    def test_stats_are_plain(self, mem: Memory, clock: FakeClock) -> None:
        mem.remember("x")
        clock.advance(60)
        mem.remember("y")
        row = mem.stats()["a"]
        assert (row["namespace"], row["count"]) == ("a", 2)
        assert row["oldest"] == "2026-06-01T12:00:00.000000+00:00"
        assert row["newest"] == "2026-06-01T12:01:00.000000+00:00"

    def test_an_empty_namespace_has_no_oldest(self, mem: Memory) -> None:
        row = mem.stats()["a"]
        assert (row["count"], row["oldest"], row["newest"]) == (0, None, None)

    def test_list_is_newest_first(self, mem: Memory, clock: FakeClock) -> None:
        for text in ("one", "two", "three"):
            mem.remember(text)
            clock.advance(1)
        assert [record.text for record in mem.list(limit=2)] == ["three", "two"]


class TestRemember:
    def test_the_same_text_is_kept_as_often_as_it_is_said(self, mem: Memory) -> None:
        first, second = mem.remember("x"), mem.remember("x")
        assert first != second
        assert len(mem.list()) == 2
        assert len(mem.recall("x")) == 2

    def test_an_id_is_an_integer(self, mem: Memory) -> None:
        assert isinstance(mem.remember("x"), int)

    def test_a_turn_keeps_its_role_and_session(self, mem: Memory) -> None:
        memory_id = mem.remember_turn("user", "hello", session_id="s1", metadata={"lang": "en"})
        record = record_of(mem, memory_id)
        assert record.text == "hello"
        assert record.metadata == {"role": "user", "session_id": "s1", "lang": "en"}

    def test_the_callers_metadata_may_name_the_role_but_not_the_session(self, mem: Memory) -> None:
        memory_id = mem.remember_turn("user", "hi", session_id="s1", metadata={"role": "bot", "session_id": "s0"})
        assert record_of(mem, memory_id).metadata == {"role": "bot", "session_id": "s1"}


class TestChanges:
    def test_update_replaces_what_is_given(self, mem: Memory) -> None:
        memory_id = mem.remember("x", metadata={"a": 1, "b": 2})
        mem.update(memory_id, text="y")
        assert record_of(mem, memory_id).metadata == {"a": 1, "b": 2}
        mem.update(memory_id, metadata={"c": 3})
        assert (record_of(mem, memory_id).text, record_of(mem, memory_id).metadata) == ("y", {"c": 3})
        mem.update(memory_id, metadata={})
        assert record_of(mem, memory_id).metadata == {}

    def test_update_and_forget_of_a_missing_id_do_nothing(self, mem: Memory) -> None:
        mem.update(999, text="y")
        mem.forget(999)
        assert mem.list() == []

    def test_forget_takes_it_out_of_every_answer(self, mem: Memory) -> None:
        memory_id = mem.remember("x")
        mem.forget(memory_id)
        assert mem.get(memory_id) is None
        assert mem.list() == []
        assert mem.recall("x") == []

    def test_forget_older_than_counts_what_it_forgot(self, mem: Memory, clock: FakeClock) -> None:
        mem.remember("old")
        clock.advance(100)
        mem.remember("new")
        assert mem.forget_older_than(50) == 1
        assert [record.text for record in mem.list()] == ["new"]

    def test_pinned_memories_outlive_forget_older_than(self, mem: Memory, clock: FakeClock) -> None:
        mem.remember("keep", pinned=True)
        clock.advance(100)
        assert mem.forget_older_than(50) == 0
        assert [record.text for record in mem.list()] == ["keep"]


class TestPolicyOfAHandle:
    def test_it_is_strict_unless_told_otherwise(self, opened: Opener) -> None:
        opened("b").remember("secret")
        with pytest.raises(PermissionError):
            opened("a").recall("secret", namespaces=["b"])
        with pytest.raises(PermissionError):
            opened("a").remember("x", namespace="b")

    def test_it_is_an_attribute(self, opened: Opener) -> None:
        policy = Policy.open()
        handle = opened("a", policy=policy)
        assert handle.policy is policy
        assert handle.namespace == "a"


class TestTools:
    def test_they_work_as_before(self, mem: Memory) -> None:
        recall, remember = mem.as_tools()
        memory_id = remember.call(text="the deploy runs on Fridays")
        (row,) = recall.call(query="deploy")
        assert row["id"] == memory_id


async def test_async_twins_answer_like_their_methods(mem: Any) -> None:
    """The twins of a compatibility handle keep its differences."""
    first = await mem.aremember("x")
    assert await mem.aremember("x") != first
    assert len(await mem.arecall("x")) == 2
