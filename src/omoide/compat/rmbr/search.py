"""rmbr.search: hits are omoide's own, with more fields; a filter is judged as omoide's handles do."""

from __future__ import annotations

from typing import Any

from omoide.model import where as filters
from omoide.types import Hit, Hits

__all__ = ["Hit", "Hits", "matches_where"]


def matches_where(metadata: dict[str, Any], where: dict[str, Any]) -> bool:
    return filters.matches(filters.parse(where), metadata)
