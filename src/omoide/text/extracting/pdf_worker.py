"""The process that reads one PDF: limits itself, writes the result as JSON to standard output.

Run as ``python -m omoide.text.extracting.pdf_worker PATH SECONDS``.
"""

from __future__ import annotations

import json
import sys
from contextlib import suppress
from importlib import import_module
from typing import Any

from omoide.text.extracting.found import MAX_TEXT

MAX_MEMORY = 2_000_000_000
MAX_PAGES = 20_000


def main(path: str, seconds: float) -> None:
    """Read the file at ``path`` and print what was found, or why nothing was."""
    _limit(seconds)
    try:
        pdfium: Any = import_module("pypdfium2")
    except ImportError:
        _answer({"reason": "extra_missing"})
        return
    try:
        _answer(_read(pdfium, path))
    except pdfium.PdfiumError as error:
        reason = "encrypted" if "password" in str(error).lower() else "damaged"
        _answer({"reason": reason, "message": str(error)})
    except MemoryError:
        _answer({"reason": "too_big"})


def _limit(seconds: float) -> None:
    """Bound memory and processor time where the system can."""
    with suppress(ImportError):
        resource = import_module("resource")
        for name, most in (("RLIMIT_AS", MAX_MEMORY), ("RLIMIT_CPU", int(seconds) + 1), ("RLIMIT_CORE", 0)):
            kind = getattr(resource, name, None)
            if kind is not None:
                with suppress(ValueError, OSError):
                    resource.setrlimit(kind, (most, resource.getrlimit(kind)[1]))


def _read(pdfium: Any, path: str) -> dict[str, Any]:
    document = pdfium.PdfDocument(path)
    pages: list[str] = []
    notes: list[str] = []
    length = 0
    for number in range(min(len(document), MAX_PAGES)):
        try:
            pages.append(_page(document, number))
        except pdfium.PdfiumError:
            pages.append("")
            notes.append(f"page {number + 1} cannot be read")
        length += len(pages[-1])
        if length > MAX_TEXT:
            notes.append(f"text was cut after page {number + 1}")
            break
    if len(document) > MAX_PAGES:
        notes.append(f"only the first {MAX_PAGES} pages were read")
    return {"pages": pages, "title": _title(pdfium, document), "notes": notes[:20]}


def _page(document: Any, number: int) -> str:
    page = document[number]
    try:
        text = page.get_textpage()
        try:
            return str(text.get_text_range(errors="replace"))
        finally:
            text.close()
    finally:
        page.close()


def _title(pdfium: Any, document: Any) -> str:
    with suppress(pdfium.PdfiumError):
        return str(document.get_metadata_value("Title"))
    return ""


def _answer(found: dict[str, Any]) -> None:
    sys.stdout.buffer.write(json.dumps(found).encode())
    sys.stdout.buffer.flush()


if __name__ == "__main__":
    main(sys.argv[1], float(sys.argv[2]))
