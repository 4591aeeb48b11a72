"""The shapes of mem0's calls and answers, read from the installed mem0, against those of the adapter."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import mem0
import pytest
from mem0.configs.base import MemoryItem
from mem0.memory.storage import SQLiteManager

from omoide.integrations.mem0_compat import AsyncMemory, Memory

OURS = {"Memory": (mem0.Memory, Memory), "AsyncMemory": (mem0.AsyncMemory, AsyncMemory)}
METHODS = ["add", "search", "get", "get_all", "update", "delete", "delete_all", "history", "reset", "chat", "close", "from_config"]


@pytest.mark.parametrize("name", OURS)
def test_every_public_method_of_mem0_is_there(name: str) -> None:
    theirs, ours = OURS[name]
    wanted = {each for each, member in inspect.getmembers(theirs, callable) if not each.startswith("_")}
    assert wanted <= set(dir(ours))
    assert set(METHODS) <= wanted


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", OURS)
def test_a_call_written_for_mem0_fits(name: str, method: str) -> None:
    theirs, ours = (getattr(each, method) for each in OURS[name])
    mine = inspect.signature(ours).parameters
    for parameter in inspect.signature(theirs).parameters.values():
        if parameter.kind is parameter.VAR_KEYWORD:
            assert any(each.kind is each.VAR_KEYWORD for each in mine.values())
            continue
        assert parameter.name in mine, parameter.name
        assert mine[parameter.name].kind is parameter.kind, parameter.name
        unset = repr(parameter.default).startswith("<object")
        assert unset or mine[parameter.name].default == parameter.default, parameter.name
    positional = [each.name for each in inspect.signature(theirs).parameters.values() if each.kind is each.POSITIONAL_OR_KEYWORD]
    assert [each for each in mine if each in positional] == positional
    assert inspect.iscoroutinefunction(ours) == inspect.iscoroutinefunction(theirs)


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    made = Memory(tmp_path / "agents.db", embedder="none")
    yield made
    made.close()


def test_a_row_has_mem0_s_fields(memory: Memory) -> None:
    (added,) = memory.add("I like green tea", user_id="alice", metadata={"k": 1}, infer=False)["results"]
    row = memory.get(added["id"])
    assert row is not None
    assert {name for name in MemoryItem.model_fields if name != "score"} <= set(row)
    MemoryItem.model_validate(row)
    (hit,) = memory.search("tea", filters={"user_id": "alice"}, threshold=0.0)["results"]
    MemoryItem.model_validate(hit)


def test_an_event_has_mem0_s_fields(memory: Memory) -> None:
    (added,) = memory.add([{"role": "user", "content": "hi", "name": "Ana"}], user_id="alice", infer=False)["results"]
    db = SQLiteManager(":memory:")
    db.add_history("m", None, "hi", "ADD", created_at="2026-01-01", actor_id="Ana", role="user")
    (theirs,) = db.get_history("m")
    (ours,) = memory.history(added["id"])
    assert set(ours) == set(theirs)
    assert [ours[name] for name in ("old_memory", "new_memory", "event", "is_deleted", "actor_id", "role")] == [
        theirs[name] for name in ("old_memory", "new_memory", "event", "is_deleted", "actor_id", "role")
    ]


BAD: dict[str, Any] = {
    "a blank query": lambda m: m.search("  ", filters={"user_id": "a"}),
    "no scope in search": lambda m: m.search("tea"),
    "a scope beside the filters": lambda m: m.search("tea", user_id="a"),
    "a threshold of 2": lambda m: m.search("tea", filters={"user_id": "a"}, threshold=2),
    "a negative top_k": lambda m: m.search("tea", filters={"user_id": "a"}, top_k=-1),
    "a top_k that is true": lambda m: m.get_all(filters={"user_id": "a"}, top_k=True),
    "a scope beside the filters of get_all": lambda m: m.get_all(user_id="a"),
    "no scope in add": lambda m: m.add("tea", infer=False),
    "a blank scope": lambda m: m.add("tea", user_id=" ", infer=False),
    "a scope of two words": lambda m: m.delete_all(user_id="a b"),
    "no scope in delete_all": lambda m: m.delete_all(),
    "nothing to update": lambda m: m.update("1"),
    "a missing memory": lambda m: m.update("999", "x"),
    "a missing memory to delete": lambda m: m.delete("no-such-id"),
    "a day that is none": lambda m: m.add("tea", user_id="a", expiration_date="soon", infer=False),
    "an unknown operator": lambda m: m.search("tea", filters={"user_id": "a", "k": {"near": 1}}),
    "OR without filters": lambda m: m.search("tea", filters={"user_id": "a", "OR": []}),
}


@pytest.mark.parametrize("case", BAD)
def test_what_mem0_refuses_is_refused_with_a_value_error(memory: Memory, case: str) -> None:
    memory.add("green tea", user_id="a", infer=False)
    with pytest.raises(ValueError):
        BAD[case](memory)


def test_the_async_class_does_the_same(tmp_path: Path) -> None:
    async def run() -> list[Any]:
        memory = AsyncMemory(tmp_path / "b.db", embedder="none")
        (added,) = (await memory.add("lives in Osaka", user_id="alice", infer=False))["results"]
        await memory.update(added["id"], "lives in Tokyo")
        found = (await memory.search("Tokyo", filters={"user_id": "alice"}, threshold=0.0))["results"]
        await memory.delete(added["id"])
        events = [each["event"] for each in await memory.history(added["id"])]
        with pytest.raises(NotImplementedError):
            await memory.add("x", user_id="alice")
        memory.close()
        return [found[0]["memory"], events]

    assert asyncio.run(run()) == ["lives in Tokyo", ["ADD", "UPDATE", "DELETE"]]
