"""OpenCode's files: `session/<project>/<session>.json` beside `message/<session>/` and `part/<message>/`.

The session's file stands for all of them; a position counts messages.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from omoide.transcripts.jsonl import JsonDict, decoded
from omoide.transcripts.opencode_parts import HOST, session_of, understand
from omoide.transcripts.sniff import Sample
from omoide.transcripts.values import START, Position, Reading, Record, Session, digest_of, place

__all__ = ["HOST", "read", "recognises", "resume", "sessions"]


def recognises(sample: Sample) -> bool:
    """Tell whether a file is a session's."""
    if not (sample.is_json and sample.whole):
        return False
    value = decoded(sample.head)
    return (
        isinstance(value, dict)
        and str(value.get("id")).startswith("ses")
        and bool({"directory", "projectID"} & value.keys())
    )


def read(path: Path, start: Position) -> Iterator[Record]:
    """Yield a record for every message after ``start``, in the order of their ids, which is that of time."""
    for number, file in enumerate(_messages(path)):
        if number >= start.offset:
            raw = _raw(path, file)
            yield place(_reading(raw), raw, number, number + 1)


def _messages(path: Path) -> list[Path]:
    return sorted((_storage(path) / "message" / path.stem).glob("*.json"))


def _storage(path: Path) -> Path:
    """Return the folder that holds `session`, `message` and `part`."""
    return next((folder.parent for folder in path.parents if folder.name == "session"), path.parent)


def _raw(path: Path, message: Path) -> bytes:
    """Return a message and its parts, one a line, as they are in their files."""
    parts = sorted((_storage(path) / "part" / message.stem).glob("*.json"))
    return b"\n".join(_one_line(file.read_bytes()) for file in (message, *parts))


def _one_line(raw: bytes) -> bytes:
    """Return a JSON document without line breaks, which in JSON stand between values only."""
    return b" ".join(line.strip() for line in raw.splitlines())


def _reading(raw: bytes) -> Reading:
    values = [decoded(line) for line in raw.split(b"\n")]
    message, parts = values[0], [value for value in values[1:] if isinstance(value, dict)]
    if isinstance(message, str):
        return Reading("broken", "broken", note=message)
    broken = len(values) - 1 - len(parts)
    reading = understand(message, parts)
    return reading if not broken else Reading("broken", "broken", reading.role, reading.text, reading.at, reading.key)


def resume(path: Path, since: Position | None) -> Position:
    """Return where to go on; a last message that changed is read again, one that is gone means all anew."""
    if since is None or not since.offset:
        return START
    found = _messages(path)
    if since.last >= len(found):
        return START
    unchanged = digest_of(_raw(path, found[since.last])) == since.digest
    return since if unchanged else Position(since.last, since.last)


def sessions(path: Path) -> Iterator[Session]:
    """Yield the session of a file."""
    value: JsonDict | str = decoded(path.read_bytes())
    if isinstance(value, dict):
        yield session_of(value)
