from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from omoide.embed.check import checked_vectors, unit_vectors
from omoide.errors import EmbedderError
from omoide.testing import FakeEmbedder


class Answering:
    """An embedder that answers what it was told to."""

    model_name = "answering"

    def __init__(self, answer: Any) -> None:
        self.answer = answer

    def embed(self, texts: list[str]) -> Any:
        return self.answer


class Sided(FakeEmbedder):
    """An embedder for which questions are other texts than what they find."""

    def embed_queries(self, texts: list[str]) -> list[list[float]]:
        return self.embed([f"question: {text}" for text in texts])


def test_vectors_are_brought_to_unit_length_in_float32() -> None:
    found = checked_vectors(Answering([[3, 4], [0, 0.5]]), ["a", "b"])
    assert found.dtype == np.float32
    assert found.ravel().tolist() == pytest.approx([0.6, 0.8, 0.0, 1.0])


@pytest.mark.parametrize("scale", [1e-300, 1e-30, 1e30, 1e300])
def test_no_length_is_too_small_or_too_large(scale: float) -> None:
    assert unit_vectors([[3 * scale, 4 * scale]], 1)[0] == pytest.approx([0.6, 0.8])


def test_a_vector_of_zeros_stays_as_it_is() -> None:
    assert unit_vectors([[0.0, 0.0], [0.0, 2.0]], 2).tolist() == [[0.0, 0.0], [0.0, 1.0]]


@pytest.mark.parametrize(
    "answer",
    [
        [np.array([1.0, 0.0]), np.array([0.0, 1.0])],
        np.eye(2, dtype=np.float16),
        ((1, 0), (0, 1)),
        (row for row in [[1, 0], [0, 1]]),
    ],
    ids=["list of arrays", "array", "tuples", "generator"],
)
def test_any_sequence_of_rows_of_numbers_will_do(answer: Any) -> None:
    assert checked_vectors(Answering(answer), ["a", "b"]).tolist() == [[1, 0], [0, 1]]


@pytest.mark.parametrize(
    "answer",
    [
        [[1.0, 2.0]],
        [[1.0], [2.0], [3.0]],
        [[1.0, 2.0], [1.0]],
        [1.0, 2.0],
        [[], []],
        [[1.0, float("nan")], [1.0, 1.0]],
        [[1.0, float("inf")], [1.0, 1.0]],
        [["x", "y"], ["z", "w"]],
        [[[1.0]], [[1.0]]],
        "ab",
        None,
        5,
    ],
)
def test_anything_else_is_an_embedder_error_that_names_the_model(answer: Any) -> None:
    with pytest.raises(EmbedderError, match="answering"):
        checked_vectors(Answering(answer), ["a", "b"])


def test_an_exception_of_the_embedder_is_the_cause_of_an_embedder_error() -> None:
    class Broken:
        model_name = "broken"

        def embed(self, texts: list[str]) -> Any:
            raise ConnectionResetError("gone")

    with pytest.raises(EmbedderError, match=r"'broken' failed: ConnectionResetError: gone") as caught:
        checked_vectors(Broken(), ["a"])
    assert isinstance(caught.value.__cause__, ConnectionResetError)


def test_a_dimension_other_than_the_stated_one_is_refused() -> None:
    embedder = Answering([[1.0, 0.0]])
    embedder.dimension = 3  # type: ignore[attr-defined]
    with pytest.raises(EmbedderError, match="2 dimensions although it says 3"):
        checked_vectors(embedder, ["a"])


def test_no_texts_are_no_vectors() -> None:
    assert checked_vectors(Answering([]), []).shape[0] == 0


def test_a_question_is_embedded_as_one_where_the_embedder_knows_the_difference() -> None:
    sided = Sided()
    assert np.allclose(checked_vectors(sided, ["a"], query=True), checked_vectors(sided, ["question: a"]))
    assert np.allclose(checked_vectors(FakeEmbedder(), ["a"], query=True), checked_vectors(FakeEmbedder(), ["a"]))
