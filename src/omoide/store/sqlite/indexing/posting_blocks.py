"""The bytes of a block of postings.

Little-endian: uint32 ``before``, up to 512 ascending uint32 ordinals, as many uint16 codes
(``omoide.search.bm25``). ``before`` counts the postings of the list's earlier blocks and is binding in the
list's last block only: that one is rewritten by every append anyway, and tells the length in one read.
"""

from __future__ import annotations

import struct
from itertools import pairwise
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from omoide.errors import DamagedStoreError
from omoide.search.bm25 import CODES

BLOCK: Final = 512
HEAD: Final = 4
WIDTH: Final = 6
FULL: Final = HEAD + WIDTH * BLOCK
LOW: Final = 0xFFFFFFFF
FULL_BLOCK: Final = np.dtype([("before", "<u4"), ("ords", "<u4", (BLOCK,)), ("codes", "<u2", (BLOCK,))])

_ONE: Final = struct.Struct("<IIH")
_BEFORE: Final = struct.Struct("<I")
_CODE: Final = struct.Struct("<H")
_START: Final = struct.Struct("<II")


class Block(NamedTuple):
    """A decoded block."""

    before: int
    ords: NDArray[np.uint32]
    codes: NDArray[np.uint16]


def encode_one(before: int, entry: int, code: int) -> bytes:
    """Return a block of one posting."""
    return _ONE.pack(before, entry, code)


def encode_arrays(before: int, ords: NDArray[np.uint32], codes: NDArray[np.uint16]) -> bytes:
    """Return a block of the given arrays."""
    return _BEFORE.pack(before) + ords.astype("<u4").tobytes() + codes.astype("<u2").tobytes()


def encode_many(
    ords: NDArray[np.uint32], codes: NDArray[np.uint16], before: NDArray[np.int64], starts: NDArray[np.int64],
    ends: NDArray[np.int64],
) -> list[bytes]:  # fmt: skip
    """Return the blocks of ``ords[start:end]`` and ``codes[start:end]``, for each start and end."""
    counts = ends - starts
    sizes = (HEAD + WIDTH * counts) // 2  # everything here is counted in units of two bytes
    bounds = np.concatenate([[0], sizes.cumsum()])
    heads = bounds[:-1]
    inside = np.arange(counts.sum()) - (counts.cumsum() - counts).repeat(counts)
    taken = starts.repeat(counts) + inside
    made = np.empty(bounds[-1], "<u2")
    made[heads], made[heads + 1] = before & 0xFFFF, before >> 16
    place = (heads + HEAD // 2).repeat(counts) + 2 * inside
    halves = ords.astype("<u4", copy=False).view("<u2").reshape(-1, 2)[taken]
    made[place], made[place + 1] = halves[:, 0], halves[:, 1]
    made[(heads + HEAD // 2 + 2 * counts).repeat(counts) + inside] = codes[taken]
    data, cuts = made.tobytes(), (2 * bounds).tolist()
    return [data[first:last] for first, last in pairwise(cuts)]


def with_posting(data: bytes, entry: int, code: int) -> bytes:
    """Return a block with a posting added at its end."""
    middle = HEAD + 4 * size(data)
    return b"".join((data[:middle], _BEFORE.pack(entry), data[middle:], _CODE.pack(code)))


def extended(data: bytes, ords: bytes, codes: bytes) -> bytes:
    """Return a block with the bytes of more ordinals and codes at its end."""
    middle = HEAD + 4 * size(data)
    return b"".join((data[:middle], ords, data[middle:], codes))


def with_before(data: bytes, before: int) -> bytes:
    """Return a block with another ``before``."""
    return _BEFORE.pack(before) + data[HEAD:]


def size(data: bytes) -> int:
    """Return how many postings a block holds; its length is not checked."""
    return (len(data) - HEAD) // WIDTH


def count(data: bytes) -> int:
    """Return how many postings a list has, told by its last block."""
    return int.from_bytes(data[:HEAD], "little") + size(data)


def last_ord(data: bytes) -> int:
    """Return the highest ordinal of a block."""
    middle = HEAD + 4 * size(data)
    return int.from_bytes(data[middle - 4 : middle], "little")


def require(key: int, data: object) -> None:
    """Raise ``DamagedStoreError`` unless a value is a block by its type and length."""
    if not (isinstance(data, bytes) and HEAD < len(data) <= FULL and (len(data) - HEAD) % WIDTH == 0):
        raise damaged(key, "is no block of postings")


def decode(key: int, data: bytes, ceiling: int) -> Block:
    """Return the parts of a block, whose bytes ``require`` has passed.

    Raises:
        DamagedStoreError: the first ordinal is not the key's, the last one is not below ``ceiling``, or more
            postings are said to come before than there are lower ordinals.
    """
    count = (len(data) - HEAD) // WIDTH
    before, first = _START.unpack_from(data)
    if first != key & LOW or last_ord(data) >= ceiling:
        raise damaged(key, f"does not hold ordinals from {key & LOW} up to {ceiling - 1}")
    if before > first:
        raise damaged(key, f"cannot follow {before} postings")
    ords = np.frombuffer(data, "<u4", count, HEAD)
    return Block(before, ords, np.frombuffer(data, "<u2", count, HEAD + 4 * count))


def verify(key: int, ords: NDArray[np.uint32], codes: NDArray[np.uint16], ceiling: int) -> None:
    """Raise ``DamagedStoreError`` unless the ordinals ascend below ``ceiling`` and the codes exist."""
    if not (ords[1:] > ords[:-1]).all() or int(ords[-1]) >= ceiling:
        raise damaged(key, f"does not hold ascending ordinals up to {ceiling - 1}")
    if int(codes.max()) >= CODES or int(codes.min()) < CODES >> 4:
        raise damaged(key, "holds codes that mean nothing")


def damaged(key: int, what: str) -> DamagedStoreError:
    """Return the error for a row of ``posting``."""
    return DamagedStoreError(
        f"row {key} of table posting (term {key >> 32}) {what}; rebuild() makes the index anew", value=key
    )
