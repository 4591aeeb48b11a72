"""What the default embedder adds: answers by meaning, in any language."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from omoide import Memory

pytest.importorskip("omoide_e5_small", reason="the default model is not installed")
pytestmark = pytest.mark.model

NOTES = [
    "The user's daughter is allergic to peanuts",
    "We ship the release every second Thursday",
    "The staging database lives in Frankfurt",
    "Le chat s'appelle Moustache et dort toute la journée",
    "会議は毎週月曜日の午前十時から",
    "The heating in the office breaks down when it snows",
    "Invoices over ten thousand euros need two signatures",
    "今度の旅行は京都に行く予定です",
]


@pytest.fixture(scope="module")
def mem(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    """A store with the default model, once every vector is there."""
    with Memory(tmp_path_factory.mktemp("model") / "agents.db") as store:
        for text in NOTES:
            store.remember(text)
        for _ in range(3000):
            if not store.recall("ready?").degraded:
                break
            time.sleep(0.01)
        assert not store.recall("ready?").degraded
        yield store


@pytest.mark.parametrize(
    "query, answer",
    [
        ("which nuts must the child not eat", 0),
        ("à quoi la fille de l'utilisateur est-elle allergique ?", 0),
        ("娘のアレルギーは何ですか", 0),
        ("how often do we publish a new version", 1),
        ("où se trouve la base de données de préproduction ?", 2),
        ("what is the name of the cat", 3),
        ("猫の名前は", 3),
        ("when is the weekly meeting", 4),
        ("la réunion hebdomadaire a lieu quand ?", 4),
        ("who has to sign expensive bills", 6),
        ("where are we travelling next", 7),
    ],
)
def test_a_question_in_other_words_or_another_language(mem: Memory, query: str, answer: int) -> None:
    """A question that shares no word with its answer finds it, across languages."""
    assert NOTES[answer] in [hit.text for hit in mem.recall(query, k=2)]


def test_meaning_and_words_work_together(mem: Memory) -> None:
    """A hit found by both legs carries both scores."""
    hit = mem.recall("staging database in Frankfurt")[0]
    assert hit.text == NOTES[2]
    assert hit.bm25_score is not None
    assert hit.vector_score is not None


def test_a_vector_does_not_depend_on_its_company(mem: Memory, tmp_path: Path) -> None:
    """A text embedded alone and in a block of others gets the same similarity."""
    with Memory(tmp_path / "other.db") as other:
        with other.bulk():
            for n in range(20):
                other.remember(f"filler {n} " * (1 + n % 5))
            other.remember(NOTES[2])
        alone = mem.recall("the Frankfurt database", k=1, use_bm25=False)[0]
        together = other.recall("the Frankfurt database", k=1, use_bm25=False)
        for _ in range(3000):
            if together and together[0].text == NOTES[2]:
                break
            time.sleep(0.01)
            together = other.recall("the Frankfurt database", k=1, use_bm25=False)
        assert together[0].vector_score == pytest.approx(alone.vector_score, abs=1e-3)


def test_the_end_of_a_long_text_has_a_meaning_too(mem: Memory, tmp_path: Path) -> None:
    """What is said after two thousand words is found by meaning."""
    with Memory(tmp_path / "long.db") as other:
        filler = "The committee talked about gardens and the weather of the season. " * 200
        long = other.remember(filler + "At the very end, somebody mentioned that the daughter cannot eat peanuts.")
        for n in range(5):
            other.remember(f"The committee talked about gardens, minute {n}.")
        for _ in range(6000):
            if not other.recall("ready?").degraded:
                break
            time.sleep(0.01)
        assert other.recall("nut allergy of the child", k=1, use_bm25=False)[0].id == long


def test_a_write_does_not_wait_for_the_model(tmp_path: Path) -> None:
    """A write made while the model loads is acknowledged and found by its words at once."""
    with Memory(tmp_path / "new.db") as other:
        other.remember("tea at four")
        assert [hit.text for hit in other.recall("tea", use_vectors=False)] == ["tea at four"]


def test_abstains_from_what_was_never_said(mem: Memory) -> None:
    """Asked to abstain, an unanswerable question gets nothing, and an answerable one its answer."""
    assert mem.recall("what is the blood type of the pilot's grandmother?", abstain=True) == []
    assert mem.recall("is the daughter allergic to peanuts?", abstain=True)[0].text == NOTES[0]
