"""Files to text: `read_document` for any file, `extract_pdf` and `extract_docx` for plain strings."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from omoide.errors import ExtractError
from omoide.text.chunking.kinds import kind_of
from omoide.text.chunking.languages import LANGUAGES
from omoide.text.chunking.syntax import has_grammar, opens_too_much
from omoide.text.extracting.encoding import decode
from omoide.text.extracting.found import MAX_BYTES, MAX_SECONDS, Extracted
from omoide.text.extracting.html_page import read_html
from omoide.text.extracting.notebook import read_notebook
from omoide.text.extracting.packed import read_packed
from omoide.text.extracting.sniff import packed_kind

__all__ = ["MAX_BYTES", "MAX_SECONDS", "Extracted", "extract_docx", "extract_pdf", "read_document"]


def read_document(
    path: str | os.PathLike[str],
    *,
    encoding: str | None = None,
    max_bytes: int = MAX_BYTES,
    max_seconds: float = MAX_SECONDS,
) -> Extracted:
    """Return the text of a file; content decides what it is, the suffix how a text is cut.

    Raises `ExtractError`, whose ``reason`` is one of: binary, damaged, empty, encoding, encrypted, extra_missing,
    no_access, not_a_file, too_big, too_slow, unsupported.
    """
    file = Path(path)
    data = _bytes(file, max_bytes)
    kind = packed_kind(data, file.suffix.lower())
    if kind is not None:
        return read_packed(kind, file, data, max_seconds)
    decoded = decode(data, encoding)
    if not decoded.text.strip():
        raise ExtractError(f"{file} holds no text", reason="empty")
    found = _text(decoded.text, file)
    notes = (*decoded.notes, *found.notes)
    return Extracted(found.text, found.splitter, found.title, None, decoded.encoding, found.metadata, notes)


def extract_pdf(path: str | os.PathLike[str]) -> str:
    """Return the text of a PDF, pages apart by a blank line; without ``omoide[pdf]`` an `ImportError` names it."""
    return _packed(path, "pdf").text


def extract_docx(path: str | os.PathLike[str]) -> str:
    """Return the text of a DOCX: paragraphs, tables row by row, notes and comments."""
    return _packed(path, "docx").text


def _packed(path: str | os.PathLike[str], kind: str) -> Extracted:
    file = Path(path)
    try:
        return read_packed(kind, file, _bytes(file, MAX_BYTES), MAX_SECONDS)
    except ExtractError as error:
        if error.reason == "extra_missing":
            raise ImportError(error.message) from None
        raise


def _bytes(file: Path, max_bytes: int) -> bytes:
    try:
        # Opening a pipe would wait for a writer.
        state = file.stat()
        if not stat.S_ISREG(state.st_mode):
            raise ExtractError(f"{file} is not a file", reason="not_a_file", value=str(file))
        with file.open("rb") as stream:
            data = stream.read(max_bytes + 1)
    except OSError as error:
        raise ExtractError(f"{file} cannot be read: {error.strerror}", reason="no_access", value=str(file)) from error
    if len(data) > max_bytes:
        message = f"{file} is larger than {max_bytes:,} bytes: raise max_bytes to read it"
        raise ExtractError(message, reason="too_big", value=str(file))
    if not data:
        raise ExtractError(f"{file} is empty", reason="empty", value=str(file))
    return data


def _text(text: str, file: Path) -> Extracted:
    kind = kind_of(text, "auto", file.name)
    if kind == "html":
        return _html(text, file)
    if kind == "notebook":
        return read_notebook(text)
    if kind in LANGUAGES and not has_grammar(kind):
        note = f"cut at blank lines: install omoide[code] to cut {kind} by its syntax"
        return Extracted(text, "lines", notes=(note,))
    if kind in LANGUAGES and opens_too_much(text):
        return Extracted(text, "lines", notes=(f"cut at blank lines: it opens more brackets at once than {kind} has",))
    return Extracted(text, kind)


def _html(text: str, file: Path) -> Extracted:
    found = read_html(text)
    if not found.text.strip():
        raise ExtractError(f"{file} has no readable text", reason="empty", value=str(file))
    return found
