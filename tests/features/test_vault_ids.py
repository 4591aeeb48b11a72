"""Ids of a vault with several copies: none that was given out changes, and one of another copy leads to its memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from omoide import Memory
from omoide.errors import InvalidInputError, NotFoundError
from omoide.testing import FakeClock

from .vaults import clone, open_vault, pull, throw_index_away

Copy = Callable[[str], tuple[Memory, Path]]


@pytest.fixture
def copies(tmp_path: Path, clock: FakeClock) -> Iterator[Copy]:
    """Clones of a vault in which one memory is known to all."""
    first = tmp_path / "first"
    with open_vault(first, clock) as mem:
        mem.remember("known to all")
    opened: list[Memory] = []

    def made(name: str) -> tuple[Memory, Path]:
        root = clone(first, tmp_path / name)
        opened.append(open_vault(root, clock, door_trust="stated"))
        return opened[-1], root

    yield made
    for handle in opened:
        handle.close()


def ids(mem: Memory) -> dict[str, int]:
    return {record.text: record.id for record in mem.list(limit=1000)}


def test_a_rebuild_keeps_the_ids_of_this_copy_however_much_the_other_wrote(copies: Copy) -> None:
    """Both logs are in the folder, neither knows of the other, and there is no index: this copy's own counts."""
    here, root = copies("here")
    there, away = copies("there")
    here.remember("one of here")
    here.remember("deux d'ici")
    before = ids(here)
    for number in range(9):
        there.remember(f"{number} of there")
    theirs = ids(there)
    pull(away, root)
    throw_index_away(root)
    assert {text: ids(here)[text] for text in before} == before
    pull(root, away)
    throw_index_away(away)
    assert {text: ids(there)[text] for text in theirs} == theirs


def test_a_rebuild_keeps_the_versions_of_this_copy_too(copies: Copy) -> None:
    here, root = copies("here")
    there, away = copies("there")
    id = here.remember("one of here")
    here.revise(id, "one of here, revised")
    before = [version.version_id for version in here.why(id).versions]
    for number in range(9):
        there.remember(f"{number} of there")
    pull(away, root)
    throw_index_away(root)
    assert [version.version_id for version in here.why(id).versions] == before


@pytest.fixture
def joined(copies: Copy) -> tuple[Memory, Path, int]:
    """A copy that took in another one, and the id that the other gives to what is called "the last of there"."""
    here, root = copies("here")
    there, away = copies("there")
    here.remember("one of here")
    for text in ("first of there", "second of there"):
        there.remember(text)
    theirs = there.remember("the last of there", source="a letter")
    pull(away, root)
    assert "the last of there" in ids(here)
    return here, root, int(theirs)


def test_an_id_of_another_copy_finds_its_memory(joined: tuple[Memory, Path, int]) -> None:
    here, _, theirs = joined
    found = here.get(theirs)
    assert found is not None
    assert found.text == "the last of there"
    assert found.id == ids(here)["the last of there"] != theirs


def test_it_does_after_a_rebuild(joined: tuple[Memory, Path, int]) -> None:
    here, root, theirs = joined
    throw_index_away(root)
    found = here.get(theirs)
    assert found is not None
    assert found.text == "the last of there"


def test_it_is_given_to_no_other_memory(joined: tuple[Memory, Path, int]) -> None:
    here, _, theirs = joined
    assert here.remember("new here") > theirs


def test_an_id_that_a_memory_has_here_means_that_one(joined: tuple[Memory, Path, int]) -> None:
    here, _, _ = joined
    found = here.get(ids(here)["one of here"])
    assert found is not None
    assert found.text == "one of here"


READS: dict[str, Callable[[Memory, int], Any]] = {
    "read": lambda mem, each: mem.read(each).id,
    "outline": lambda mem, each: mem.read(each, level="outline").id,
    "why": lambda mem, each: (chain := mem.why(each)).memory_id == chain.versions[0].memory_id and chain.memory_id,
    "trace": lambda mem, each: ids(mem)["the last of there"] if mem.trace(each)[0].source == "a letter" else None,
    "links": lambda mem, each: mem.links(each).memory_id,
}


@pytest.mark.parametrize("way", READS)
def test_whatever_reads_a_memory_finds_it_by_its_id_of_another_copy(joined: tuple[Memory, Path, int], way: str) -> None:
    here, _, theirs = joined
    assert READS[way](here, theirs) == ids(here)["the last of there"]


def test_a_change_by_an_id_of_another_copy_is_refused_and_names_the_one_here(
    joined: tuple[Memory, Path, int],
) -> None:
    """What is changed is never guessed."""
    here, _, theirs = joined
    mine = ids(here)["the last of there"]
    changes: list[Callable[[], Any]] = [
        lambda: here.revise(theirs, "x"),
        lambda: here.supersede([theirs], "x"),
        lambda: here.confirm(theirs),
        lambda: here.dispute(theirs, reason="x"),
        lambda: here.reject(theirs, reason="x"),
        lambda: here.restore(theirs),
        lambda: here.feedback(theirs, "boost"),
        lambda: here.purge(theirs),
    ]
    for call in changes:
        with pytest.raises(NotFoundError, match=f"is {mine} here"):
            call()


def test_an_id_that_two_copies_gave_to_two_memories_is_refused_with_both(copies: Copy) -> None:
    here, root = copies("here")
    here.remember("one of here")
    for name in ("second", "third"):
        other, away = copies(name)
        other.remember(f"common to nobody, {name}")
        last = other.remember(f"the last of {name}")
        pull(away, root)
    here.list()
    mine = [ids(here)[f"the last of {name}"] for name in ("second", "third")]
    reads: list[Callable[[int], Any]] = [here.get, *(partial(way, here) for way in READS.values())]
    for read in reads:
        with pytest.raises(InvalidInputError) as refused:
            read(int(last))
        assert all(str(id) in str(refused.value) for id in mine)


def test_a_purged_memory_is_found_by_none_of_its_ids(joined: tuple[Memory, Path, int]) -> None:
    here, root, theirs = joined
    here.purge(ids(here)["the last of there"])
    assert here.get(theirs) is None
    throw_index_away(root)
    assert here.get(theirs) is None


def test_an_id_that_nobody_ever_gave_finds_nothing(joined: tuple[Memory, Path, int]) -> None:
    here, _, _ = joined
    assert here.get(4_711) is None
