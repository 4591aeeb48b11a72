from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from omoide import Memory
from omoide.errors import InvalidInputError, RejectedValueError
from omoide.testing import FakeClock


@pytest.fixture
def named(mem: Memory) -> Memory:
    """A store in which Bob and Robert are one, and Alice is not."""
    mem.remember("lives in Osaka", subject="Bob", predicate="home")
    mem.remember("likes tea", subject="Robert")
    mem.remember("lives in Osaka", subject="Alice", predicate="home")
    mem.alias_subject("Bob", of="Robert")
    return mem


def texts(mem: Memory, subject: str) -> list[str]:
    """Return the texts believed of a subject."""
    return sorted(hit.text for hit in mem.recall(None, k=99, subject=subject))


@pytest.mark.parametrize("name", ["Bob", "Robert", "BOB", " ｒｏｂｅｒｔ"])
def test_every_name_finds_the_subject(named: Memory, name: str) -> None:
    """List, recall with a question, timeline and diff answer for all names alike, and for nobody else."""
    assert texts(named, name) == ["likes tea", "lives in Osaka"]
    assert [hit.text for hit in named.recall("Osaka", subject=name)] == ["lives in Osaka"]
    assert len(named.list(subject=name)) == 2
    assert sorted(v.text for v in named.timeline(name)) == ["likes tea", "lives in Osaka"]
    assert len(named.diff("2026-01-01", subject=name).learned) == 2
    assert texts(named, "Alice") == ["lives in Osaka"]


def test_a_question_that_says_one_name_finds_the_others(named: Memory) -> None:
    """The words of a question stand for every name of the subject they name."""
    named.remember("drinks coffee", subject="太郎")
    named.alias_subject("Taro", of="太郎")
    assert "lives in Osaka" in [hit.text for hit in named.recall("Robert") if hit.subject == "Robert"]
    assert [hit.text for hit in named.recall("What does taro drink?", k=1)] == ["drinks coffee"]
    assert {hit.subject for hit in named.recall("robertson")} <= {"Robert"}


def test_counts_are_of_the_subject(named: Memory) -> None:
    """Subjects lists one entry with the other names beside it."""
    counts = named.subjects()
    assert counts == {"Robert": 2, "Alice": 1}
    assert counts.aliases == {"Robert": ("bob",)}


def test_a_repeat_under_another_name_is_a_repeat(named: Memory) -> None:
    """The same text about the same subject is the same memory, whatever it is called."""
    known = named.list(subject="Bob", limit=9)[-1].id
    assert named.remember("lives in Osaka", subject="robert", predicate="home") == known
    with named.bulk():
        assert named.remember("lives in Osaka", subject="Robert", predicate="home") == known
        one = named.remember("plays the oboe", subject="Bob")
        assert named.remember("plays the oboe", subject="Robert") == one
    assert named.remember("lives in Osaka", subject="Alice", predicate="home") != known


def test_a_contradiction_under_another_name_is_noticed(named: Memory) -> None:
    """A value of Robert's home contradicts Bob's, and shows among the exclusive values; Alice's does not."""
    named.exclusive("home")
    new = named.remember("lives in Kobe", subject="Robert", predicate="home")
    (old,) = [record.id for record in named.list(subject="Bob") if record.text == "lives in Osaka"]
    assert [notice.ids for notice in new.notices if notice.code == "contradiction"] == [(old,)]
    assert {conflict.ids for conflict in named.conflicts()} == {(old, int(new))}


def test_a_rejected_value_is_refused_under_every_name(named: Memory, person: Memory) -> None:
    """Rejected of Bob is rejected of Robert, also when the names were joined later; Alice's stays."""
    (bobs,) = [record.id for record in named.list(subject="Bob") if record.text == "lives in Osaka"]
    person.reject(bobs, reason="never")
    person.alias_subject("Bobby", of="bob")
    for name in ("Bob", "Robert", "bobby"):
        with pytest.raises(RejectedValueError):
            named.remember("Lives in Osaka", subject=name, predicate="home")
    assert texts(named, "Alice") == ["lives in Osaka"]
    person.unreject("lives in osaka", subject="Bobby", predicate="home")
    assert named.remember("lives in Osaka", subject="Robert", predicate="home")


