"""What all formats of one JSON object a line share: decoding, broken lines, the cut last line."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from omoide.transcripts.lines import BOM, Line, lines_of
from omoide.transcripts.values import Position, Reading, Record, place

JsonDict = dict[str, Any]
Understand = Callable[[JsonDict], Reading]

HEAD_BYTES = 1 << 20


def decoded(raw: bytes) -> JsonDict | str:
    """Return the object that a line holds, or why it holds none."""
    text = raw.removeprefix(BOM).decode("utf-8", "replace")
    try:
        value = json.loads(text)
    except RecursionError:
        return "nested too deeply"
    except ValueError as error:
        return f"not JSON: {error}"
    return value if isinstance(value, dict) else f"a JSON {type(value).__name__}, not an object"


def read_jsonl(path: Path, start: Position, understand: Understand) -> Iterator[Record]:
    """Yield one record a line; a last line without newline that does not parse is left for the next time."""
    with path.open("rb") as file:
        for line in lines_of(file, start.offset):
            if not line.raw.strip():
                yield place(Reading("raw", "blank"), line.raw, line.start, line.end)
                continue
            value = decoded(line.raw)
            if isinstance(value, str) and not line.closed:
                return
            yield _record(line, value, understand)


def _record(line: Line, value: JsonDict | str, understand: Understand) -> Record:
    reading = Reading("broken", "broken", note=value) if isinstance(value, str) else understand(value)
    return place(reading, line.raw, line.start, line.end)


def head_objects(path: Path, limit: int = HEAD_BYTES) -> Iterator[JsonDict]:
    """Yield the objects among the first lines, up to about ``limit`` bytes."""
    with path.open("rb") as file:
        for line in lines_of(file):
            value = decoded(line.raw)
            if isinstance(value, dict):
                yield value
            if line.end > limit:
                return
