from __future__ import annotations

from collections.abc import Callable

import pytest

from omoide import Memory, Subjects
from omoide.errors import AccessDeniedError, InvalidInputError, NotFoundError
from omoide.testing import FakeClock


def found(mem: Memory, subject: str, **when: object) -> list[str]:
    """Return the texts believed of a subject."""
    return sorted(hit.text for hit in mem.recall(None, k=99, subject=subject, **when))  # type: ignore[arg-type]


def test_subjects_are_counted(mem: Memory) -> None:
    """Each subject comes with the number of memories that hold now, most first; those about nothing do not count."""
    for text, subject in (("A", "user"), ("B", "svc"), ("C", "svc"), ("D", None)):
        mem.remember(text, subject=subject)
    counts = mem.subjects()
    assert list(counts.items()) == [("svc", 2), ("user", 1)]
    assert isinstance(counts, Subjects)
    assert counts.aliases == {}


def test_only_what_holds_now_counts(mem: Memory) -> None:
    """Forgotten, archived, past and planned memories are not counted; the one that holds is."""
    mem.forget(mem.remember("A", subject="gone"))
    mem.remember("B", subject="past", valid_from="2025-01-01", valid_to="2025-02-01")
    mem.remember("C", subject="planned", valid_from="2027-01-01")
    mem.remember("D", subject="now")
    assert mem.subjects() == {"now": 1}


def test_an_empty_namespace_has_none(mem: Memory) -> None:
    assert mem.subjects() == {}


@pytest.mark.parametrize(
    "one, other",
    [
        ("Billing Service", "billing  SERVICE"),
        ("Bob", "ｂｏｂ"),
        ("José", "JOSE\u0301"),
        ("東京支社", "東京支社 "),
        ("ﾃﾞｰﾀ基盤", "データ基盤"),
        ("L’équipe", "l'équipe"),
    ],
)
def test_spelling_does_not_make_another_subject(mem: Memory, one: str, other: str) -> None:
    """Case, width, blanks and composition do not count when a subject is looked for."""
    mem.remember("A", subject=one)
    mem.remember("B", subject=other)
    mem.remember("C", subject="somebody else")
    assert found(mem, other) == ["A", "B"]
    assert mem.subjects() == {one.strip(): 2, "somebody else": 1}
    assert [v.text for v in mem.timeline(other)] == ["A", "B"]
    assert len(mem.forget(subject=other)) == 2
    assert found(mem, "somebody else") == ["C"]


def test_a_renamed_subject_is_found_by_both_names(mem: Memory) -> None:
    """After a rename old and new name find the same memories, in every verb, and answers show the new one."""
    old = mem.remember("deploys to Fly", subject="svc-a", predicate="host")
    assert mem.rename_subject("svc-a", "billing") == 1
    new = mem.remember("speaks gRPC", subject="billing", predicate="protocol")
    assert mem.subjects() == {"billing": 2}
    assert found(mem, "svc-a") == found(mem, "billing") == ["deploys to Fly", "speaks gRPC"]
    assert {record.subject for record in mem.list(subject="SVC-A")} == {"billing"}
    assert {hit.subject for hit in mem.recall("deploys gRPC")} == {"billing"}
    assert {v.memory_id for v in mem.timeline("svc-a")} == {old, new}
    record = mem.get(old)
    assert record is not None
    assert record.subject == "billing"


def test_the_past_keeps_the_name_it_had(mem: Memory, clock: FakeClock) -> None:
    """Asked about a time before the rename, the answer is the one that was given then; both names find it."""
    mem.remember("deploys to Fly", subject="svc-a")
    then = clock.now()
    before = mem.recall(None, subject="svc-a", as_of=then)
    clock.advance(3600)
    mem.rename_subject("svc-a", "billing")
    after = mem.recall(None, subject="svc-a", as_of=then)
    assert list(after) == list(before)
    assert [hit.subject for hit in after] == ["svc-a"]
    assert found(mem, "billing", as_of=then) == ["deploys to Fly"]


