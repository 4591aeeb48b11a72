"""The audit chain: each event's hash covers the event, the rows it wrote, and the hash before it.

A row is covered by its seal, a digest under a random salt that is kept in the row: when the row is erased, the
salt goes with it, and what is left in the event tells nothing about the text.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from typing import Any, Final

GENESIS: Final = bytes(32)
SEAL: Final = 32
_AROUND: Final = b"\xff"
"""What begins a seal that is not about a version; no memory has so high a number."""
_ENCODED: Final = json.JSONEncoder(separators=(",", ":"), ensure_ascii=False).encode


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
    seals: bytes = b"",
) -> bytes:
    """Return the SHA-256 of the event's canonical JSON and the seals of its rows, after ``previous``."""
    body = json.dumps([seq, at, namespace, actor, door, op, list(targets), batch], separators=(",", ":"))
    return hashlib.sha256(previous + body.encode() + seals).digest()


def opening_seal(memory_id: int, version_id: int, salt: bytes, text: str, values: Sequence[Any]) -> bytes:
    """Return the seal of a version: memory and version (8 bytes each, big endian), 16 bytes of SHA-256.

    ``values``: what the row says beside its text, as the database keeps it.
    """
    body = _ENCODED([memory_id, version_id, text, *values])
    return _seal(memory_id, version_id, salt + body.encode("utf-8", "surrogatepass"))


def closing_seal(memory_id: int, version_id: int, at: int, cause: str) -> bytes:
    """Return the seal of the end of a version in known time, laid out as that of its beginning."""
    return _seal(memory_id, version_id, f"{memory_id}:{version_id}:{at}:{cause}".encode())


def sealed_ids(seals: bytes) -> Iterator[tuple[int, int, bytes]]:
    """Yield (memory, version, seal) of every seal of an event."""
    for start in range(0, len(seals) - SEAL + 1, SEAL):
        seal = seals[start : start + SEAL]
        if seal[:1] != _AROUND:
            yield int.from_bytes(seal[:8]), int.from_bytes(seal[8:16]), seal


def around_seal(table: int, key: bytes, digest: bytes) -> bytes:
    """Return the seal of a row around versions: its table, its salt or number (8 bytes), 16 bytes of digest."""
    return _AROUND + table.to_bytes(7) + key + digest


def around_seals(seals: bytes) -> Iterator[tuple[int, bytes, bytes]]:
    """Yield (table, key, digest) of every seal of an event that is about a row around versions."""
    for start in range(0, len(seals) - SEAL + 1, SEAL):
        seal = seals[start : start + SEAL]
        if seal[:1] == _AROUND:
            yield int.from_bytes(seal[1:8]), seal[8:16], seal[16:]


def _seal(memory_id: int, version_id: int, body: bytes) -> bytes:
    return memory_id.to_bytes(8) + version_id.to_bytes(8) + hashlib.sha256(body).digest()[:16]
