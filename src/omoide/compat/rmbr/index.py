"""rmbr.index: the index of documents is omoide's own; ``stats`` tells times as ISO 8601 text."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from omoide import index
from omoide.types import Hit, Hits, IngestResult

__all__ = ["Hit", "Hits", "Index", "IngestResult"]


class Index(index.Index):
    """rmbr's ``Index(path, namespace="default")``; further options of ``omoide.Index`` are passed on."""

    def stats(self, namespaces: str | Sequence[str] | None = None) -> dict[str, dict[str, Any]]:
        found = super().stats(namespaces)
        return {name: {key: _plain(value) for key, value in row.items()} for name, row in found.items()}


def _plain(value: Any) -> Any:
    return value.isoformat(timespec="microseconds") if isinstance(value, datetime) else value
