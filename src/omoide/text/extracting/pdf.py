"""PDF by PDFium in a process of its own, so that a hostile file can neither hang nor fill nor end this one."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from omoide.errors import ExtractError
from omoide.text.extracting.found import Extracted

_WORKER = "omoide.text.extracting.pdf_worker"
_MESSAGES = {
    "encrypted": "needs a password: save a copy without one",
    "damaged": "is damaged: no PDF reader can be sure of its text",
    "too_big": "needs more memory than a document may take",
    "extra_missing": "needs the PDF reader: pip install 'omoide[pdf]'",
}
_HYPHEN = re.compile("[\ufffe\uffff\x02]\\s*")
_NO_TITLES = frozenset({"(anonymous)", "(unspecified)", "untitled", "anonymous"})
_JUNK = re.compile("[\x00-\x08\x0b\x0e-\x1f\x7f]")


def read_pdf(file: Path, max_seconds: float) -> Extracted:
    """Return the text of a PDF with the positions where pages begin.

    Raises `ExtractError`: encrypted, damaged, empty (scanned pages have no text), too_slow, too_big, extra_missing.
    """
    if find_spec("pypdfium2") is None:
        raise _refusal(file, "extra_missing")
    found = _ask(file, max_seconds)
    if "reason" in found:
        raise _refusal(file, found["reason"])
    text, starts = _joined(found["pages"])
    if not text.strip():
        message = f"{file} has pages but no text: scanned pages have to be recognised first"
        raise ExtractError(message, reason="empty", value=str(file))
    title = " ".join(_JUNK.sub("", found["title"]).split())
    known = title if title.lower() not in {"", *_NO_TITLES} else None
    return Extracted(text, "text", known, starts, metadata={"pages": len(starts)}, notes=tuple(found["notes"]))


def _ask(file: Path, max_seconds: float) -> dict[str, Any]:
    command = [sys.executable, "-P", "-m", _WORKER, str(file.absolute()), str(max_seconds)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path)), "PYTHONIOENCODING": "utf-8"}
    try:
        done = subprocess.run(  # noqa: S603 - this interpreter, our own module, the path as an argument
            command, capture_output=True, timeout=max_seconds, env=environment, check=False, stdin=subprocess.DEVNULL
        )
    except subprocess.TimeoutExpired:
        message = f"{file} took longer than {max_seconds:g} s: raise max_seconds to read it"
        raise ExtractError(message, reason="too_slow", value=str(file)) from None
    try:
        answer: dict[str, Any] = json.loads(done.stdout)
    except ValueError:
        raise _refusal(file, "damaged") from None
    return answer


def _refusal(file: Path, reason: str) -> ExtractError:
    return ExtractError(f"{file} {_MESSAGES[reason]}", reason=reason, value=str(file))


def _joined(pages: list[str]) -> tuple[str, tuple[int, ...]]:
    """Return the pages apart by a blank line, and where each begins."""
    parts: list[str] = []
    starts: list[int] = []
    at = 0
    for page in pages:
        starts.append(at)
        part = _clean(page) + "\n\n"
        parts.append(part)
        at += len(part)
    return "".join(parts), tuple(starts)


def _clean(page: str) -> str:
    # PDFium marks a word broken at a line end with one of these instead of the hyphen.
    page = _HYPHEN.sub("", page.replace("\r\n", "\n").replace("\r", "\n"))
    return _JUNK.sub("", page).strip("\n")
