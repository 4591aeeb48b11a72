"""rmbr.index: the index of documents is omoide's own; ``stats`` tells times as ISO 8601 text."""

from __future__ import annotations

import os
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from omoide import index
from omoide.compat.rmbr.rerank import Judging
from omoide.model.policy import Policy
from omoide.types import Hit, Hits, IngestResult

__all__ = ["Hit", "Hits", "Index", "IngestResult"]


class Index(index.Index):
    """rmbr's ``Index(path, namespace="default")``; further options of ``omoide.Index`` are passed on."""

    def __init__(
        self, path: str | os.PathLike[str], *, namespace: str = "default", policy: Policy | None = None,
        embedder: Any = None, **options: Any,
    ) -> None:  # fmt: skip
        chosen = {"reranker": Judging(), **options}
        super().__init__(path, namespace=namespace, policy=policy, embedder=embedder, **chosen)

    def as_langchain_retriever(self, *, k: int = 5, **search_kwargs: Any) -> Any:
        from omoide.compat.rmbr.integrations.langchain import as_retriever

        return as_retriever(self, k=k, **search_kwargs)

    def stats(self, namespaces: str | Sequence[str] | None = None) -> dict[str, dict[str, Any]]:
        found = super().stats(namespaces)
        return {name: {key: _plain(value) for key, value in row.items()} for name, row in found.items()}


def _plain(value: Any) -> Any:
    return value.isoformat(timespec="microseconds") if isinstance(value, datetime) else value
