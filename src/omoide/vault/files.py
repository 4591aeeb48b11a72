"""What is known of the files of a vault, and what is to be written to them."""

from __future__ import annotations

import hashlib
import os
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

MARKDOWN: Final = (".md", ".markdown")
"""Endings of the files that a vault looks at, lower case."""

NOT_NOTES: Final = frozenset(("node_modules", "bower_components", "__pycache__", "venv", "site-packages"))
"""Folders of installed programs, whose texts are nobody's notes."""

HIDDEN: Final = ".omoide"
"""The folder of what belongs to the truth but is not a note."""

INDEX: Final = ".index"
"""The folder of what can be thrown away."""

INDEX_NOTE: Final = "MEMORY.md"
"""The list for people and prompts at the top of a vault."""


@dataclass(frozen=True, slots=True)
class FileWrite:
    """One file to be written, moved or removed; paths are relative to the vault, with forward slashes.

    ``old_hash`` is that of the bytes that may be replaced, None where no file may be. ``new_bytes`` is None for a
    file that goes. With ``move_from``, the file at that path goes once this one is there. ``uid`` and ``version``
    are of the memory that the file says, ``old_version`` what it said before.
    """

    path: str
    old_hash: bytes | None
    new_bytes: bytes | None
    move_from: str | None = None
    uid: str | None = None
    version: int | None = None
    old_version: int | None = None

    @property
    def new_hash(self) -> bytes | None:
        """The hash of the bytes to be written, None for a file that goes."""
        return None if self.new_bytes is None else hash_of(self.new_bytes)


def hash_of(data: bytes) -> bytes:
    """Return 16 bytes that stand for the bytes of a file; BLAKE2b-128."""
    return hashlib.blake2b(data, digest_size=16).digest()


def spelled_alike(path: str, known: Iterable[str]) -> str:
    """Return the known path that is the same in another form of Unicode, the path itself where there is none."""
    wanted = unicodedata.normalize("NFC", path)
    alike = (each for each in known if not each.isascii() and unicodedata.normalize("NFC", each) == wanted)
    return next(alike, path)


def is_evicted(root: str, path: str) -> bool:
    """Say whether a cloud keeps a note elsewhere for the time being: it leaves a hidden file in its place."""
    folder, _, name = path.rpartition("/")
    return os.path.lexists(os.path.join(root, *folder.split("/"), f".{name}.icloud"))  # noqa: PTH118  # as in the sweep


def stat_of(state: os.stat_result) -> str:
    """Return what stands for the state of a file: size, time of change, identity.

    On Windows the listing of a folder does not tell the identity.
    """
    return f"{state.st_size}:{state.st_mtime_ns}:{0 if os.name == 'nt' else state.st_ino}"
