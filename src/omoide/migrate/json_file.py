"""Documents and lines of JSON of other systems, one item in memory at a time."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from omoide.errors import InvalidInputError
from omoide.transcripts.elements import array_start, elements_of
from omoide.transcripts.jsonl import decoded
from omoide.types.reports import LeftOut


def items_of(path: Path, *names: str) -> Iterator[dict[str, Any] | LeftOut]:
    """Yield the objects of the list that a document is or holds under one of ``names``.

    Raises:
        InvalidInputError: it holds no such list.
    """
    found = (array_start(path, name) for name in (None, *names))
    start = next((place for place in found if place is not None), None)
    if start is None:
        raise InvalidInputError(f"{path} holds no list called {' or '.join(names) or 'anything'}", value=str(path))
    for number, element in enumerate(elements_of(path, start), 1):
        value = decoded(element.raw)
        yield LeftOut(f"item {number}", value) if isinstance(value, str) else value


def lines_of(path: Path) -> Iterator[tuple[int, dict[str, Any] | LeftOut]]:
    """Yield (number, object) of the lines of a file that hold something; a damaged line stops nothing."""
    with path.open("rb") as file:
        for number, data in enumerate(file, 1):
            if data.strip(b"\xef\xbb\xbf \t\r\n"):
                value = decoded(data.removeprefix(b"\xef\xbb\xbf"))
                yield number, LeftOut(f"line {number}", value) if isinstance(value, str) else value


def document(path: Path) -> Any:
    """Return a small document whole.

    Raises:
        InvalidInputError: it is no JSON.
    """
    try:
        return json.loads(path.read_text(encoding="utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise InvalidInputError(f"{path} is no JSON: {error}", value=str(path)) from error
