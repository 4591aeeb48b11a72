from __future__ import annotations

import functools
import sys
from typing import Any

import pytest

from omoide.embed.resolve import Resolved, resolve
from omoide.errors import EmbedderUnavailableError, InvalidInputError
from omoide.testing import FakeEmbedder


def embed_lengths(texts: list[str]) -> list[list[float]]:
    return [[float(len(text)), 1.0] for text in texts]


class Calling:
    def __call__(self, texts: list[str]) -> list[list[float]]:
        return embed_lengths(texts)


@pytest.fixture
def without(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return a function that makes a distribution look not installed."""
    return lambda name: monkeypatch.setitem(sys.modules, name, None)


def test_none_is_the_default_model_in_a_new_store() -> None:
    data = pytest.importorskip("omoide_e5_small")
    found = resolve()
    assert (found.name, found.reason) == (data.MODEL_NAME, None)


def test_none_adopts_the_default_model_where_it_is_recorded() -> None:
    data = pytest.importorskip("omoide_e5_small")
    assert resolve(recorded=data.MODEL_NAME).embedder is not None


def test_none_says_which_model_a_store_wants() -> None:
    pytest.importorskip("omoide_e5_small")
    found = resolve(recorded="their-model")
    assert found.embedder is None
    assert found.name == "their-model"
    assert "made with 'their-model'" in str(found.reason)


@pytest.mark.parametrize("distribution", ["omoide_e5_small", "onnxruntime"])
def test_a_missing_distribution_is_a_stated_reason(without: Any, distribution: str) -> None:
    without(distribution)
    found = resolve()
    assert found.embedder is None
    assert distribution.replace("_", "-") in str(found.reason)
    assert "searching by keyword only" in str(found.reason)


@pytest.mark.parametrize("name", ["default", "e5-small"])
def test_the_default_model_asked_for_by_name_has_to_be_there(without: Any, name: str) -> None:
    without("omoide_e5_small")
    with pytest.raises(EmbedderUnavailableError, match="pip install omoide-e5-small"):
        resolve(name)


def test_none_in_words_is_keyword_search_and_nothing_is_missing() -> None:
    assert resolve("none") == Resolved(None, None, None)


def test_an_unknown_name_is_refused_with_the_known_ones() -> None:
    with pytest.raises(InvalidInputError, match="'none', 'default', 'e5-small'"):
        resolve("nonsense")


def test_an_object_with_a_name_and_embed_is_taken_as_it_is() -> None:
    embedder = FakeEmbedder(model_name="mine")
    assert resolve(embedder) == Resolved(embedder, "mine")


@pytest.mark.parametrize("name", [None, "", "  ", 7])
def test_an_object_without_a_name_is_refused(name: Any) -> None:
    embedder = FakeEmbedder()
    embedder.model_name = name
    with pytest.raises(InvalidInputError, match="model_name"):
        resolve(embedder)


@pytest.mark.parametrize("function", [embed_lengths, Calling()], ids=["function", "object"])
def test_a_callable_is_named_after_where_it_is_defined(function: Any) -> None:
    found = resolve(function)
    own = getattr(function, "__qualname__", "Calling")
    assert found.name == f"{__name__}.{own}"
    assert found.embedder is not None
    assert found.embedder.embed(["abc"]) == [[3.0, 1.0]]


def test_a_name_on_the_function_wins() -> None:
    def embed(texts: list[str]) -> list[list[float]]:
        return embed_lengths(texts)

    embed.model_name = "lengths-v1"  # type: ignore[attr-defined]
    assert resolve(embed).name == "lengths-v1"


@pytest.mark.parametrize(
    "function", [lambda texts: [[1.0] for _ in texts], functools.partial(embed_lengths)], ids=["lambda", "partial"]
)
def test_a_callable_without_a_name_of_its_own_is_refused(function: Any) -> None:
    with pytest.raises(InvalidInputError, match="named function"):
        resolve(function)


@pytest.mark.parametrize("value", [5, [], {"model": "x"}])
def test_anything_else_is_refused(value: Any) -> None:
    with pytest.raises(InvalidInputError, match="model_name and embed"):
        resolve(value)
