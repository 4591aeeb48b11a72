"""What programs that use omoide need in their own tests: a clock to set, an embedder without a model."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from omoide.testing.clock import FakeClock
    from omoide.testing.counting import Work, count_statements
    from omoide.testing.embedder import FakeEmbedder

__all__ = ["FakeClock", "FakeEmbedder", "Work", "count_statements"]

_HOMES = {
    "FakeClock": "omoide.testing.clock",
    "FakeEmbedder": "omoide.testing.embedder",
    "Work": "omoide.testing.counting",
    "count_statements": "omoide.testing.counting",
}


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'omoide.testing' has no attribute {name!r}")
    return getattr(import_module(home), name)


def __dir__() -> list[str]:
    return sorted(__all__)
