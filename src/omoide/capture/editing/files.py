"""Files of others read and replaced whole: same encoding, same mark, same rights, links followed."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Final
from uuid import uuid4

from omoide.errors import ConfigurationError

BOM: Final = "\ufeff"


def content_of(path: Path) -> bytes | None:
    """Return what a file holds, None when there is none."""
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None


def decoded(content: bytes | None) -> tuple[str, str]:
    """Return the byte order mark ("" for none) and the text of a file.

    Raises:
        ConfigurationError: it is not UTF-8; the message has the line.
    """
    try:
        text = (content or b"").decode("utf-8")
    except UnicodeDecodeError as error:
        line = (content or b"").count(b"\n", 0, error.start) + 1
        raise ConfigurationError(f"line {line}: not UTF-8; save the file as UTF-8 first") from error
    return (BOM, text[1:]) if text.startswith(BOM) else ("", text)


def digest(content: bytes | None) -> str | None:
    """Return what a content is recognised by, None for no file."""
    return None if content is None else hashlib.sha256(content).hexdigest()


def replace(path: Path, content: bytes) -> list[Path]:
    """Write a file whole, beside its name first; return the folders that had to be made.

    A symbolic link stays one: what it points at is replaced. A file keeps its rights, a new one is private.
    """
    target = path.resolve() if path.is_symlink() else path
    made = _folders(target.parent)
    draft = target.with_name(f".{target.name}.{uuid4().hex[:8]}")
    try:
        mode = target.stat().st_mode & 0o777
    except OSError:
        mode = 0o600
    try:
        with draft.open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        draft.chmod(mode)
        os.replace(draft, target)
    finally:
        draft.unlink(missing_ok=True)
    return made


def _folders(folder: Path) -> list[Path]:
    missing = [place for place in (folder, *folder.parents) if not place.exists()]
    folder.mkdir(parents=True, exist_ok=True)
    return missing


def drop_folders(folders: Iterable[Path]) -> None:
    """Remove those of the folders that are empty, the deepest first."""
    for folder in sorted(folders, key=lambda place: len(place.parts), reverse=True):
        with suppress(OSError):  # something of others is in it
            folder.rmdir()
