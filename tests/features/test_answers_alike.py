"""What a question, a list and ``get`` say of a memory is the same, whichever way it was read."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import pytest

from omoide import Memory

_OF_THE_SEARCH = {"score", "bm25_score", "vector_score", "explanation"}
TOLD: list[dict[str, Any]] = [
    {"text": "lives in Osaka near the river"},
    {
        "text": "大阪に住んでいる", "subject": "user", "predicate": "lives_in", "kind": "profile", "importance": "high",
        "tags": ["home", "家"], "confidence": 0.4, "abstract": "Osaka", "metadata": {"n": 1, "day": "2026-01-01"},
        "source": "session-1", "observed_at": "2025-12-01", "valid_from": "2025-01-10", "valid_to": "2099-01-01",
        "project": "p", "cites": ["README.md"], "triggers": ["src/*"], "basis": "told",
    },
    {"text": "habite à Paris depuis l'été", "importance": 7, "pinned": True, "trust": "derived"},
    {"text": "will move to Kyoto", "valid_from": "2098-01-01"},
]  # fmt: skip


def shown(hits: Any) -> dict[int, dict[str, Any]]:
    return {
        hit.id: {each.name: getattr(hit, each.name) for each in fields(hit) if each.name not in _OF_THE_SEARCH}
        for hit in hits
    }


@pytest.mark.parametrize("when", [{}, {"as_of": "2098-06-01"}, {"include_archived": True}])
def test_a_question_shows_what_a_list_shows(mem: Memory, when: dict[str, Any]) -> None:
    """Every field of a hit but those of the search itself."""
    ids = [int(mem.remember(**told)) for told in TOLD]
    mem.dispute(ids[0], reason="who knows")
    question = " ".join(told["text"] for told in TOLD)
    asked = shown(mem.recall(question, k=9, trust="derived", **when))
    assert asked == shown(mem.recall(None, k=9, trust="derived", **when))
    assert len(asked) >= 2


def test_a_later_reading_of_a_closed_piece_says_how_it_ended(mem: Memory) -> None:
    """A forgotten and a corrected memory, asked for with ``include_retracted``."""
    first, second = mem.remember("the kettle is red"), mem.remember("the kettle is in the attic")
    mem.forget(first)
    mem.revise(second, "the kettle is in the kitchen")
    asked = shown(mem.recall("kettle", k=9, include_retracted=True))
    assert asked == shown(mem.recall(None, k=9, include_retracted=True))
    assert asked[int(first)]["status"] == "forgotten"
