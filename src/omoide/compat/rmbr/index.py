"""rmbr.index: the index of documents is omoide's own."""

from __future__ import annotations

from typing import Any, Final

from omoide.compat.rmbr.door import resolve

_HOMES: Final = {
    "Index": "omoide.index:Index",
}


def __getattr__(name: str) -> Any:
    return resolve(__name__, _HOMES, name)


def __dir__() -> list[str]:
    return sorted(_HOMES)