def test_a_rename_makes_no_version(mem: Memory, clock: FakeClock) -> None:
    """Renaming changes no belief: no version, an empty diff, one event."""
    memory_id = mem.remember("A", subject="x")
    clock.advance(1)
    since = clock.now()
    mem.rename_subject("x", "y")
    assert len(mem.why(memory_id).versions) == 1
    diff = mem.diff(since)
    assert (diff.learned, diff.revised, diff.retracted) == ((), (), ())
    assert [event.op for event in mem.audit(since=since)] == ["rename_subject"]


def test_renamed_again_all_names_lead_to_the_last(mem: Memory) -> None:
    """A chain of renames leaves one subject with its last name; renaming back works too."""
    mem.remember("A", subject="x")
    mem.rename_subject("x", "y")
    mem.rename_subject("Y", "z")
    assert found(mem, "x") == found(mem, "y") == found(mem, "z") == ["A"]
    assert mem.subjects() == {"z": 1}
    mem.rename_subject("z", "x")
    assert mem.subjects() == {"x": 1}
    assert mem.subjects().aliases == {"x": ("y", "z")}


def test_only_the_spelling_can_be_renamed(mem: Memory) -> None:
    """A subject renamed to another spelling of its name shows the new spelling."""
    mem.remember("A", subject="bob")
    mem.rename_subject("bob", "Bob")
    assert mem.subjects() == {"Bob": 1}
    assert mem.subjects().aliases == {}


def test_a_rename_to_a_subject_that_exists_makes_them_one(mem: Memory) -> None:
    """Two subjects become one under the new name, and unalias parts them again."""
    mem.remember("A", subject="svc a")
    mem.remember("B", subject="service-a")
    mem.rename_subject("svc a", "service-a")
    assert mem.subjects() == {"service-a": 2}
    assert mem.unalias_subject("svc a")
    assert mem.subjects() == {"service-a": 1, "svc a": 1}


def test_a_subject_that_is_not_there(mem: Memory) -> None:
    """Renaming what nobody has spoken of is an error that names it, and blank names are refused."""
    with pytest.raises(NotFoundError, match="nobody"):
        mem.rename_subject("nobody", "somebody")
    for old, new in ((" ", "x"), ("x", ""), ("x", None)):
        with pytest.raises(InvalidInputError):
            mem.rename_subject(old, new)  # type: ignore[arg-type]


def test_names_stay_in_their_namespace(opened: Callable[..., Memory]) -> None:
    """A rename in one namespace leaves another alone."""
    a, b = opened("a"), opened("b")
    for mem in (a, b):
        mem.remember("A", subject="x")
    a.rename_subject("x", "y")
    assert (a.subjects(), b.subjects()) == ({"y": 1}, {"x": 1})
    with pytest.raises(AccessDeniedError):
        a.rename_subject("x", "z", namespace="b")


@pytest.mark.parametrize("trust", ["derived", "untrusted"])
def test_automatic_doors_do_not_name_subjects(opened: Callable[..., Memory], mem: Memory, trust: str) -> None:
    """A door below observed can neither rename nor alias; one at observed can."""
    mem.remember("A", subject="x")
    low = opened(door_trust=trust)
    with pytest.raises(AccessDeniedError):
        low.rename_subject("x", "y")
    with pytest.raises(AccessDeniedError):
        low.alias_subject("y", of="x")
    assert mem.subjects() == {"x": 1}
    assert mem.rename_subject("x", "y") == 1


def test_names_survive_reopening_and_rebuilding(mem: Memory, opened: Callable[..., Memory]) -> None:
    """Names are kept in the store: another handle knows them, and no rebuild loses them."""
    mem.remember("A", subject="x")
    mem.rename_subject("x", "y")
    mem.rebuild()
    mem.close()
    assert found(opened(), "x") == ["A"]
    assert opened().integrity_check() == []


async def test_async_twins(mem: Memory) -> None:
    """The twins do what the methods do."""
    await mem.aremember("A", subject="x")
    assert await mem.arename_subject("x", "y") == 1
    await mem.aalias_subject("z", of="y")
    assert await mem.aunalias_subject("z")
    assert await mem.asubjects() == {"y": 1}
