"""rmbr.extract: the extractors are omoide's own."""

from __future__ import annotations

from typing import Any, Final

from omoide.compat.rmbr.door import resolve

_HOMES: Final = {
    "extract_docx": "omoide.text.extract:extract_docx",
    "extract_pdf": "omoide.text.extract:extract_pdf",
}


def __getattr__(name: str) -> Any:
    return resolve(__name__, _HOMES, name)


def __dir__() -> list[str]:
    return sorted(_HOMES)
