"""The records of a CSV file, one at a time; one that is damaged costs its own line, not those after it."""

from __future__ import annotations

import csv
from collections import deque
from collections.abc import Iterable, Iterator
from typing import Final

_Line = tuple[int, str]
_CUT: Final = "unexpected end of data"
UNCLOSED: Final = "a quote is opened and not closed"


def records(lines: Iterable[str], delimiter: str) -> Iterator[tuple[int, list[str] | str]]:
    """Yield the cells of each record with the number of its last line; a text is the reason why a line is none.

    A quote that swallows the lines after it and is then not closed as quotes are makes its own line damaged.
    """
    source = enumerate(lines, 1)
    waiting: deque[_Line] = deque()
    while True:
        taken: list[_Line] = []
        try:
            cells = next(csv.reader(_fed(waiting, source, taken), delimiter=delimiter))
            wrong = _complaint([line for _, line in taken], delimiter)
        except StopIteration:
            return
        except csv.Error as error:
            cells, wrong = [], str(error)
        if wrong:
            waiting.extendleft(reversed(taken[1:]))
            yield taken[0][0], wrong
        elif cells:
            yield taken[-1][0], cells


def _fed(waiting: deque[_Line], source: Iterator[_Line], taken: list[_Line]) -> Iterator[str]:
    while True:
        found = waiting.popleft() if waiting else next(source, None)
        if found is None:
            return
        taken.append(found)
        yield found[1]


def _complaint(lines: list[str], delimiter: str) -> str | None:
    """Say what is wrong with quotes: on one line that they do not end, over several whatever is not as it should."""
    if '"' not in lines[0]:
        return None
    try:
        next(csv.reader(iter(lines), delimiter=delimiter, strict=True))
    except csv.Error as error:
        return UNCLOSED if len(lines) > 1 or str(error) == _CUT else None
    return None
