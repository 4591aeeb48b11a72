"""One gate: a rejected or purged value does not come in, by whatever path and in whatever spelling.

A path is a row of ``PATHS``: what it prepares before the value is rejected, and how it then says the value.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from omoide import Memory
from omoide.errors import RejectedValueError
from omoide.testing import FakeClock

VALUE = "lives in Osaka 10"
NEIGHBOUR = "lives in Osaka 11"
ABOUT: dict[str, Any] = {"subject": "user", "predicate": "home"}

SPELLINGS = {
    "exact": VALUE,
    "case": "LIVES in osaka 10",
    "white space": "\n lives\tin  Osaka\u00a010 ",
    "width": "ｌｉｖｅｓ　ｉｎ　Ｏｓａｋａ　１０",
    "decomposed": "lives in Osa\u0301ka 10",
    "zero width": "lives in Os\u200baka\ufeff 1\u200d0",
    "soft hyphen and direction": "lives in O\u00adsaka \u202a10\u202c",
    "tags": "lives in Osaka 10\U000e0041",
    "Cyrillic": "livеs in Оsаkа 10",
    "Greek": "lives in Οsαkα 10",
    "digits for letters": "lives in 0saka 1O",
    "mathematical": "𝗹𝗶𝘃𝗲𝘀 𝗶𝗻 𝓞𝓼𝓪𝓴𝓪 𝟙𝟘",
    "Arabic digits": "lives in Osaka ١٠",
    "full stop": "Lives in Osaka 10.",
}

Doors = Callable[..., Memory]


@dataclass(frozen=True)
class Way:
    """A path by which a value may become a belief; ``prepare`` runs before it is rejected."""

    say: Callable[[Doors, str, Any], object]
    prepare: Callable[[Doors, str], Any] = lambda _doors, _text: None
    """Returns what ``say`` needs."""


def agent(doors: Doors, **options: Any) -> Memory:
    return doors(**options)


def other(doors: Doors, _text: str) -> int:
    """A memory about the same thing that says something else."""
    return agent(doors).remember("lives in Kyoto", **ABOUT)


def in_bulk(doors: Doors, text: str, _: Any) -> object:
    mem = agent(doors)
    with mem.bulk():
        mem.remember("before", subject="bulk")
        return mem.remember(text, **ABOUT)


def in_bulk_with_a_subject_of_two_names(doors: Doors, text: str, _: Any) -> object:
    mem = agent(doors)
    with mem.bulk():
        return mem.remember(text, subject="the user", predicate="home")


def alias(doors: Doors, _text: str) -> None:
    agent(doors).alias_subject("the user", of="user")


def forgotten(doors: Doors, text: str) -> int:
    mem = agent(doors)
    memory_id = mem.remember(text, **ABOUT)
    mem.forget(memory_id)
    return memory_id


def elsewhere(doors: Doors, text: str) -> Memory:
    """Another store in which the value is believed."""
    name = f"other-{hash(text):x}.db"
    store = doors(path=Path(agent(doors).path).with_name(name))
    store.remember(text, **ABOUT)
    return store


def by_import(doors: Doors, _text: str, store: Memory) -> object:
    return agent(doors).import_(store.export(f"{store.path}.jsonl"))


def by_merge(doors: Doors, _text: str, store: Memory) -> object:
    return agent(doors).merge_from(store.path)


class Same:
    """An embedder to which all texts are one."""

    model_name = "same"

    def embed(self, texts: list[str], /) -> list[list[float]]:
        return [[1.0, 0.0] for _ in texts]


PATHS: dict[str, Way] = {
    "remember": Way(lambda doors, text, _: agent(doors).remember(text, **ABOUT)),
    "remember by a person": Way(lambda doors, text, _: doors(door_trust="stated").remember(text, **ABOUT)),
    "remember as untrusted": Way(lambda doors, text, _: agent(doors).remember(text, **ABOUT, trust="untrusted")),
    "remember of another time": Way(
        lambda doors, text, _: agent(doors).remember(text, **ABOUT, valid_from="2020-01-01", valid_to="2021-01-01")
    ),
    "remember with an older observation": Way(
        lambda doors, text, _: agent(doors).remember(text, **ABOUT, observed_at="2020-01-01")
    ),
    "bulk": Way(in_bulk),
    "another name of the subject": Way(
        lambda doors, text, _: agent(doors).remember(text, subject="the user", predicate="home"), alias
    ),
    "bulk under another name": Way(in_bulk_with_a_subject_of_two_names, alias),
    "revise": Way(lambda doors, text, memory_id: agent(doors).revise(memory_id, text), other),
    "revise of a planned piece": Way(
        lambda doors, text, memory_id: agent(doors).revise(memory_id, text, valid_from="2030-01-01"), other
    ),
    "revise by a door that may not": Way(
        lambda doors, text, memory_id: agent(doors, door_trust="derived").revise(memory_id, text), other
    ),
    "update": Way(lambda doors, text, memory_id: agent(doors).update(memory_id, text=text), other),
    "supersede": Way(lambda doors, text, memory_id: agent(doors).supersede([memory_id], text, **ABOUT), other),
    "restore": Way(lambda doors, _text, memory_id: agent(doors).restore(memory_id), forgotten),
    "a door that only derives": Way(
        lambda doors, text, _: agent(doors, door="sleep", door_trust="derived").remember(text, **ABOUT)
    ),
    "import": Way(by_import, elsewhere),
    "merge": Way(by_merge, elsewhere),
}


def believed(mem: Memory, trust: tuple[str, ...] = ("untrusted", "derived", "observed", "stated")) -> list[str]:
    """Return every text that is believed about the user at any valid time."""
    return sorted(hit.text for hit in mem.recall(None, k=99, subject="user", trust=trust, since="1900-01-01"))


def refused(way: Way, doors: Doors, text: str, needed: Any) -> bool:
    """Say whether a path refuses a text: with an error, or, where much comes at once, in its report."""
    try:
        report = way.say(doors, text, needed)
    except RejectedValueError:
        return True
    return bool(getattr(report, "refused", ()))


def reject(doors: Doors) -> None:
    person = doors(door_trust="stated")
    person.reject(person.remember(VALUE, **ABOUT), reason="never lived there")


@pytest.mark.parametrize("by", PATHS)
def test_a_rejected_value_is_refused(opened: Doors, by: str) -> None:
    """Whatever the path and the spelling, the value is refused and nothing is changed."""
    way = PATHS[by]
    needed = {spelling: way.prepare(opened, text) for spelling, text in SPELLINGS.items()}
    reject(opened)
    before = believed(opened())
    came_in = [spelling for spelling, text in SPELLINGS.items() if not refused(way, opened, text, needed[spelling])]
    assert came_in == []
    assert believed(opened()) == before


@pytest.mark.parametrize("by", PATHS)
def test_its_neighbour_comes_in(opened: Doors, by: str) -> None:
    """The control: by the same path a value that differs in a digit is accepted."""
    way = PATHS[by]
    needed = way.prepare(opened, NEIGHBOUR)
    reject(opened)
    way.say(opened, NEIGHBOUR, needed)
    assert NEIGHBOUR in believed(opened())


@pytest.mark.parametrize("by", PATHS)
def test_after_unreject_it_comes_in(opened: Doors, by: str) -> None:
    """The other control: what a person lets in again comes in by every path."""
    way = PATHS[by]
    needed = way.prepare(opened, VALUE)
    reject(opened)
    assert opened(door_trust="stated").unreject(SPELLINGS["Cyrillic"], **ABOUT)
    way.say(opened, VALUE, needed)
    assert VALUE in believed(opened())


def test_a_near_duplicate_that_would_become_the_value_is_refused(opened: Doors) -> None:
    """With a dedupe threshold the text is judged as what it would become: about the memory that it hits."""
    mem = opened(embedder=Same(), dedupe_threshold=0.9)
    person = opened(embedder=Same(), door_trust="stated")
    person.reject(person.remember(VALUE, **ABOUT))
    memory_id = mem.remember("lives in Kyoto", **ABOUT, dedupe_threshold=None)
    with pytest.raises(RejectedValueError):
        mem.remember(VALUE)
    assert believed(mem) == ["lives in Kyoto"]
    assert mem.remember("lives in Nara") == memory_id
    assert believed(mem) == ["lives in Nara"]


def test_turns_of_a_conversation_are_refused_too(opened: Doors) -> None:
    """A turn that says a rejected value is refused, the turn beside it is kept."""
    person = opened(door_trust="stated")
    person.reject(person.remember(VALUE))
    mem = opened()
    with pytest.raises(RejectedValueError):
        mem.remember_turn("user", VALUE)
    assert mem.remember_turn("user", NEIGHBOUR)


def test_it_stays_out_through_everything(opened: Doors, clock: FakeClock) -> None:
    """Rejected, superseded, restated, corroborated, extracted again, aged, archived, erased: out, its neighbour in."""
    person, mem = opened(door_trust="stated"), opened()
    neighbour = mem.remember(NEIGHBOUR, **ABOUT)
    rejected = person.remember(VALUE, **ABOUT)
    person.reject(rejected)
    for source in ("session-1", "session-2", "extractor"):
        with pytest.raises(RejectedValueError):
            mem.remember(SPELLINGS["Greek"], **ABOUT, source=source)
    clock.advance(20 * 365 * 86400)
    mem.forget_older_than(1)
    mem.supersede([neighbour], NEIGHBOUR, **ABOUT)
    person.purge(rejected)
    mem.rebuild()
    for handle in (mem, person):
        handle.close()
    with pytest.raises(RejectedValueError):
        opened().remember(SPELLINGS["zero width"], **ABOUT)
    assert believed(opened()) == [NEIGHBOUR]


def test_a_person_s_rejection_is_lifted_by_a_person_only(opened: Doors) -> None:
    """An agent lifts what an agent rejected, not what a person did; automatic doors lift and reject nothing."""
    person, mem, derived = opened(door_trust="stated"), opened(), opened(door_trust="derived")
    person.reject(person.remember("A"))
    mem.reject(mem.remember("B"))
    for handle, text in ((mem, "A"), (derived, "A"), (derived, "B")):
        with pytest.raises(PermissionError):
            handle.unreject(text)
    kept = mem.remember("C")
    with pytest.raises(PermissionError):
        derived.reject(kept)
    assert mem.unreject("B")
    assert person.unreject("A")
    assert mem.get(kept) is not None


@pytest.mark.parametrize("door", ["import", "merge", "ingest", "capture", "sleep", "vault"])
def test_a_purged_value_does_not_come_back_by_itself(opened: Doors, door: str) -> None:
    """Automatic doors are refused what was purged, in any spelling; its sibling passes, and so does a person."""
    person = opened(door_trust="stated")
    person.purge(person.remember(VALUE, **ABOUT))
    machine = opened(door=door)
    for text in (VALUE, SPELLINGS["case"], SPELLINGS["Cyrillic"]):
        with pytest.raises(RejectedValueError, match="purged"):
            machine.remember(text, **ABOUT)
        with pytest.raises(RejectedValueError), machine.bulk():
            machine.remember(text, **ABOUT)
    assert machine.remember(NEIGHBOUR, **ABOUT)
    assert person.remember(VALUE, **ABOUT)
    assert believed(person) == [VALUE, NEIGHBOUR]
