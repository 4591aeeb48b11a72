"""The four shapes of the protocol buffer wire format that an ONNX file needs.

Written by hand so that the bytes, and with them the pinned hashes, depend on no library's version.
"""

from __future__ import annotations

import struct


def varint(number: int) -> bytes:
    """Return a 64-bit integer, least significant 7 bits first."""
    number &= (1 << 64) - 1
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


def integer(field: int, number: int) -> bytes:
    """Return a field of an integer or enumeration type."""
    return varint(field << 3) + varint(number)


def chunk(field: int, payload: bytes) -> bytes:
    """Return a field of bytes or of an encoded message."""
    return varint(field << 3 | 2) + varint(len(payload)) + payload


def text(field: int, value: str) -> bytes:
    """Return a field of text."""
    return chunk(field, value.encode())


def single(field: int, value: float) -> bytes:
    """Return a field of type float."""
    return varint(field << 3 | 5) + struct.pack("<f", value)
