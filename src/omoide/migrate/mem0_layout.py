"""How memories of mem0 lie in a store: as the adapter of mem0's interface expects them, or plainly."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import quote

SYSTEM: Final = "mem0"
"""The name of the system, of the adapter's door, and of its mark in the metadata."""
SCOPE: Final = ("user_id", "agent_id", "run_id")
BESIDE: Final = ("role", "actor_id", "expiration_date")
"""What mem0 itself says of a memory, beside the metadata of its users."""


def namespace_of(ids: Mapping[str, Any]) -> str | None:
    """Return the namespace that the adapter gives to a user, agent and run; None without any."""
    parts = [f"{name}:{quote(str(ids[name]), safe='@+-_.')}" for name in SCOPE if ids.get(name) not in (None, "")]
    return "|".join(parts) or None


def laid_out(metadata: dict[str, Any]) -> dict[str, Any]:
    """Return metadata as the adapter lays them out: those of users apart from mem0's own."""
    ids = {name: str(metadata.pop(name)) for name in SCOPE if metadata.get(name) not in (None, "")}
    beside = {name: metadata.pop(name) for name in BESIDE if metadata.get(name) is not None}
    return {"adapter": SYSTEM, **ids, **beside, "data": metadata}


def plainly(metadata: Mapping[str, Any]) -> dict[str, Any]:
    """Return the metadata of a memory with nothing of the adapter's."""
    found = dict(metadata)
    if found.get("adapter") == SYSTEM:
        found.pop("adapter")
        found |= found.pop("data", {})
    return found
