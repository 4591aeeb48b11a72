"""Recall may go on along links: from a hit to what its note leads to, within bounds that are told."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from tests.features.vault_kit import Vault

from omoide import Memory
from omoide.errors import InvalidInputError
from omoide.verbs.notes import note_trails

Opener = Callable[..., Memory]


@pytest.fixture(autouse=True)
def _time(monkeypatch: pytest.MonkeyPatch) -> None:
    """As much time as it takes: how fast a machine is decides no test."""
    monkeypatch.setattr(note_trails, "SECONDS", 600.0)


def linked(vault: Vault, subject: str, text: str, **more: object) -> int:
    return vault.mem.remember(text, subject=subject, predicate="note", **more)  # type: ignore[arg-type]


def name(subject: str) -> str:
    return f"[[{subject}-note]]"


@pytest.fixture
def chain(vault: Vault) -> list[int]:
    """Four notes that lead from one to the next."""
    return [
        linked(vault, "ramen", f"boil the noodles, see {name('スープ')}"),
        linked(vault, "スープ", f"made of bones: {name('os')}"),
        linked(vault, "os", f"chez le boucher {name('shop')} and {name('nobody')}", kind="preference"),
        linked(vault, "shop", "closed on Mondays", trust="untrusted"),
    ]


def test_what_a_hit_links_to_comes_behind_it_link_by_link(vault: Vault, chain: list[int]) -> None:
    assert [hit.id for hit in vault.mem.recall("noodles", k=5)] == chain[:1]
    assert [hit.id for hit in vault.mem.recall("noodles", k=5, links=1)] == chain[:2]
    hits = vault.mem.recall("noodles", k=5, links=3)
    assert [hit.id for hit in hits] == chain[:3]
    assert [hit.explain().get("links") for hit in hits] == [None, 1, 2]
    assert hits[2].explain()["linked_from"] == chain[1]
    assert hits[0].score > hits[1].score > hits[2].score
    assert not hits.degraded


def test_what_is_led_to_passes_every_filter_of_the_question(vault: Vault, chain: list[int]) -> None:
    assert [hit.id for hit in vault.mem.recall("noodles", links=3, kinds="fact")] == chain[:2]
    assert [hit.id for hit in vault.mem.recall("noodles", links=3, trust="untrusted")][-1] == chain[3]
    vault.mem.forget(chain[1])
    assert [hit.id for hit in vault.mem.recall("noodles", links=1)] == chain[:1]


def test_as_many_again_as_were_asked_for_and_within_the_tokens(vault: Vault, chain: list[int]) -> None:
    assert len(vault.mem.recall("noodles", k=1, links=3)) == 2
    hits = vault.mem.recall("noodles", links=3, max_tokens=16)
    assert [hit.id for hit in hits] == chain[:1]
    assert hits.truncated
    assert [hit.text for hit in vault.mem.recall("noodles", links=1, level="abstract")][1].startswith("made of bones")


def test_a_dense_web_is_cut_and_the_answer_says_so(vault: Vault, monkeypatch: pytest.MonkeyPatch) -> None:
    with vault.mem.bulk():
        for number in range(120):
            others = " ".join(name(f"s{(number * 7 + step) % 120}") for step in range(1, 41))
            linked(vault, f"s{number}", f"the {'needle' if number < 8 else 'hay'} {others}")
    hits = vault.mem.recall("needle", k=8, links=2)
    assert {hit.id for hit in hits[:8]} == {hit.id for hit in vault.mem.recall("needle", k=8)}
    assert len(hits) == 16
    assert hits.degraded
    assert note_trails.CUT in hits.reasons
    monkeypatch.setattr(note_trails, "SECONDS", 0.0)
    hits = vault.mem.recall("needle", k=8, links=2)
    assert (len(hits), note_trails.CUT in hits.reasons) == (8, True)


def test_what_contradicts_a_hit_is_linked_to_it_in_every_store(opened: Opener) -> None:
    mem = opened()
    first = mem.remember("the gate opens at nine", subject="gate")
    assert mem.revise(first, "closed all day", source="web:gates.example").memory_id != first
    assert len(mem.recall("opens at nine", k=1, links=1)) == 1
    hits = mem.recall("opens at nine", k=1, links=1, trust="untrusted")
    assert [hit.text for hit in hits] == ["the gate opens at nine", "closed all day"]


@pytest.mark.parametrize("links", [-1, 4, True, "1", 1.5])
def test_so_many_links_only(opened: Opener, links: object) -> None:
    mem = opened()
    mem.remember("tea")
    with pytest.raises(InvalidInputError, match="links"):
        mem.recall("tea", links=links)  # type: ignore[arg-type]
