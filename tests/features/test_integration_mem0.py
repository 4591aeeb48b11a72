"""mem0's Memory over an omoide store."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from omoide.errors import InvalidInputError, NotFoundError
from omoide.integrations.mem0_compat import Memory
from omoide.testing import FakeClock


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock("2026-01-01T00:00:00Z")


@pytest.fixture
def memory(tmp_path: Path, clock: FakeClock) -> Iterator[Memory]:
    made = Memory(tmp_path / "agents.db", embedder="none", clock=clock)
    yield made
    made.close()


def add(memory: Memory, text: str, **scope: str) -> str:
    found: str = memory.add(text, infer=False, **scope)["results"][0]["id"]  # type: ignore[arg-type]
    return found


def test_messages_are_stored_as_they_are(memory: Memory) -> None:
    talk = [
        {"role": "system", "content": "be kind"},
        {"role": "user", "content": "J'habite à Lyon"},
        {"role": "assistant", "content": "東京タワーに行きました"},
    ]
    added = memory.add(talk, user_id="alice", infer=False)["results"]
    assert [(each["memory"], each["event"], each["role"]) for each in added] == [
        ("J'habite à Lyon", "ADD", "user"),
        ("東京タワーに行きました", "ADD", "assistant"),
    ]
    hits = memory.search("東京", filters={"user_id": "alice"}, threshold=0.0)["results"]
    assert [hit["memory"] for hit in hits] == ["東京タワーに行きました"]


def test_extraction_says_that_it_does_not_run(memory: Memory) -> None:
    with pytest.raises(NotImplementedError, match="infer=False"):
        memory.add("I like tea", user_id="alice")


def test_scopes_with_separators_stay_apart(memory: Memory) -> None:
    add(memory, "secret tea", user_id="alex", agent_id="coder")
    assert memory.get_all(filters={"user_id": "alex|agent_id:coder"})["results"] == []
    assert len(memory.get_all(filters={"user_id": "alex"})["results"]) == 1


def test_a_pinned_memory_reaches_nothing_outside(tmp_path: Path, memory: Memory) -> None:
    other = add(memory, "secret tea", user_id="bob")
    pinned = Memory(tmp_path / "agents.db", embedder="none", user_id="alice")
    mine = add(pinned, "green tea")
    assert pinned.get(other) is None
    for refused in (lambda: pinned.update(other, "x"), lambda: pinned.delete(other), lambda: pinned.history(other)):
        with pytest.raises(NotFoundError):
            refused()
    with pytest.raises(InvalidInputError, match="pinned"):
        pinned.search("tea", filters={"user_id": "bob"})
    pinned.reset()
    assert pinned.get(mine) is None
    assert memory.get(other) is not None
    pinned.close()


def test_history_lists_add_update_delete(memory: Memory, clock: FakeClock) -> None:
    id = add(memory, "lives in Osaka", user_id="alice")
    clock.advance(60)
    memory.update(id, "lives in Tokyo")
    row = memory.get(id)
    assert row is not None
    assert (row["created_at"], row["updated_at"]) == ("2026-01-01T00:00:00+00:00", "2026-01-01T00:01:00+00:00")
    memory.delete(id)
    assert memory.get(id) is None
    events = [(each["event"], each["old_memory"], each["new_memory"]) for each in memory.history(id)]
    assert events == [
        ("ADD", None, "lives in Osaka"),
        ("UPDATE", "lives in Osaka", "lives in Tokyo"),
        ("DELETE", "lives in Tokyo", None),
    ]


def test_filters_with_and_or_not(memory: Memory) -> None:
    for stars in range(4):
        memory.add("tea house", user_id="alice", metadata={"stars": stars, "city": "Kyoto"}, infer=False)
    wanted = {"user_id": "alice", "OR": [{"stars": {"gte": 3}}, {"stars": 0}], "NOT": [{"city": {"icontains": "OSA"}}]}
    found = memory.search("tea", filters=wanted, threshold=0.0)["results"]
    assert sorted(each["metadata"]["stars"] for each in found) == [0, 3]
    with pytest.raises(InvalidInputError, match="unknown operator"):
        memory.get_all(filters={"user_id": "alice", "stars": {"near": 3}})


def test_expired_memories_are_hidden_unless_asked_for(memory: Memory) -> None:
    memory.add("pass for the fair", user_id="alice", expiration_date="2025-12-31", infer=False)
    assert memory.get_all(filters={"user_id": "alice"})["results"] == []
    assert len(memory.get_all(filters={"user_id": "alice"}, show_expired=True)["results"]) == 1


def test_delete_all_needs_a_scope_and_ends_only_it(memory: Memory) -> None:
    add(memory, "tea", user_id="alice")
    add(memory, "tea", user_id="bob")
    with pytest.raises(InvalidInputError, match="at least one"):
        memory.delete_all()
    memory.delete_all(user_id="alice")
    assert memory.get_all(filters={"user_id": "alice"})["results"] == []
    assert len(memory.get_all(filters={"user_id": "bob"})["results"]) == 1


@pytest.mark.parametrize("user", ["", " ", "a b", True])
def test_a_scope_id_that_cannot_be_one_is_refused(memory: Memory, user: object) -> None:
    with pytest.raises(InvalidInputError, match="user_id"):
        memory.add("tea", user_id=user, infer=False)  # type: ignore[arg-type]
