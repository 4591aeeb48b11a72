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
