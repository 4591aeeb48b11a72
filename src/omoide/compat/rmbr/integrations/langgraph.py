"""rmbr.integrations.langgraph: the store is omoide's own; ``index`` and ``ttl`` work, and items keep their ids."""

from __future__ import annotations

import os
from typing import Any

from omoide.integrations import langgraph
from omoide.model.policy import Policy

__all__ = ["as_store"]


def as_store(
    path: str | os.PathLike[str], *, policy: Policy | None = None, embedder: Any = None, namespace_separator: str = ".",
    **options: Any,
) -> Any:  # fmt: skip
    return langgraph.as_store(
        path, policy=policy, embedder=embedder, namespace_separator=namespace_separator, **options
    )
