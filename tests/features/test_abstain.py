from __future__ import annotations

from collections.abc import Callable

import pytest

from omoide import Memory
from omoide.testing import FakeEmbedder

NOTES = [
    "the user prefers dark mode in every editor",
    "the deploy runs on Fridays at noon",
    "the cat is called Mochi and is nine years old",
    "the office moved to Kyoto in spring",
    "invoices are sent on the first of the month",
]


@pytest.fixture(params=["none", "fake"])
def full(request: pytest.FixtureRequest, opened: Callable[..., Memory]) -> Memory:
    """A small store, with keywords only and with vectors that mean nothing."""
    mem = opened(embedder="none" if request.param == "none" else FakeEmbedder(64))
    for text in NOTES:
        mem.remember(text)
    return mem


@pytest.mark.parametrize("question", ["which blood type does grandmother have?", "zebra quantum holiday"])
def test_says_nothing_when_nothing_is_known(full: Memory, question: str) -> None:
    """Asked to abstain, a question about things never said gets no answer, and the answer says why."""
    hits = full.recall(question, abstain=True)
    assert hits == []
    assert hits.abstained


@pytest.mark.parametrize(
    "question, answer",
    [
        ("which mode does the user prefer?", 0),
        ("when does the deploy run?", 1),
        ("what is the cat called?", 2),
    ],
)
def test_still_answers_what_is_known(full: Memory, question: str, answer: int) -> None:
    """Asked to abstain, a question that has an answer gets it."""
    hits = full.recall(question, abstain=True)
    assert hits[0].text == NOTES[answer]
    assert not hits.abstained


def test_does_not_abstain_unasked(full: Memory) -> None:
    """Without the wish to abstain, ``abstained`` is never set."""
    assert not full.recall("zebra quantum holiday").abstained
