"""rmbr.integrations.llamaindex: the retriever is omoide's own."""

from __future__ import annotations

from typing import Any

from omoide.integrations import llamaindex

__all__ = ["as_retriever"]


def as_retriever(index: Any, *, k: int = 5, **search_kwargs: Any) -> Any:
    return llamaindex.as_retriever(index, k=k, **search_kwargs)
