"""The form in which a coded part is kept in the store, so that opening it need not code it again.

A header, the ordinals of its slots, the codes. The header tells a part of another model, of other vectors or
of another version, and damage; such a part is coded anew.
"""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass
from typing import Final

import numpy as np

from omoide.search.half import Half
from omoide.search.vectors_slots import Ords

_HEADER: Final = struct.Struct("<4sHHIIII")  # magic, version, codec, dimension, slots, mark, checksum
_MAGIC: Final = b"omop"
_VERSION: Final = 1


@dataclass(frozen=True, slots=True)
class Saved:
    """A part as it was saved; ``mark`` stands for the vectors it was made from."""

    codec: int
    dimension: int
    mark: int
    ords: Ords
    codes: bytes


def mark(vectors: Half) -> int:
    """Return a number that stands for some vectors."""
    return zlib.crc32(np.ascontiguousarray(vectors).tobytes())


def pack(part: Saved) -> bytes:
    """Return the bytes to keep."""
    body = part.ords.astype("<u4").tobytes() + part.codes
    sizes = (part.codec, part.dimension, len(part.ords), part.mark)
    return _HEADER.pack(_MAGIC, _VERSION, *sizes, zlib.adler32(body)) + body


def unpack(data: bytes) -> Saved | None:
    """Return the part that ``pack`` was given, or None when the bytes are not sound."""
    if len(data) < _HEADER.size:
        return None
    magic, version, codec, dimension, slots, vectors, checksum = _HEADER.unpack_from(data)
    body = memoryview(data)[_HEADER.size :]
    if magic != _MAGIC or version != _VERSION or len(body) < 4 * slots or zlib.adler32(body) != checksum:
        return None
    ords = np.frombuffer(body[: 4 * slots], "<u4").astype(np.uint32)
    return Saved(codec, dimension, vectors, ords, bytes(body[4 * slots :]))
