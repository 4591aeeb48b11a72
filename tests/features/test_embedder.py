"""The default model and any other, through the public door."""

from __future__ import annotations

import sys
from collections.abc import Callable

import pytest

from omoide import Memory
from omoide.errors import EmbedderMismatchError, EmbedderUnavailableError, InvalidInputError
from omoide.testing import FakeEmbedder

Opener = Callable[..., Memory]

NOTES = [
    "My sister lives in Lyon.",
    "The two cats are called Mike and Tama.",
    "git reset --soft HEAD~1 takes the last commit back.",
    "The server is rebooted every Sunday night.",
    "Shares fell by three percent on Monday.",
]


def two_letters(texts: list[str]) -> list[list[float]]:
    """Count two letters."""
    return [[float(text.count("a")), float(text.count("b")), 0.1] for text in texts]


class Failing(FakeEmbedder):
    """Works until it is told to fail."""

    def __init__(self) -> None:
        super().__init__()
        self.broken = False

    def embed(self, texts: list[str], /) -> list[list[float]]:
        """Fail like a service that went away."""
        if self.broken:
            raise ConnectionResetError("the service went away")
        return super().embed(texts)


@pytest.mark.model
class TestDefaultModel:
    @pytest.fixture(autouse=True)
    def _installed(self) -> None:
        pytest.importorskip("omoide_e5_small")

    @pytest.mark.parametrize(
        "question,answer",
        [
            ("Où habite ma sœur ?", NOTES[0]),
            ("猫の名前は何ですか", NOTES[1]),
            ("¿Cómo deshago el último commit?", NOTES[2]),
            ("Wann wird der Server neu gestartet?", NOTES[3]),
        ],
    )
    def test_a_question_finds_an_answer_in_another_language(self, opened: Opener, question: str, answer: str) -> None:
        mem = opened(embedder=None)
        for note in NOTES:
            mem.remember(note)
        hits = mem.recall(question, k=1)
        assert not hits.degraded
        assert hits[0].text == answer

    def test_a_store_records_the_model_and_none_adopts_it(self, opened: Opener) -> None:
        opened(embedder="default").remember("a note")
        assert opened(embedder=None).embedder_name == opened(embedder="e5-small").embedder_name

    def test_a_long_text_is_found_by_its_end(self, opened: Opener) -> None:
        mem = opened(embedder=None)
        filler = "The committee met again and went through the minutes of the last meeting. "
        mem.remember(filler * 80 + "The treasurer keeps bees in her garden in Ghent.")
        mem.remember(filler * 80)
        hits = mem.recall("Qui élève des abeilles ?", k=1)
        assert "bees" in hits[0].text


def test_a_missing_default_model_leaves_keyword_search_and_every_answer_says_so(
    opened: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "omoide_e5_small", None)
    mem = opened(embedder=None)
    mem.remember("the cats are called Mike and Tama")
    hits = mem.recall("cats called")
    assert hits[0].text == "the cats are called Mike and Tama"
    assert hits.degraded


def test_a_missing_default_model_asked_for_by_name_is_an_error(opened: Opener, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "omoide_e5_small", None)
    with pytest.raises(EmbedderUnavailableError, match="pip install omoide-e5-small"):
        opened(embedder="default")


def test_keyword_search_on_purpose_is_not_degraded(opened: Opener) -> None:
    mem = opened(embedder="none")
    mem.remember("the cats are called Mike and Tama")
    assert not mem.recall("cats").degraded


def test_a_plain_function_is_an_embedder(opened: Opener) -> None:
    mem = opened(embedder=two_letters)
    mem.remember("aaa")
    mem.remember("bbb")
    assert mem.recall("zaaz", k=1)[0].text == "aaa"
    assert mem.embedder_name == f"{__name__}.two_letters"


@pytest.mark.parametrize("embedder", ["no-such-model", 5, lambda texts: [[1.0] for _ in texts], object()])
def test_what_is_not_an_embedder_is_refused(opened: Opener, embedder: object) -> None:
    with pytest.raises(InvalidInputError, match=r"embedder|named function"):
        opened(embedder=embedder)


def test_another_model_than_the_recorded_one_is_refused_until_rebuild(opened: Opener) -> None:
    opened(embedder=FakeEmbedder(model_name="first")).remember("a note")
    with pytest.raises(EmbedderMismatchError, match="'first'"):
        opened(embedder=FakeEmbedder(model_name="second"))


def test_a_store_made_with_an_own_model_is_searched_by_keyword_without_it(opened: Opener) -> None:
    opened(embedder=FakeEmbedder(model_name="theirs")).remember("the cats are called Mike and Tama")
    hits = opened(embedder=None).recall("cats")
    assert hits
    assert hits.degraded


def test_a_write_survives_an_embedder_that_fails_and_is_embedded_later(opened: Opener) -> None:
    embedder = Failing()
    mem = opened(embedder=embedder)
    mem.remember("before")
    embedder.broken = True
    mem.remember("the cats are called Mike and Tama")
    hits = mem.recall("cats")
    assert (hits[0].text, hits.degraded) == ("the cats are called Mike and Tama", True)
    embedder.broken = False
    assert not mem.recall("the cats are called Mike and Tama").degraded


def test_a_model_that_meets_texts_without_vectors_says_so_until_they_are_made(opened: Opener) -> None:
    opened(embedder="none").remember("tea at four")
    mem = opened(embedder=FakeEmbedder(16))
    hits = mem.recall("when is tea")
    assert [hit.text for hit in hits] == ["tea at four"]
    assert hits.degraded
    mem.rebuild()
    assert not mem.recall("when is tea").degraded
