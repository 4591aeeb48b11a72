"""The session of the OpenAI Agents SDK over an omoide store."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from omoide.integrations.openai_agents import OmoideSession

TALK: list[dict[str, Any]] = [
    {"role": "user", "content": "東京タワーに行きました"},
    {"type": "function_call", "name": "look", "arguments": "{}", "call_id": "1"},
    {"role": "assistant", "content": [{"type": "output_text", "text": "c'était beau ?"}]},
    {"role": "user", "content": "東京タワーに行きました"},
]


async def test_items_come_back_as_they_were_and_in_order(tmp_path: Path) -> None:
    session = OmoideSession("one", tmp_path / "agents.db", embedder="none")
    other = OmoideSession("two", tmp_path / "agents.db", embedder="none")
    await session.add_items(TALK)
    await other.add_items(TALK[:1])
    assert await session.get_items() == TALK
    assert await session.get_items(2) == TALK[2:]
    assert await session.get_items(0) == []
    assert await session.pop_item() == TALK[3]
    await session.clear_session()
    assert await session.get_items() == []
    assert await session.pop_item() is None
    assert await other.get_items() == TALK[:1]
    session.close()
    other.close()
