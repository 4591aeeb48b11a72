"""Files of one JSON object a line that several processes append to."""

from __future__ import annotations

import json
import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

MOST_READ = 1 << 20
"""Bytes at the end of a file that are looked at."""
FIRST = 4_096
"""Bytes at its beginning that are looked at too: they say what the file is about."""


def append(path: str, line: dict[str, Any]) -> None:
    """Add a line in one write; a line that somebody left half written stays apart from it."""
    raw = b"\n" + json.dumps(line, ensure_ascii=True, separators=(",", ":")).encode("ascii") + b"\n"
    handle = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o600)
    try:
        os.write(handle, raw)
    finally:
        os.close(handle)


def read(path: str, most: int = MOST_READ) -> list[dict[str, Any]]:
    """Return the objects of the last ``most`` bytes, and those of the first bytes, oldest first.

    What does not parse is left out.
    """
    try:
        with open(path, "rb") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(0)
            raw = file.read(FIRST) + b"\n" if size > most + FIRST else b""
            file.seek(max(0, size - most) if raw else 0)
            raw += file.read(most + FIRST)
    except OSError:
        return []
    return [value for line in raw.split(b"\n") if (value := _value(line)) is not None]


def shorten(path: str, most: int) -> None:
    """Cut a file that grew over ``most`` bytes to its last half of them."""
    try:
        if os.path.getsize(path) <= most:
            return
    except OSError:
        return
    kept = read(path, most // 2)
    write(path, "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in kept))


def write(path: str, text: str, *, durable: bool = False) -> None:
    """Put a whole file in the place of another at once; ``durable``: it is on disk when this returns."""
    draft = f"{path}.{os.getpid()}.part"
    try:
        with open(draft, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
            if durable:
                file.flush()
                os.fsync(file.fileno())
        os.replace(draft, path)
    except OSError:
        drop(draft)
        raise


def drop(path: str) -> None:
    """Remove a file if it is there."""
    try:
        os.unlink(path)
    except OSError:
        return


def load(path: str) -> dict[str, Any]:
    """Return the object that a file holds; an empty one when there is none."""
    try:
        with open(path, "rb") as file:
            value = json.loads(file.read(MOST_READ))
    except (OSError, ValueError):
        return {}
    return value if isinstance(value, dict) else {}


def _value(line: bytes) -> dict[str, Any] | None:
    if not line.strip():
        return None
    try:
        value = json.loads(line)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None
