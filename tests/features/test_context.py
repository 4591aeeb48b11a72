from __future__ import annotations

from collections.abc import Callable

import pytest

from omoide import Memory
from omoide.testing import FakeEmbedder

QUESTION = "Which restaurant did you book for the anniversary dinner?"
ANSWER = "Dinner will be at the little place by the harbour"
OTHERS = ["Dinner was cold when the train came late today", "The cat slept", "Dinner is at seven on most working days"]


@pytest.fixture(params=["none", "fake"])
def mem(request: pytest.FixtureRequest, opened: Callable[..., Memory]) -> Memory:
    return opened(embedder="none" if request.param == "none" else FakeEmbedder(64))


def told(mem: Memory, *, apart: bool = False) -> None:
    """A conversation in one session; with ``apart`` its answer belongs to another one."""
    mem.remember_turn("user", OTHERS[0], session_id="monday")
    mem.remember_turn("user", QUESTION, session_id="tuesday")
    mem.remember_turn("assistant", ANSWER, session_id="friday" if apart else "tuesday")
    mem.remember_turn("user", OTHERS[1], session_id="friday")
    mem.remember_turn("user", OTHERS[2], session_id="saturday")


def place(mem: Memory) -> float:
    """How much the neighbours of the answer lend it."""
    hits = mem.recall("anniversary restaurant dinner", k=5)
    return next(hit.explanation["context"] for hit in hits if hit.text == ANSWER)


def test_the_turn_after_a_good_match_comes_next(opened: Callable[..., Memory]) -> None:
    """Of texts that share one word with the question, the one said right after the best match is second."""
    mem = opened(embedder="none")
    told(mem)
    assert [hit.text for hit in mem.recall("anniversary restaurant dinner", k=2)] == [QUESTION, ANSWER]


def test_another_session_lends_nothing(mem: Memory) -> None:
    told(mem, apart=True)
    assert place(mem) == 0


def test_a_source_is_a_thread_too(mem: Memory) -> None:
    mem.remember(QUESTION, source="call-17")
    mem.remember(ANSWER, source="call-17")
    assert place(mem) > 0


def test_entries_without_source_or_session_stand_alone(mem: Memory) -> None:
    mem.remember(QUESTION)
    mem.remember(ANSWER)
    assert place(mem) == 0


def test_bulk_and_rebuild_keep_threads(mem: Memory) -> None:
    with mem.bulk():
        told(mem)
    before = place(mem)
    assert before > 0
    assert mem.integrity_check() == []
    mem.rebuild()
    assert place(mem) == before


def test_a_word_order_that_matters_is_not_a_repeat(mem: Memory) -> None:
    """Two texts of the same words in another order both answer; the same words with other punctuation answer once."""
    mem.remember("Anna calls Ben")
    mem.remember("Ben calls Anna")
    mem.remember("Anna calls Ben!")
    hits = [hit.text for hit in mem.recall("who calls Anna or Ben", k=5)]
    assert len(hits) == 2
    assert "Ben calls Anna" in hits