def test_a_corrected_value_under_another_name_does_not_walk_back(named: Memory, clock: FakeClock) -> None:
    """What was corrected of Bob and is told of Robert by an older witness stays history."""
    memory_id = named.remember("born in 1980", subject="Bob", predicate="birth")
    before = clock.now()
    clock.advance(3600)
    named.revise(memory_id, "born in 1981")
    got = named.remember("born in 1980", subject="Robert", predicate="birth", observed_at=before)
    assert got == memory_id
    assert got.notices


def test_forgetting_a_subject_forgets_all_its_names(named: Memory) -> None:
    """Forget by one name ends what was filed under the others too, and nothing else."""
    named.forget(subject="Robert")
    assert texts(named, "Bob") == []
    assert texts(named, "Alice") == ["lives in Osaka"]


def test_purging_a_subject_purges_all_its_names(named: Memory) -> None:
    """Erasing somebody erases what was filed under any of the names."""
    assert len(named.purge(subject="Robert").purged_ids) == 2
    assert texts(named, "Alice") == ["lives in Osaka"]


def test_circles_are_refused(mem: Memory) -> None:
    """A name cannot stand for what stands for it, nor for itself; nothing is changed by the attempt."""
    mem.alias_subject("b", of="a")
    mem.alias_subject("c", of="b")
    for name, of in (("a", "b"), ("a", "c"), ("a", "A"), ("ａ", "a")):
        with pytest.raises(InvalidInputError):
            mem.alias_subject(name, of=of)
    mem.remember("x", subject="c")
    assert texts(mem, "a") == ["x"]


def test_a_name_stands_for_one_subject(mem: Memory) -> None:
    """An alias of one subject is not given to another before it is taken away."""
    mem.alias_subject("b", of="a")
    mem.alias_subject("b", of="a")
    with pytest.raises(InvalidInputError, match="unalias"):
        mem.alias_subject("b", of="other")
    assert mem.unalias_subject("b")
    mem.alias_subject("b", of="other")
    mem.remember("x", subject="b")
    assert (texts(mem, "other"), texts(mem, "a")) == (["x"], [])


def test_a_subject_brings_its_aliases_along(mem: Memory) -> None:
    """A subject that becomes another's alias takes its own aliases with it."""
    mem.alias_subject("b", of="a")
    mem.alias_subject("d", of="c")
    mem.alias_subject("c", of="a")
    mem.remember("x", subject="d")
    assert texts(mem, "b") == ["x"]
    assert mem.subjects() == {"a": 1}


def test_unalias_parts_what_was_written(named: Memory) -> None:
    """After unalias each memory is found under the name it was written with; a second time nothing happens."""
    assert named.unalias_subject("bob")
    assert not named.unalias_subject("bob")
    assert not named.unalias_subject("Robert")
    assert (texts(named, "Bob"), texts(named, "Robert")) == (["lives in Osaka"], ["likes tea"])
    assert named.subjects().aliases == {}


def test_names_given_in_two_copies_are_one_subject_after_a_merge(
    opened: Callable[..., Memory], tmp_path: Path, clock: FakeClock
) -> None:
    """Renamed here, aliased there: merged, every name leads to the later title; merged again, nothing changes."""
    here = opened()
    here.remember("A", subject="svc")
    there = opened(path=here.backup(tmp_path / "there.db"))
    clock.advance(1)
    there.alias_subject("the service", of="svc")
    clock.advance(1)
    here.rename_subject("svc", "billing")
    clock.advance(1)
    here.merge_from(tmp_path / "there.db")
    there.merge_from(here.path)
    for mem in (here, there):
        assert texts(mem, "the service") == texts(mem, "svc") == texts(mem, "billing") == ["A"]
        assert mem.subjects() == {"billing": 1}
        assert mem.subjects().aliases == {"billing": ("svc", "the service")}
    before = here.head()
    here.merge_from(tmp_path / "there.db")
    assert here.head() == before
    assert here.unalias_subject("svc")
    assert texts(here, "the service") == []
    assert here.subjects() == {"svc": 1}
