"""The audit chain: each event's hash covers the event and the hash before it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from typing import Final

GENESIS: Final = bytes(32)


def link(
    previous: bytes,
    *,
    seq: int,
    at: int,
    namespace: int | None,
    actor: str | None,
    door: str,
    op: str,
    targets: Sequence[int | str],
    batch: str | None,
) -> bytes:
    """Return the SHA-256 of the event's canonical JSON after ``previous``."""
    body = json.dumps([seq, at, namespace, actor, door, op, list(targets), batch], separators=(",", ":"))
    return hashlib.sha256(previous + body.encode()).digest()
