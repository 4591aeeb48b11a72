"""Jupyter notebooks of every version as Markdown: text cells as they are, code and bounded outputs in fences."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from omoide.errors import ExtractError
from omoide.text.extracting.found import Extracted

MAX_OUTPUT = 2_000
"""Characters kept of the outputs of one cell."""

_ESCAPES = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]")


def read_notebook(text: str) -> Extracted:
    """Return a notebook as Markdown; what does not follow the format is read as far as it can be.

    Raises `ExtractError` with reason "damaged" for what is no notebook and "empty" for one without content.
    """
    try:
        book = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ExtractError(f"not a notebook: {error}", reason="damaged") from None
    if not isinstance(book, dict) or not {"cells", "worksheets", "nbformat"} & book.keys():
        raise ExtractError("not a notebook: it has neither cells nor worksheets", reason="damaged")
    language = _language(book)
    notes: list[str] = []
    parts = [part for cell in _cells(book, notes) if (part := _cell(cell, language, notes))]
    if not parts:
        raise ExtractError("a notebook without content", reason="empty")
    metadata = {"nbformat": book.get("nbformat"), "language": language}
    return Extracted(
        "\n\n".join(parts) + "\n", "markdown", _title(book), metadata=metadata, notes=tuple(dict.fromkeys(notes))
    )


def _cells(book: dict[str, Any], notes: list[str]) -> Iterator[dict[str, Any]]:
    sheets = book.get("worksheets")
    groups = [book.get("cells")] + [sheet.get("cells") for sheet in _dicts(sheets)]
    for group in groups:
        if group is not None and not isinstance(group, list):
            notes.append("cells that are no list were left out")
            continue
        for cell in group or []:
            if isinstance(cell, dict):
                yield cell
            else:
                notes.append("a cell that is no object was left out")


def _cell(cell: dict[str, Any], language: str, notes: list[str]) -> str:
    kind = cell.get("cell_type")
    source = _text(cell.get("source", cell.get("input")))
    if kind == "code":
        name = cell.get("language") if isinstance(cell.get("language"), str) else language
        fences = [_fence(source.rstrip("\n"), name or "")] if source.strip() else []
        if output := _outputs(cell, notes):
            fences.append(_fence(output, "text"))
        return "\n\n".join(fences)
    if kind == "heading":
        level = cell.get("level")
        return f"{'#' * (level if isinstance(level, int) and 1 <= level <= 6 else 1)} {' '.join(source.split())}"
    if kind not in {"markdown", "raw"}:
        notes.append("a cell of unknown type was read as text")
    return source.strip("\n")


def _outputs(cell: dict[str, Any], notes: list[str]) -> str:
    texts: list[str] = []
    for output in _dicts(cell.get("outputs")):
        bundle = output.get("data")
        data = bundle if isinstance(bundle, dict) else output
        if output.get("output_type") in {"error", "pyerr"}:
            texts.append(f"{_text(output.get('ename'))}: {_text(output.get('evalue'))}")
        else:
            texts.append(_text(data.get("text/plain", output.get("text"))) or _text(data.get("text/markdown")))
    whole = _ESCAPES.sub("", "\n".join(filter(None, (text.strip("\n") for text in texts))))
    if len(whole) > MAX_OUTPUT:
        notes.append(f"outputs were cut at {MAX_OUTPUT} characters")
        return whole[:MAX_OUTPUT].rsplit("\n", 1)[0] + "\n…"
    return whole


def _fence(text: str, language: str) -> str:
    longest = max((len(run) for run in re.findall(r"`{3,}", text)), default=2)
    marks = "`" * (longest + 1)
    return f"{marks}{language}\n{text}\n{marks}"


def _text(value: object) -> str:
    if isinstance(value, list):
        return "".join(part for part in value if isinstance(part, str))
    return value if isinstance(value, str) else ""


def _dicts(value: object) -> list[dict[str, Any]]:
    return [part for part in value if isinstance(part, dict)] if isinstance(value, list) else []


def _language(book: dict[str, Any]) -> str:
    metadata = book.get("metadata")
    for key in ("language_info", "kernelspec"):
        entry = metadata.get(key) if isinstance(metadata, dict) else None
        name = entry.get("name" if key == "language_info" else "language") if isinstance(entry, dict) else None
        if isinstance(name, str) and re.fullmatch(r"[\w+#.-]{1,30}", name):
            return name
    return "python"


def _title(book: dict[str, Any]) -> str | None:
    metadata = book.get("metadata")
    title = metadata.get("title", metadata.get("name")) if isinstance(metadata, dict) else None
    return title.strip() or None if isinstance(title, str) else None
