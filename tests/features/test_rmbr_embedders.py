"""rmbr's embedders by their old names."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import pytest

from omoide.testing import FakeEmbedder

embed: Any = import_module("omoide.compat.rmbr.embed")


@pytest.mark.parametrize(
    "name",
    ["CachingEmbedder", "CohereEmbedder", "FakeEmbedder", "FastEmbedEmbedder", "OpenAIEmbedder", "VoyageEmbedder"],
)
def test_every_name_is_there(name: str) -> None:
    assert isinstance(getattr(embed, name), type)
    assert name in dir(embed)


def test_the_defaults_are_those_of_rmbr() -> None:
    names = [
        embed.OpenAIEmbedder(api_key="k").model_name,
        embed.VoyageEmbedder(api_key="k").model_name,
        embed.CohereEmbedder(api_key="k").model_name,
        embed.FakeEmbedder().model_name,
    ]
    assert names == ["text-embedding-3-small", "voyage-3", "embed-english-v3.0", "fake-embedder"]


class Counting(FakeEmbedder):
    """Counts the texts that it is given."""

    def __init__(self) -> None:
        super().__init__(8)
        self.given: list[str] = []

    def embed(self, texts: list[str], /) -> Any:
        self.given += texts
        return super().embed(texts)


def test_a_caching_embedder_asks_once_for_a_text() -> None:
    inner = Counting()
    cached = embed.CachingEmbedder(inner, None)
    first = cached.embed(["a", "b", "a"])
    again = cached.embed(["b", "c"])
    assert inner.given == ["a", "b", "c"]
    assert list(first[1]) == list(again[0])
    assert cached.model_name == inner.model_name
