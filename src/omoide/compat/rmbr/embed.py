"""rmbr.embed: the embedders are omoide's own."""

from __future__ import annotations

from typing import Any, Final

from omoide.compat.rmbr.door import resolve

_HOMES: Final = {
    "CachingEmbedder": "omoide.compat.rmbr.caching:CachingEmbedder",
    "CohereEmbedder": "omoide.compat.rmbr.caching:CohereEmbedder",
    "Embedder": "omoide.ports:Embedder",
    "FakeEmbedder": "omoide.testing:FakeEmbedder",
    "FastEmbedEmbedder": "omoide.embed.fast:FastEmbedEmbedder",
    "OpenAIEmbedder": "omoide.embed.remote:OpenAIEmbedder",
    "VoyageEmbedder": "omoide.compat.rmbr.caching:VoyageEmbedder",
    "get_shared_fastembed_embedder": "omoide.compat.rmbr.caching:get_shared_fastembed_embedder",
}


def __getattr__(name: str) -> Any:
    return resolve(__name__, _HOMES, name)


def __dir__() -> list[str]:
    return sorted(_HOMES)
