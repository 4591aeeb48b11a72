"""Tables and records: CSV and JSON lines, cut between records, never inside a quoted field."""

from __future__ import annotations

import re
from collections.abc import Iterator

from omoide.text.chunking.markdown import MAX_HEADING, lines_of
from omoide.text.chunking.pieces import Section
from omoide.text.chunking.room import Room


def split_csv(text: str, _room: Room) -> list[Section]:
    """Return the records as one section; its heading names the columns when the first record looks like names."""
    starts = list(_record_starts(text))
    header = text[: starts[1]] if len(starts) > 1 else ""
    return [Section(0, len(text), _columns(header), inner=tuple(starts[1:]), style="lines")]


def split_records(text: str, _room: Room) -> list[Section]:
    """Return the lines as one section, for JSON lines."""
    return [Section(0, len(text), inner=tuple(start for start, _, _ in lines_of(text))[1:], style="lines")]


def _record_starts(text: str) -> Iterator[int]:
    yield 0
    inside = False
    for match in re.finditer(r'"|\r\n?|\n', text):
        if match[0] == '"':
            inside = not inside
        elif not inside and match.end() < len(text):
            yield match.end()


def _columns(header: str) -> tuple[str, ...]:
    if not header.strip() or len(header) > 20 * MAX_HEADING:
        return ()
    separator = max("\t;|,", key=header.count)
    names = [name.strip().strip('"').strip() for name in header.split(separator)]
    if len(names) < 2 or any(not name or re.fullmatch(r"[-+\d.,%€$ ]+", name) for name in names):
        return ()
    return (", ".join(names)[:MAX_HEADING],)
