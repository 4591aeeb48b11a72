"""What speaks for a proposal, and why one cannot be decided, in the language of the person who decides."""

from __future__ import annotations

from typing import Any

import pytest
from tests.surfaces.command_line import CommandLine

from omoide import Memory
from omoide.serve.cli.sleep_views import decision_view, proposal_view
from omoide.serve.messages.speech import Speech
from omoide.testing import FakeClock

EVIDENCE = {
    "same_words": (
        "memory 3, observed, seen 2 times", "souvenir 3, observed, vu 2 fois", "記憶 3、observed、2 回述べられた"
    ),
    "same_property": ("memory 3, stated", "souvenir 3, stated", "記憶 3、stated"),
    "same_shape": ("memory 3, stated", "souvenir 3, stated", "記憶 3、stated"),
    "contradiction": ("memory 3, stated", "souvenir 3, stated", "記憶 3、stated"),
    "unused": (
        "archived, untouched for 7 months", "archivé, inutilisé depuis 7 mois", "しまわれて 7 か月使われていない"
    ),
    "recurs": ("said in 4 conversations", "dit dans 4 conversations", "4 件の会話で述べられた"),
    "comes_back": ("forgotten 3 times before", "oublié 3 fois déjà", "これまでに 3 回忘れられた"),
    "no_abstract": ("900 characters", "900 caractères", "900 文字"),
    "sections": ("3 sections", "3 sections", "3 節"),
    "stale": ("README.md@a1b2 changed", "README.md@a1b2 a changé", "README.md@a1b2 が変わった"),
}  # fmt: skip
QUOTED = ("newer_value", "extracted")


def lines(reason: str, evidence: str, language: str) -> list[str]:
    proposal: dict[str, Any] = {
        "id": "p1", "kind": "supersede", "ids": [3], "state": "open", "score": 0.5, "reason": reason, "before": [],
        "after": [], "evidence": [evidence], "advice": None, "batch": None,
    }  # fmt: skip
    return [block.text for block in proposal_view(proposal, Speech(language)) if hasattr(block, "text")]


@pytest.mark.parametrize("language, place", [("en", 0), ("fr", 1), ("ja", 2)])
@pytest.mark.parametrize("reason", EVIDENCE)
def test_evidence_is_told_in_the_language_of_the_person(reason: str, language: str, place: int) -> None:
    said = lines(reason, EVIDENCE[reason][0], language)
    assert f"{Speech(language)('sleep.because')}: {EVIDENCE[reason][place]}" in said


@pytest.mark.parametrize("reason", QUOTED)
def test_what_somebody_said_is_quoted_as_it_was(reason: str) -> None:
    assert lines(reason, "said in 4 conversations", "fr")[-1].endswith(": said in 4 conversations")


@pytest.mark.parametrize(
    "language, said",
    [
        ("fr", "Chef : elle est déjà refusée"),
        ("ja", "Chef: すでに断られている"),
        ("en", "Chef: it was refused already"),
    ],
)
def test_why_a_proposal_was_not_decided_is_told_too(language: str, said: str) -> None:
    result: dict[str, Any] = {"decided": [], "failed": {"Chef": "it was refused already"}, "batch": None}
    texts = [block.text for block in decision_view(result, Speech(language)) if hasattr(block, "text")]
    assert said in texts


def test_the_evidence_of_a_real_proposal_is_told(cli: CommandLine) -> None:
    clock = FakeClock("2026-01-01T00:00:00Z")
    with Memory(cli.store, embedder="none", clock=clock) as mem:
        mem.remember("lives in Osaka", subject="user", predicate="lives_in")
        clock.advance(30 * 86_400)
        mem.remember("lives in Tokyo", subject="user", predicate="lives_in")
        mem.sleep()
        (found,) = mem.proposals()
        mem.refuse(found.id)
    assert "souvenir 1, observed" in cli("--lang", "fr", "explain", found.id).out
    assert "すでに断られている" in cli("--lang", "ja", "accept", found.id, status=None).out
