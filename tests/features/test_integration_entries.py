"""Entries under a key, on which the adapters of frameworks rest."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from omoide import Memory
from omoide.errors import AccessDeniedError, InvalidInputError
from omoide.integrations.entries import Change, Entry
from omoide.integrations.keyed import Keyed
from omoide.testing import FakeClock, FakeEmbedder

HOME = "default"


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock("2026-01-01T00:00:00Z")


@pytest.fixture
def keyed(path: Path, clock: FakeClock) -> Iterator[Keyed]:
    with Keyed(path, HOME, embedder="none", door="test", clock=clock, durability="NORMAL") as made:
        yield made


def put(key: str, text: str | None, group: str | None = None, was: str | None = None) -> Change:
    return Change(HOME, key, text, {"n": len(key)}, group, was)


def test_an_entry_keeps_its_id_when_it_changes_and_when_it_moves(keyed: Keyed, clock: FakeClock) -> None:
    keyed.apply([put("a", "緑茶")])
    first = keyed.entry(HOME, "a")
    clock.advance(60)
    keyed.apply([put("b", "thé vert", was="a")])
    moved = keyed.entry(HOME, "b")
    assert first is not None
    assert moved is not None
    assert (moved.id, moved.created_at, moved.text) == (first.id, first.created_at, "thé vert")
    assert moved.updated_at > first.updated_at
    assert keyed.entry(HOME, "a") is None


def test_a_text_without_a_visible_character_comes_back(keyed: Keyed) -> None:
    keyed.apply([put("a", ""), put("b", " \n")])
    assert [entry.text for entry in keyed.entries([HOME])] == ["", " \n"]


def test_changes_at_one_time_are_all_kept(tmp_path: Path) -> None:
    def count(entries: list[Entry]) -> tuple[list[Change], int]:
        value = int(entries[0].text) + 1 if entries else 1
        return [put("counter", str(value), "counters")], value

    path = tmp_path / "agents.db"
    handles = [Keyed(path, HOME, embedder="none", door="test", durability="NORMAL") for _ in range(3)]
    with ThreadPoolExecutor(6) as pool:
        told = list(pool.map(lambda i: handles[i % 3].settle(HOME, count, "counters"), range(30)))
    assert sorted(told) == list(range(1, 31))
    assert handles[0].integrity_check() == []
    for handle in handles:
        handle.close()


def test_what_others_wrote_stops_a_change_that_did_not_see_it(keyed: Keyed) -> None:
    stamp, _ = keyed.snapshot(HOME)
    with Memory(keyed.path, HOME, embedder="none") as memory:
        memory.remember("something else")
    assert keyed.apply([put("a", "x")], unless={HOME: stamp}) is False
    assert keyed.entry(HOME, "a") is None
    assert keyed.apply([put("a", "x")], unless={HOME: keyed.snapshot(HOME)[0]}) is True


def test_a_group_has_one_source_and_its_order(keyed: Keyed) -> None:
    keyed.apply([put(str(i), f"text {i}", "one") for i in range(3)] + [put("x", "other", "two")])
    keyed.apply([put("0", "changed", "one")])
    assert [entry.text for entry in keyed.group(HOME, "one")[1]] == ["changed", "text 1", "text 2"]
    keyed.purge(source="test:one")
    assert keyed.group(HOME, "one")[1] == []
    assert [entry.text for entry in keyed.entries([HOME])] == ["other"]


def test_doors_do_not_see_each_others_entries(keyed: Keyed) -> None:
    with Keyed(keyed.path, HOME, embedder="none", door="test2") as other:
        other.apply([put("a", "theirs")])
        keyed.apply([put("a", "ours")])
        assert [entry.text for entry in other.entries([HOME])] == ["theirs"]
        assert other.found("ours", [HOME], 5, lambda _: True) == []
        other.apply([put("a", None)])
    assert [entry.text for entry in keyed.entries([HOME])] == ["ours"]


def test_a_page_is_read_until_it_is_full(keyed: Keyed) -> None:
    keyed.apply([put(f"{i:03}", f"green tea {i}") for i in range(200)])
    odd = keyed.entries([HOME], keep=lambda entry: int(entry.key) > 190, wanted=3)
    assert [entry.key for entry in odd] == ["191", "192", "193"]
    found = keyed.found("tea", [HOME], 2, lambda entry: int(entry.key) > 197)
    assert len(found) == 2


def test_consolidation_leaves_entries_alone(keyed: Keyed, clock: FakeClock) -> None:
    """A program looks its entries up by key, however old or alike they are."""
    keyed.apply([put(f"{i}", "Ana drinks green tea from Uji in the morning") for i in range(5)])
    clock.advance(30 * 365 * 86_400)
    keyed.sleep()
    assert [entry.key for entry in keyed.entries([HOME])] == ["0", "1", "2", "3", "4"]
    assert keyed.proposals() == []


def test_homes_are_the_namespaces_with_entries(keyed: Keyed) -> None:
    with Memory(keyed.path, HOME, embedder="none") as memory:
        memory.remember("no entry")
    assert keyed.homes() == []
    keyed.apply([put("a", "x")])
    assert keyed.homes() == [HOME]
    assert keyed.homes(lambda name: name != HOME) == []
    assert keyed.homes(where={"n": 2}) == []


def test_an_entry_of_higher_trust_is_not_replaced(tmp_path: Path) -> None:
    path = tmp_path / "agents.db"
    with (
        Keyed(path, HOME, embedder="none", door="test", door_trust="stated") as person,
        Keyed(path, HOME, embedder="none", door="test", door_trust="untrusted") as page,
    ):
        person.apply([put("a", "told by a person")])
        for text in ("changed", None):
            with pytest.raises(AccessDeniedError):
                page.apply([put("a", text)])
        page.apply([put("b", "from the web")])
        assert [entry.text for entry in page.found("web", [HOME], 5, lambda _: True)] == ["from the web"]


def test_a_vector_is_a_question_for_the_nearest(tmp_path: Path) -> None:
    embedder = FakeEmbedder(dimension=16)
    with Keyed(tmp_path / "v.db", HOME, embedder=embedder, door="test") as keyed:
        keyed.apply([put(str(i), f"text {i}") for i in range(20)])
        vector = keyed.vector_of("text 7")
        (found,) = keyed.found("", [HOME], 1, lambda _: True, vector=vector)
        assert found.key == "7"
        with pytest.raises(InvalidInputError, match="3 numbers"):
            keyed.found("", [HOME], 1, lambda _: True, vector=[1.0, 0.0, 0.0])
        assert len(keyed.various("text 7", [HOME], 3, 10, 0.5)) == 3
