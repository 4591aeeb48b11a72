"""The conversations inside an exported ZIP, seen as one stream of bytes."""

from __future__ import annotations

import io
import re
from collections.abc import Iterable
from pathlib import Path
from typing import BinaryIO, cast
from zipfile import ZipFile, ZipInfo

ZIP = b"PK\x03\x04"
_CONVERSATIONS = re.compile(r"(?:.*/)?conversations(?:-\d+)?\.json")


def is_zip(path: Path) -> bool:
    """Tell whether a file is a ZIP, by its first bytes."""
    with path.open("rb") as file:
        return file.read(len(ZIP)) == ZIP


def conversation_members(names: Iterable[str]) -> list[str]:
    """Return the members that hold conversations, in their order."""
    return sorted(name for name in names if _CONVERSATIONS.fullmatch(name))


def exported(path: Path) -> BinaryIO:
    """Return the conversations of an export, its members one after the other; close it after use."""
    return cast("BinaryIO", io.BufferedReader(_Members(path)))


class _Members(io.RawIOBase):
    """Members of a ZIP as one seekable file; going back costs decompressing anew."""

    def __init__(self, path: Path) -> None:
        self._zip = ZipFile(path)
        self._infos = [self._zip.getinfo(name) for name in conversation_members(self._zip.namelist())]
        self._place = 0
        self._open: tuple[ZipInfo, int, BinaryIO] | None = None

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._place

    def seek(self, place: int, whence: int = io.SEEK_SET, /) -> int:
        self._place = place if whence == io.SEEK_SET else self._place + place
        return self._place

    def readinto(self, buffer: memoryview, /) -> int:  # type: ignore[override]
        base = 0
        for info in self._infos:
            if self._place < base + info.file_size:
                return self._fill(buffer, info, base)
            base += info.file_size
        return 0

    def _fill(self, buffer: memoryview, info: ZipInfo, base: int) -> int:
        if self._open is None or self._open[0] is not info or self._open[1] > self._place:
            self._open = (info, base, cast("BinaryIO", self._zip.open(info)))
        member = self._open[2]
        member.seek(self._place - base)
        chunk = member.read(len(buffer))
        buffer[: len(chunk)] = chunk
        self._place += len(chunk)
        return len(chunk)

    def close(self) -> None:
        self._zip.close()
        super().close()
