"""rmbr.chunk: the splitters are omoide's own."""

from __future__ import annotations

from typing import Any, Final

from omoide.compat.rmbr.door import resolve

_HOMES: Final = {
    "split_json": "omoide.text.chunkers:json",
    "split_markdown": "omoide.text.chunkers:markdown",
    "split_python": "omoide.text.chunkers:python",
    "split_rst": "omoide.text.chunkers:rst",
    "split_text": "omoide.text.chunkers:split_text",
}


def __getattr__(name: str) -> Any:
    return resolve(__name__, _HOMES, name)


def __dir__() -> list[str]:
    return sorted(_HOMES)
