"""rmbr.search: hits are omoide's own, with more fields."""

from __future__ import annotations

from omoide.types import Hit, Hits

__all__ = ["Hit", "Hits"]
