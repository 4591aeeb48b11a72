from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from omoide import Memory, Policy
from omoide.errors import AccessDeniedError, InvalidInputError, NotFoundError
from omoide.testing import FakeEmbedder

Opener = Callable[..., Memory]


def test_nothing_crosses(opened: Opener) -> None:
    """Without a grant a handle neither finds, lists, counts nor gets what is elsewhere."""
    a, b = opened("a"), opened("b")
    memory_id = a.remember("the secret of a")
    assert b.recall("secret") == []
    assert b.recall(None) == []
    assert b.list() == []
    assert b.get(memory_id) is None
    assert "a" not in b.stats()


def test_what_may_not_be_read_does_not_exist(opened: Opener) -> None:
    """For an id elsewhere, update and forget do nothing and every other verb says it does not exist."""
    a, b = opened("a"), opened("b")
    memory_id = a.remember("A")
    b.update(memory_id, text="B")
    b.forget(memory_id)
    calls: list[Callable[[], Any]] = [
        lambda: b.revise(memory_id, "B"),
        lambda: b.supersede([memory_id], "B"),
        lambda: b.restore(memory_id),
        lambda: b.reject(memory_id, reason="x"),
        lambda: b.confirm(memory_id),
        lambda: b.dispute(memory_id, reason="x"),
        lambda: b.why(memory_id),
        lambda: b.purge(memory_id),
    ]
    for call in calls:
        with pytest.raises(NotFoundError, match=str(memory_id)):
            call()
    assert [hit.text for hit in a.recall(None)] == ["A"]


def test_readable_but_not_writable(opened: Opener) -> None:
    """With a grant to read only, reading works and every write is denied."""
    a = opened("a")
    memory_id = a.remember("tea at four")
    b = opened("b", policy=Policy().allow("b", read="a"))
    assert [hit.namespace for hit in b.recall("tea", namespaces="a")] == ["a"]
    record = b.get(memory_id)
    assert record is not None
    calls: list[Callable[[], Any]] = [
        lambda: b.remember("x", namespace="a"),
        lambda: b.update(memory_id, text="x"),
        lambda: b.forget(memory_id),
        lambda: b.revise(memory_id, "x"),
        lambda: b.reject(memory_id, reason="x"),
        lambda: b.purge(memory_id),
    ]
    for call in calls:
        with pytest.raises(AccessDeniedError):
            call()
    assert [hit.text for hit in a.recall(None)] == ["tea at four"]


def test_a_write_grant_does_not_read(opened: Opener) -> None:
    """With a grant to write only, nothing of the namespace is shown or overwritten."""
    a = opened("a", embedder=FakeEmbedder(16))
    memory_id = a.remember("tea at four")
    b = opened("b", embedder=FakeEmbedder(16), policy=Policy().allow("b", write="a"))
    assert b.get(memory_id) is None
    with pytest.raises(AccessDeniedError):
        b.recall("tea", namespaces="a")
    b.update(memory_id, text="overwritten")
    b.remember("tea at four!", namespace="a", dedupe_threshold=0.0)
    assert "tea at four" in [hit.text for hit in a.recall(None)]


def test_asking_for_several(opened: Opener) -> None:
    """A list of namespaces is searched together; one that is refused refuses the call."""
    for name in ("a", "b", "c"):
        opened(name).remember(f"tea in {name}")
    reader = opened("r", policy=Policy().allow("r", read=["a", "b"]))
    assert {hit.namespace for hit in reader.recall("tea", namespaces=["a", "b"])} == {"a", "b"}
    with pytest.raises(AccessDeniedError, match="c"):
        reader.recall("tea", namespaces=["a", "c"])


def test_a_star_is_what_may_be_read(opened: Opener) -> None:
    """``"*"`` is narrowed to the readable namespaces, one's own included."""
    for name in ("a", "b", "r"):
        opened(name).remember(f"tea in {name}")
    reader = opened("r", policy=Policy().allow("r", read="a"))
    assert {hit.namespace for hit in reader.recall("tea", namespaces="*")} == {"a", "r"}
    assert set(reader.stats("*")) == {"a", "r"}


def test_an_open_policy_reads_everything(opened: Opener) -> None:
    """``Policy.open()`` lets every namespace be read and written."""
    opened("a").remember("tea in a")
    b = opened("b", policy=Policy.open())
    assert [hit.namespace for hit in b.recall("tea", namespaces="*")] == ["a"]
    b.remember("from b", namespace="a")
    assert opened("a").stats()["a"]["count"] == 2


def test_a_comma_in_a_name_is_part_of_it(opened: Opener) -> None:
    """A namespace called ``a,b`` is neither a nor b, whatever was asked before."""
    opened("a").remember("tea of a")
    opened("b").remember("tea of b")
    both = opened("x", policy=Policy().allow("x", read=["a", "b"]))
    assert len(both.recall("tea", namespaces=["a", "b"])) == 2
    assert opened("a,b").recall("tea") == []


@pytest.mark.parametrize("name", ["", "  ", None, 5, "a\0b", "*"])
def test_a_name_that_is_none(opened: Opener, name: Any) -> None:
    """A namespace needs a name, and ``*`` is not one."""
    with pytest.raises(InvalidInputError):
        opened(name)


@pytest.mark.parametrize("name", ["it's", "日本語", "a/b/c", "user:42", "x" * 200, 'quo"te'])
def test_any_other_name_is_one(opened: Opener, name: str) -> None:
    """Any text names a namespace."""
    mem = opened(name)
    mem.remember("tea")
    assert [hit.namespace for hit in mem.recall("tea")] == [name]
    assert set(mem.stats()) == {name}


@pytest.mark.parametrize("legs", [{"use_bm25": False}, {"use_vectors": False}, {}])
def test_a_small_one_beside_a_big_one(opened: Opener, legs: dict[str, Any]) -> None:
    """One memory beside five hundred likelier ones in another namespace is found by either leg."""
    big = opened("big", embedder=FakeEmbedder(16))
    small = opened("small", embedder=FakeEmbedder(16))
    with big.bulk():
        for n in range(500):
            big.remember(f"tea {n}")
    memory_id = small.remember("a long text about many things, tea among them")
    assert [hit.id for hit in small.recall("tea", k=5, **legs)] == [memory_id]


def test_rarity_is_that_of_the_namespace(opened: Opener) -> None:
    """A neighbour's words do not change the order of one's own answers."""
    alone, beside = opened("a"), opened("b")
    notes = ["tea tea tea and cake", "cake for the guests", "tea for the guests and the host"]
    for mem in (alone, beside):
        for text in notes:
            mem.remember(text)
    noise = opened("noise")
    with noise.bulk():
        for n in range(200):
            noise.remember(f"cake number {n}")
    got = [[(hit.text, round(hit.score, 9)) for hit in mem.recall("tea and cake")] for mem in (alone, beside)]
    assert got[0] == got[1]
