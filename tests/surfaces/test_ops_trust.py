"""A door that may not replace a memory is told which other memory says its words, never that it was done."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from omoide import Memory, ops


@pytest.fixture
def stated(tmp_path: Path) -> Iterator[Memory]:
    """A person's handle on a store with one memory, which is the first."""
    with Memory(tmp_path / "agents.db", embedder="none", door_trust="stated") as mem:
        mem.remember("lives in Osaka", subject="user")
        yield mem


@pytest.fixture
def untrusted(stated: Memory, tmp_path: Path) -> Iterator[ops.Faces]:
    """The same store by a door whose words are worth less."""
    with ops.Faces(str(tmp_path / "agents.db"), embedder="none", door_trust="untrusted") as faces:
        yield faces


CHANGES: list[tuple[str, dict[str, Any]]] = [
    ("revise", {"text": "lives in Kobe"}),
    ("update", {"text": "lives in Kobe"}),
    ("update", {"metadata": {"seen": "there"}}),
]


@pytest.mark.parametrize("name, change", CHANGES)
def test_the_id_is_that_of_the_memory_that_says_it(
    stated: Memory, untrusted: ops.Faces, name: str, change: dict[str, Any]
) -> None:
    id = ops.run(untrusted, name, {"id": 1, **change})["id"]
    kept, said = stated.get(1), stated.get(id)
    assert kept is not None
    assert said is not None
    assert id != 1
    assert (kept.text, kept.metadata) == ("lives in Osaka", {})
    assert [getattr(said, each) for each in change] == list(change.values())


@pytest.mark.parametrize("name, change", CHANGES)
def test_said_again_it_is_the_same_memory(
    stated: Memory, untrusted: ops.Faces, name: str, change: dict[str, Any]
) -> None:
    first, second = (ops.run(untrusted, name, {"id": 1, **change})["id"] for _ in range(2))
    assert first == second != 1
    assert stated.stats()["default"]["count"] == 2


def test_a_door_that_may_replace_it_gets_the_same_id(stated: Memory, tmp_path: Path) -> None:
    with ops.Faces(str(tmp_path / "agents.db"), embedder="none", door_trust="stated") as faces:
        assert ops.run(faces, "update", {"id": 1, "text": "lives in Kobe"}) == {"id": 1, "updated": True}
        assert ops.run(faces, "revise", {"id": 1, "text": "lives in Nara"})["id"] == 1
