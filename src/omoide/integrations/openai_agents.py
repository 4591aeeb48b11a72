"""A session of the OpenAI Agents SDK over one omoide store; needs nothing installed."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping, Sequence
from typing import Any, Final
from uuid import uuid4

from omoide.integrations.entries import Change, Entry
from omoide.integrations.keyed import Keyed
from omoide.integrations.threads import whole

DOOR: Final = "openai-agents"


class OmoideSession:
    """The items of one conversation, each a memory, in the order they were added. ``options`` as for ``Memory``.

    All items have the source ``openai-agents:SESSION_ID``, so ``purge(source=...)`` erases a conversation.
    """

    def __init__(
        self, session_id: str, path: str | os.PathLike[str] = "agents.db", *, namespace: str = "default",
        session_settings: Any = None, **options: Any,
    ) -> None:  # fmt: skip
        self.session_id = session_id
        self.session_settings = session_settings
        self.memory = Keyed(path, namespace, **{"door": DOOR, **options})

    async def get_items(self, limit: int | None = None) -> list[Any]:
        """Return the latest ``limit`` items, oldest first; None means what the settings say, else all of them."""
        wanted = _limit(self.session_settings) if limit is None else limit
        entries = await asyncio.to_thread(self._entries)
        chosen = entries if wanted is None else entries[max(0, len(entries) - max(0, wanted)) :]
        return [entry.data["item"] for entry in chosen]

    async def add_items(self, items: Sequence[Mapping[str, Any]]) -> None:
        """Add items in one transaction."""
        changes = [self._change(str(uuid4()), _text(item), item) for item in items]
        await whole(lambda: self.memory.apply(changes))

    async def pop_item(self) -> Any | None:
        """Forget the newest item and return it, None when there is none; no two callers get the same one."""
        return await whole(lambda: self._settle(lambda entries: entries[-1:]))

    async def clear_session(self) -> None:
        """Forget every item of this session."""
        await whole(lambda: self._settle(lambda entries: entries))

    def close(self) -> None:
        """Close the store."""
        self.memory.close()

    def _entries(self) -> list[Entry]:
        return self.memory.group(self.memory.namespace, self.session_id)[1]

    def _settle(self, chosen: Any) -> Any:
        """Forget the entries that ``chosen`` picks; return the last item of them, or None."""

        def attempt(entries: list[Entry]) -> tuple[list[Change], Any]:
            gone = chosen(entries)
            return [self._change(entry.key, None) for entry in gone], gone[-1].data["item"] if gone else None

        return self.memory.settle(self.memory.namespace, attempt, self.session_id)

    def _change(self, key: str, text: str | None, item: Any = None) -> Change:
        data = {} if text is None else {"session_id": self.session_id, "item": item}
        return Change(self.memory.namespace, key, text, data, self.session_id)


def _limit(settings: Any) -> int | None:
    if isinstance(settings, Mapping):
        return settings.get("limit")
    found: int | None = getattr(settings, "limit", None)
    return found


def _text(item: Mapping[str, Any]) -> str:
    """Return what an item says in words, an empty text for calls and their like."""
    content = item.get("content")
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    return "\n".join(str(part["text"]) for part in parts if isinstance(part, Mapping) and part.get("text"))
