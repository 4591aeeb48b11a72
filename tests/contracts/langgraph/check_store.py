"""What LangGraph expects of a BaseStore, over an omoide file."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from langgraph.store.base import (
    GetOp,
    InvalidNamespaceError,
    ListNamespacesOp,
    MatchCondition,
    PutOp,
    SearchOp,
)
from langgraph.store.memory import InMemoryStore

from omoide import Memory
from omoide.errors import AccessDeniedError, InvalidInputError
from omoide.integrations.langgraph import OmoideStore, as_store
from omoide.model.policy import Policy
from omoide.testing import FakeClock, FakeEmbedder

ODD = ["a%b", "a_b", "a*b", "*", "a?b", "[ab]", "line\n", " lead", "寿司", "été", "a/b", "a|b", "a:b", "%2E", "A", "a", "😀"]


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock("2026-01-01T00:00:00Z")


@pytest.fixture
def store(tmp_path: Path, clock: FakeClock) -> Iterator[OmoideStore]:
    made = as_store(tmp_path / "agents.db", embedder="none", clock=clock)
    yield made
    made.close()


def keys(found: list[Any]) -> list[str]:
    return [item.key for item in found]


def test_a_batch_keeps_the_order_of_mixed_operations(store: OmoideStore) -> None:
    store.put(("a",), "k", {"n": 1})
    got, searched, listed, put, missing = store.batch([
        GetOp(("a",), "k"), SearchOp(("a",)), ListNamespacesOp(), PutOp(("b",), "k", {"n": 2}), GetOp(("a",), "no"),
    ])
    assert (got.value, keys(searched), listed, put, missing) == ({"n": 1}, ["k"], [("a",)], None, None)


def test_the_last_put_of_a_key_in_one_batch_wins(store: OmoideStore) -> None:
    store.batch([PutOp(("a",), "k", {"n": 1}), PutOp(("a",), "k", {"n": 2})])
    assert store.get(("a",), "k").value == {"n": 2}
    assert len(store.search(())) == 1


def test_created_at_is_stable_and_updated_at_moves(store: OmoideStore, clock: FakeClock) -> None:
    store.put(("a",), "k", {"n": 1})
    first = store.get(("a",), "k")
    clock.advance(60)
    store.put(("a",), "k", {"n": 1})
    again = store.get(("a",), "k")
    assert again.created_at == first.created_at
    assert again.updated_at > first.updated_at


def test_none_deletes_and_a_missing_item_is_none(store: OmoideStore) -> None:
    store.put(("a",), "k", {"n": 1})
    store.delete(("a",), "k")
    store.delete(("a",), "never")
    assert store.get(("a",), "k") is None
    assert store.search(("a",)) == []
    assert store.list_namespaces() == []


@pytest.mark.parametrize("label", ODD)
def test_any_label_comes_back_as_it_was(store: OmoideStore, label: str) -> None:
    for other in ODD:
        store.put(("root", other), "k", {"label": other})
    assert store.get(("root", label), "k").namespace == ("root", label)
    assert [item.value["label"] for item in store.search(("root", label))] == [label]
    assert ("root", label) in store.list_namespaces(prefix=("root",))


@pytest.mark.parametrize("label", ["", "a.b", "a\0b", 5])
def test_a_label_that_cannot_be_one_is_refused_in_a_batch_too(store: OmoideStore, label: Any) -> None:
    ops = [GetOp((label,), "k"), PutOp((label,), "k", {}), SearchOp((label,)), ListNamespacesOp((MatchCondition("prefix", (label,)),))]
    for op in ops:
        with pytest.raises(InvalidNamespaceError):
            store.batch([op])
        with pytest.raises(InvalidNamespaceError):
            asyncio.run(store.abatch([op]))


@pytest.mark.parametrize("namespace", [(), ("langgraph", "a")])
def test_a_put_needs_a_root_of_its_own(store: OmoideStore, namespace: tuple[str, ...]) -> None:
    with pytest.raises(InvalidNamespaceError):
        store.put(namespace, "k", {})


def test_a_prefix_matches_whole_labels(store: OmoideStore) -> None:
    for namespace in [("a",), ("ab",), ("a", "b"), ("A",)]:
        store.put(namespace, "/".join(namespace), {})
    assert keys(store.search(("a",))) == ["a", "a/b"]
    assert len(store.search(())) == 4


def test_list_namespaces_agrees_with_the_reference(store: OmoideStore) -> None:
    reference = InMemoryStore()
    for namespace in [("a", "b", "c"), ("a", "b", "d"), ("a", "x"), ("b", "c"), ("c",)]:
        for each in (store, reference):
            each.put(namespace, "k", {"n": 1})
    questions: list[dict[str, Any]] = [
        {}, {"prefix": ("a",)}, {"suffix": ("c",)}, {"prefix": ("a", "*"), "suffix": ("c",)}, {"max_depth": 1},
        {"max_depth": 2, "limit": 2}, {"limit": 2, "offset": 1}, {"prefix": ("*", "c")}, {"prefix": ("z",)},
    ]
    for question in questions:
        assert store.list_namespaces(**question) == reference.list_namespaces(**question), question


FILTERS: list[dict[str, Any]] = [
    {"n": 1}, {"n": {"$eq": 2}}, {"n": {"$ne": 2}}, {"n": {"$gt": 1}}, {"n": {"$gte": 2, "$lt": 10}}, {"n": {"$lte": 10}},
    {"a-b": 1}, {"1x": True}, {"who": {"name": "o'Neil"}}, {"tags": ["a", "b"]}, {"x' OR 1=1 --": 1}, {"s": "'; DROP TABLE memory; --"},
    {"a.b": 5},
]


@pytest.mark.parametrize("wanted", FILTERS, ids=str)
def test_a_filter_agrees_with_the_reference(store: OmoideStore, wanted: dict[str, Any]) -> None:
    reference = InMemoryStore()
    values: list[dict[str, Any]] = [
        {"n": 1, "a-b": 1, "a.b": 5}, {"n": 2, "1x": True, "a": {"b": 5}}, {"n": 10, "who": {"name": "o'Neil", "age": 3}},
        {"n": 9, "tags": ["a", "b"], "s": "'; DROP TABLE memory; --"},
    ]
    for i, value in enumerate(values):
        for each in (store, reference):
            each.put(("f",), str(i), value)
    assert keys(store.search(("f",), filter=wanted)) == keys(reference.search(("f",), filter=wanted))


def test_booleans_are_not_numbers_and_numbers_no_texts(store: OmoideStore) -> None:
    store.put(("f",), "one", {"n": 1})
    store.put(("f",), "true", {"n": True})
    store.put(("f",), "text", {"n": "10"})
    assert keys(store.search(("f",), filter={"n": True})) == ["true"]
    assert keys(store.search(("f",), filter={"n": {"$gt": 0}})) == ["one"]
    with pytest.raises(InvalidInputError, match="unknown operator"):
        store.search(("f",), filter={"n": {"$near": 1}})


def test_a_question_finds_by_words_in_any_script(store: OmoideStore) -> None:
    store.put(("q",), "jp", {"text": "東京タワーに行きました"})
    store.put(("q",), "fr", {"text": "elle préfère le thé"})
    assert store.search(("q",), query="東京")[0].key == "jp"
    best = store.search(("q",), query="préfère")[0]
    assert best.key == "fr"
    assert best.score is not None
    assert keys(store.search(("q",), query="")) == ["jp", "fr"]


def test_a_question_with_a_filter_pages_without_repeats(store: OmoideStore) -> None:
    for i in range(60):
        store.put(("p",), str(i), {"text": f"green tea {i}", "even": i % 2 == 0})
    pages = [store.search(("p",), query="tea", filter={"even": True}, limit=7, offset=start) for start in range(0, 35, 7)]
    found = [item.key for page in pages for item in page]
    assert sorted(found, key=int) == [str(i) for i in range(0, 60, 2)]


def test_index_chooses_the_fields_that_are_searched(tmp_path: Path) -> None:
    store = as_store(tmp_path / "i.db", embedder="none", index={"fields": ["title"]})
    store.put(("i",), "default", {"title": "tea", "body": "coffee"})
    store.put(("i",), "path", {"title": "water", "parts": [{"text": "coffee"}, {"text": "milk"}]}, index=["parts[*].text"])
    store.put(("i",), "none", {"title": "coffee"}, index=False)
    scored = [item.key for item in store.search(("i",), query="coffee") if item.score is not None]
    assert scored == ["path"]
    store.put(("i",), "default", {"title": "coffee", "body": "tea"})
    scored = [item.key for item in store.search(("i",), query="coffee") if item.score is not None]
    assert sorted(scored) == ["default", "path"]
    store.close()


def test_vectors_of_an_embed_function_are_used(tmp_path: Path) -> None:
    fake = FakeEmbedder(dimension=16)
    store = as_store(tmp_path / "v.db", index={"dims": 16, "embed": lambda texts: fake.embed(list(texts)), "fields": ["text"]})
    store.put(("v",), "k", {"text": "green tea"})
    (found,) = store.search(("v",), query="green tea")
    assert found.score is not None
    assert store.memory.stats(("v"))["v"]["pending_vectors"] == 0
    store.close()


def test_a_time_to_live_hides_refreshes_and_sweeps(store: OmoideStore, clock: FakeClock) -> None:
    store.put(("t",), "short", {"n": 1}, ttl=1)
    store.put(("t",), "read", {"n": 2}, ttl=1)
    store.put(("t",), "stays", {"n": 3})
    clock.advance(40)
    assert store.get(("t",), "read", refresh_ttl=True) is not None
    assert store.get(("t",), "short", refresh_ttl=False) is not None
    clock.advance(40)
    assert store.get(("t",), "short") is None
    assert keys(store.search(("t",), limit=1, refresh_ttl=False)) == ["read"]
    assert keys(store.search(("t",), refresh_ttl=False)) == ["read", "stays"]
    assert store.sweep_ttl() == 1
    clock.advance(61)
    assert store.sweep_ttl() == 1
    assert keys(store.search(("t",))) == ["stays"]


def test_a_default_time_to_live_holds_for_every_put(tmp_path: Path, clock: FakeClock) -> None:
    store = as_store(tmp_path / "d.db", embedder="none", clock=clock, ttl={"default_ttl": 1, "refresh_on_read": False})
    store.put(("t",), "k", {"n": 1})
    clock.advance(59)
    assert store.get(("t",), "k") is not None
    clock.advance(2)
    assert store.get(("t",), "k") is None
    assert store.list_namespaces() == []
    store.close()


def test_one_cancelled_caller_does_not_break_the_others(store: OmoideStore) -> None:
    async def run() -> list[Any]:
        tasks = [asyncio.create_task(store.aput(("c",), str(i), {"n": i})) for i in range(10)]
        tasks[3].cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        return await store.asearch(("c",), limit=20)

    assert {item.key for item in asyncio.run(run())} >= {str(i) for i in range(10) if i != 3}


def test_tasks_at_one_time_share_a_batch_and_fail_alone(store: OmoideStore) -> None:
    batches: list[int] = []
    plain = store.batch

    def counted(ops: Any) -> list[Any]:
        listed = list(ops)
        batches.append(len(listed))
        return plain(listed)

    store._gathering._batch = counted

    async def run() -> list[Any]:
        tasks: list[Any] = [store.aput(("c",), str(i), {"n": i}) for i in range(20)]
        tasks += [store.aget(("c",), "0"), store.aput(("c",), "", {"n": 1}), store.aput(("c",), "0", {"n": 100})]
        return list(await asyncio.gather(*tasks, return_exceptions=True))

    results = asyncio.run(run())
    assert [type(each).__name__ for each in results[20:]] == ["Item", "InvalidInputError", "NoneType"]
    assert {item.value["n"] for item in store.search(("c",), limit=50)} == {*range(1, 20), 100}
    assert batches[0] == 22, "all but the second put of a key go together"
    assert len(store.memory.why(store.memory.list(where={"key": "0"}, namespace="c")[0].id).versions) == 2


def test_a_failing_read_reaches_its_caller(store: OmoideStore) -> None:
    store.put(("c",), "k", {"n": 1})

    async def run() -> list[Any]:
        bad, good = store.asearch(("c",), filter={"n": {"$near": 1}}), store.aget(("c",), "k")
        return list(await asyncio.gather(bad, good, return_exceptions=True))

    bad, good = asyncio.run(run())
    assert isinstance(bad, InvalidInputError)
    assert good.value == {"n": 1}


def test_the_best_field_of_an_item_counts(tmp_path: Path) -> None:
    fake = FakeEmbedder(dimension=64)
    store = as_store(tmp_path / "f.db", index={"dims": 64, "embed": lambda texts: fake.embed(list(texts)), "fields": ["key0", "key1", "parts[*].text"]})
    store.put(("f",), "one", {"key0": "xxx", "key1": "yyy", "other": "www"})
    store.put(("f",), "two", {"key0": "uuu", "key1": "vvv", "other": "www", "parts": [{"text": "rrr"}, {"text": "xxx"}]})
    store.put(("f",), "out", {"key0": "xxx"}, index=False)
    found = {item.key: item.score for item in store.search(("f",), query="xxx")}
    assert found["one"] == pytest.approx(found["two"], abs=0.1)
    assert found["out"] is None
    best = store.search(("f",), query="uuu")
    assert best[0].key == "two"
    assert best[0].score > best[1].score
    assert max(item.score for item in store.search(("f",), query="www") if item.score is not None) < found["one"] - 0.3
    store.close()


def test_what_is_over_is_shown_until_it_is_swept_when_asked_so(tmp_path: Path, clock: FakeClock) -> None:
    store = as_store(tmp_path / "o.db", embedder="none", clock=clock, ttl={"omit_expired": False, "refresh_on_read": False})
    store.put(("t",), "k", {"n": 1}, ttl=1)
    clock.advance(61)
    assert store.get(("t",), "k").value == {"n": 1}
    assert store.list_namespaces() == [("t",)]
    assert store.sweep_ttl() == 1
    assert store.get(("t",), "k") is None
    store.close()


def test_pages_count_live_items_only(store: OmoideStore, clock: FakeClock) -> None:
    for i in range(40):
        store.put(("t", str(i % 2)), str(i), {"n": i}, ttl=1 if i % 4 else None)
    clock.advance(61)
    pages = [keys(store.search(("t",), limit=3, offset=start)) for start in range(0, 12, 3)]
    assert sorted(int(key) for page in pages for key in page) == list(range(0, 40, 4))
    assert store.list_namespaces() == [("t", "0")]


def test_a_sweeper_sweeps_until_it_is_stopped(store: OmoideStore, clock: FakeClock) -> None:
    store.put(("t",), "k", {"n": 1}, ttl=1)
    over = store.start_ttl_sweeper(sweep_interval_minutes=0.0005)
    assert store.start_ttl_sweeper() is over
    clock.advance(61)
    while store.memory.list(namespace="t"):
        time.sleep(0.01)
    assert store.stop_ttl_sweeper(timeout=10)
    assert over.result(timeout=1) is None


def test_a_filter_is_carried_out_by_the_store(store: OmoideStore) -> None:
    store.batch([PutOp(("f",), str(i), {"n": i, "who": {"name": f"p{i}"}}) for i in range(300)])
    read: list[int] = []
    plain = store.memory._entries
    store.memory._entries = lambda tx, rows: (read.append(len(rows)), plain(tx, rows))[1]  # type: ignore[method-assign]
    assert keys(store.search(("f",), filter={"n": {"$gte": 298}, "who": {"name": "p299"}})) == ["299"]
    assert read == [1]


def test_a_search_touches_the_namespaces_below_its_prefix_only(store: OmoideStore) -> None:
    with Memory(store.memory.path, namespace="other", embedder="none") as memory:
        for i in range(20):
            memory.remember(f"no item {i}")
    store.put(("a", "b"), "k", {"n": 1})
    assert store.memory.homes() == ["a.b"]
    assert store.list_namespaces() == [("a", "b")]


def test_two_stores_on_one_file_lose_nothing(tmp_path: Path) -> None:
    one, two = (as_store(tmp_path / "m.db", embedder=FakeEmbedder()) for _ in range(2))
    for i in range(10):
        (one if i % 2 else two).put(("m",), str(i % 3), {"n": i})
    assert sorted(item.value["n"] for item in two.search(("m",))) == [7, 8, 9]
    assert one.memory.integrity_check() == []
    assert one.memory.verify() == []
    one.close()
    two.close()


def test_a_policy_holds_and_the_past_is_kept(tmp_path: Path, clock: FakeClock) -> None:
    with pytest.raises(AccessDeniedError):
        store = as_store(tmp_path / "p.db", policy=Policy.strict(), namespace="mine", embedder="none", clock=clock)
        try:
            store.put(("mine",), "k", {"n": 1})
            clock.advance(60)
            store.put(("mine",), "k", {"n": 2})
            store.put(("yours",), "k", {"n": 1})
        finally:
            store.close()
    with Memory(tmp_path / "p.db", namespace="mine", embedder="none", clock=clock) as memory:
        (before,) = memory.list(as_of="2026-01-01T00:00:30Z")
        assert before.metadata["value"] == {"n": 1}
        assert before.provenance is not None
        assert before.provenance.door == "langgraph"
