"""A session of the OpenAI Agents SDK over one omoide store; needs nothing installed."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping, Sequence
from typing import Any, Final
from uuid import uuid4

from omoide.integrations.keyed import Change, Entry, Keyed

DOOR: Final = "openai-agents"


class OmoideSession:
    """The items of one conversation, each a memory, in the order they were added. ``options`` as for ``Memory``."""

    session_settings: Any = None

    def __init__(
        self, session_id: str, path: str | os.PathLike[str] = "agents.db", *, namespace: str = "default", **options: Any
    ) -> None:
        self.session_id = session_id
        self.memory = Keyed(path, namespace, **{"door": DOOR, **options})

    async def get_items(self, limit: int | None = None) -> list[Any]:
        """Return the latest ``limit`` items, or all of them, oldest first."""
        entries = await asyncio.to_thread(self._entries)
        chosen = entries if limit is None else entries[max(0, len(entries) - max(0, limit)) :]
        return [entry.data["item"] for entry in chosen]

    async def add_items(self, items: Sequence[Mapping[str, Any]]) -> None:
        """Add items in one transaction."""
        changes = [
            Change(self.memory.namespace, str(uuid4()), _text(item), {"session_id": self.session_id, "item": item})
            for item in items
        ]
        await asyncio.to_thread(self.memory.apply, changes)

    async def pop_item(self) -> Any | None:
        """Forget the newest item and return it, None when there is none."""
        entries = await asyncio.to_thread(self._entries)
        if not entries:
            return None
        await asyncio.to_thread(self._remove, entries[-1:])
        return entries[-1].data["item"]

    async def clear_session(self) -> None:
        """Forget every item of this session."""
        await asyncio.to_thread(lambda: self._remove(self._entries()))

    def close(self) -> None:
        """Close the store."""
        self.memory.close()

    def _entries(self) -> list[Entry]:
        return self.memory.entries([self.memory.namespace], {"session_id": self.session_id})

    def _remove(self, entries: Sequence[Entry]) -> None:
        self.memory.apply([Change(entry.namespace, entry.key, None, {}) for entry in entries])


def _text(item: Mapping[str, Any]) -> str:
    """Return what an item says in words, an empty text for calls and their like."""
    content = item.get("content")
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    return "\n".join(str(part["text"]) for part in parts if isinstance(part, Mapping) and part.get("text"))
