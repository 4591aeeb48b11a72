"""Global ids: UUID version 7 (RFC 9562), ordered by the known time they were made at."""

from __future__ import annotations

import os
import uuid

from omoide.model.time import Micros


def uuid7(at: Micros) -> str:
    """Return a UUIDv7 whose leading 48 bits are ``at`` in milliseconds since 1970."""
    millis = max(at // 1000, 0) & (2**48 - 1)
    random = int.from_bytes(os.urandom(10), "big")
    value = millis << 80 | 0x7 << 76 | (random >> 68) << 64 | 0b10 << 62 | random & (2**62 - 1)
    return str(uuid.UUID(int=value))


def uuid7s(at: Micros, count: int) -> list[str]:
    """Return many UUIDv7 of one known time, ascending, so that rows written in their order are neighbours."""
    head = f"{max(at // 1000, 0) & (2**48 - 1):012x}"
    random = os.urandom(10 * count).hex()
    found: list[str] = []
    for first in range(0, 20 * count, 20):
        more = random[first : first + 20]
        variant = "89ab"[int(more[3], 16) & 3]
        found.append(f"{head[:8]}-{head[8:]}-7{more[:3]}-{variant}{more[4:7]}-{more[7:19]}")
    found.sort()
    return found
