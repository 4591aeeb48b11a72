"""Reads the weights file of the carrier package.

Layout, little endian: ``E5S1``, version; hidden size, layers, heads, inner size, rows, positions, token
types; epsilon; block size; then the pieces (count, four special ids, byte length, offsets, scores,
bytes), a normalisation table, and a directory of tensors (name, type, count, offset, length). A tensor of
type 0 is float32; type 1 is blocks of 32 weights: a float16 scale and 16 bytes, whose low nibbles are the
weights 0 to 15 and whose high nibbles the weights 16 to 31; weight = (nibble - 8) x scale.
"""

from __future__ import annotations

import struct
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]

HEADER = struct.Struct("<4sI7ifi")
PIECES = struct.Struct("<5iQ")
BLOCK = np.dtype([("scale", "<f2"), ("nibbles", "u1", 16)])
BLOCK_SIZE = 32


class FormatError(ValueError):
    """The file is not the one this reader was written for."""


class Sizes(NamedTuple):
    """The shape of the model."""

    hidden: int
    layers: int
    heads: int
    inner: int
    rows: int
    positions: int
    token_types: int


class Carrier:
    """The tensors and the vocabulary of one weights file, read on demand from its bytes."""

    def __init__(self, data: bytes) -> None:
        magic, version, *sizes, self.epsilon, block = HEADER.unpack_from(data)
        if (magic, version, block) != (b"E5S1", 1, BLOCK_SIZE):
            raise FormatError(f"unknown weights format {magic!r} {version} {block}")
        self.sizes = Sizes(*sizes)
        self._data = data
        at = self._read_pieces(HEADER.size)
        self._tensors = dict(self._directory(at))

    def floats(self, name: str) -> Floats:
        """Return a tensor of type float32, flat."""
        count, offset = self._tensors[name]
        return np.frombuffer(self._data, "<f4", count, offset)

    def scales(self, name: str) -> npt.NDArray[np.float16]:
        """Return one scale per block of a 4-bit tensor, flat."""
        scales: npt.NDArray[np.float16] = self._blocks(name)["scale"]
        return scales

    def nibbles(self, name: str) -> npt.NDArray[np.uint8]:
        """Return the weights of a 4-bit tensor, not yet shifted by 8 and scaled, (blocks, 32)."""
        packed = self._blocks(name)["nibbles"]
        return np.concatenate([packed & 15, packed >> 4], axis=1)

    def matrix(self, name: str, rows: int, columns: int) -> Floats:
        """Return a 4-bit tensor as float32."""
        scales = self.scales(name).astype(np.float32)[:, None]
        weights: Floats = (self.nibbles(name).astype(np.float32) - 8) * scales
        return weights.reshape(rows, columns)

    def _blocks(self, name: str) -> npt.NDArray[np.void]:
        count, offset = self._tensors[name]
        return np.frombuffer(self._data, BLOCK, count // BLOCK_SIZE, offset)

    def _read_pieces(self, at: int) -> int:
        count, *_, length = PIECES.unpack_from(self._data, at)
        at += PIECES.size
        ends = np.frombuffer(self._data, "<u4", count + 1, at).tolist()
        at += 4 * (count + 1)
        self.scores = np.frombuffer(self._data, "<f4", count, at)
        at += 4 * count
        blob = self._data[at : at + length]
        self.pieces = [blob[start:end].decode() for start, end in pairwise(ends)]
        at += length
        _, table = struct.unpack_from("<iI", self._data, at)
        return at + 8 + int(table)

    def _directory(self, at: int) -> list[tuple[str, tuple[int, int]]]:
        (count,) = struct.unpack_from("<i", self._data, at)
        at += 4
        entries = []
        for _ in range(count):
            (length,) = struct.unpack_from("<H", self._data, at)
            name = self._data[at + 2 : at + 2 + length].decode()
            _, size, offset, _ = struct.unpack_from("<BIQQ", self._data, at + 2 + length)
            at += 23 + length
            entries.append((name, (size, offset)))
        return entries
