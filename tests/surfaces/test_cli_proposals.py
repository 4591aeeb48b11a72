"""What speaks for a proposal, and why one cannot be decided, in the language of the person who decides."""

from __future__ import annotations

from typing import Any

import pytest
from tests.surfaces.command_line import CommandLine

from omoide import Memory
from omoide.serve.cli.sleep_views import decision_view, proposal_view, sleep_view
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


@pytest.mark.parametrize(
    "language, said",
    [
        ("en", "Nothing new is proposed; what waits for a decision: omoide proposals."),
        ("fr", "Rien de nouveau n'est proposé ; ce qui attend une décision : omoide proposals."),
        ("ja", "新しい提案はありません。決定待ちの提案は omoide proposals で見られます。"),
    ],
)
def test_a_run_that_proposes_nothing_new_says_where_the_others_are(cli: CommandLine, language: str, said: str) -> None:
    with Memory(cli.store, embedder="none") as mem:
        mem.remember("The release needs two people. " + "Then it waits for the night and the checks pass. " * 20)
        mem.sleep()
    assert said in cli("--lang", language, "sleep").out


def test_how_to_decide_is_not_said_of_what_is_decided(cli: CommandLine) -> None:
    with Memory(cli.store, embedder="none") as mem:
        mem.remember("The release needs two people. " + "Then it waits for the night and the checks pass. " * 20)
        mem.sleep()
        assert "omoide accept ID" in cli("proposals").out
        mem.refuse(mem.proposals()[0].id)
    assert "omoide accept ID" not in cli("proposals", "--state", "refused").out


@pytest.mark.parametrize(
    "language, said",
    [
        ("en", "Some changes are not sure enough to be proposed"),
        ("fr", "Certains changements ne sont pas assez sûrs pour être proposés"),
        ("ja", "確かさが足りず提案しなかった変更があります"),
    ],
)
def test_what_was_left_out_is_told_once_and_in_the_language_asked_for(
    cli: CommandLine, language: str, said: str
) -> None:
    clock = FakeClock("2026-01-01T00:00:00Z")
    with Memory(cli.store, embedder="none", clock=clock) as mem:
        mem.remember("The garden party has 5 guests")
        clock.advance(86_400)
        mem.remember("That garden party has got 6 guests")
    told = cli("--lang", language, "sleep")
    assert said in told.out
    assert "not sure enough" not in told.err


@pytest.mark.parametrize(
    "language, said",
    [
        ("en", "Process 71 on host.example is at it."),
        ("fr", "Le processus 71 sur host.example s'en occupe."),
        ("ja", "host.example のプロセス 71 が実行しています。"),
    ],
)
def test_who_else_consolidates_is_told(language: str, said: str) -> None:
    busy: dict[str, Any] = {
        "namespace": "default", "state": "busy", "passes": [], "extracted": [], "accepted": [], "proposed": [],
        "reasons": ["host.example:71:0a1b2c3d is consolidating this namespace"], "cost": {}, "undo": None,
        "settings": "f",
    }  # fmt: skip
    assert said in [block.text for block in sleep_view(busy, Speech(language)) if hasattr(block, "text")]


@pytest.mark.parametrize(
    "language, said", [("fr", "il n'y a pas de commande 'claude' ici"), ("ja", "コマンド 'claude' がここにありません")]
)
def test_a_reasoner_that_is_not_there_is_told_in_the_language_asked_for(
    cli: CommandLine, monkeypatch: pytest.MonkeyPatch, language: str, said: str
) -> None:
    monkeypatch.setenv("PATH", "")
    with Memory(cli.store, embedder="none") as mem:
        mem.remember("The release needs two people. " + "Then it waits for the night and the checks pass. " * 20)
    told = cli("--lang", language, "sleep", "--reasoner", "claude-code")
    assert said in "".join(told.out.split("\n"))
