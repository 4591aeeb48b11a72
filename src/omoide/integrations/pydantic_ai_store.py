"""Pydantic AI's store of conversations over one omoide store: each message is a memory, stored once."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping, Sequence
from typing import Any, Final

from omoide.integrations.entries import Change, Entry
from omoide.integrations.keyed import Keyed
from omoide.integrations.threads import whole

try:
    from pydantic import TypeAdapter
    from pydantic_ai.conversation_store import (
        ConversationConflict,
        ConversationEntry,
        ConversationRecord,
        ConversationStore,
    )
    from pydantic_ai.messages import ModelMessage
except ImportError as error:
    raise ImportError("this needs Pydantic AI; install omoide[pydantic-ai]", name="pydantic_ai") from error

DOOR: Final = "pydantic-ai"
_MESSAGE: Final = TypeAdapter(ModelMessage)
_RECORD: Final = TypeAdapter(ConversationRecord)


class OmoideConversationStore(ConversationStore):
    """Conversations in one namespace; ``options`` are those of ``Memory``.

    A record and its new messages are written in one transaction. ``delete`` also forgets the messages that no other
    conversation uses; ``purge`` erases.
    """

    def __init__(
        self, path: str | os.PathLike[str] = "agents.db", *, namespace: str = "default", **options: Any
    ) -> None:
        self.memory = Keyed(path, namespace, **{"door": DOOR, **options})

    async def read_record(self, conversation_id: str) -> ConversationRecord | None:
        """Return the record of a conversation, or None."""
        name = _record_key(conversation_id)
        entry = await asyncio.to_thread(self.memory.entry, self.memory.namespace, name)
        return None if entry is None else _record(entry)

    async def read_records(self, *, scope: str | None = None, limit: int | None = None) -> Sequence[ConversationRecord]:
        """Return the records, or those of a scope, the last saved first."""
        where: dict[str, Any] = {"record": {"$exists": True}}
        where |= {} if scope is None else {"record.scope": {"$eq": scope}}
        entries = await asyncio.to_thread(self.memory.entries, [self.memory.namespace], where)
        records = sorted(map(_record, entries), key=lambda record: record.updated_at, reverse=True)
        return records[:limit]

    async def write_record(
        self, record: ConversationRecord, *, new_entries: Sequence[ConversationEntry] = (),
        expected_revision: str | None,
    ) -> None:  # fmt: skip
        """Write a record and its new messages together.

        Raises:
            ConversationConflict: the stored record has another revision, or the last message is not there.
        """
        await whole(lambda: self._write(record, list(new_entries), expected_revision))

    async def delete_record(self, conversation_id: str, *, expected_revision: str) -> None:
        """Forget a record, and the messages that no remaining conversation uses.

        Raises:
            ConversationConflict: the stored record has another revision, or there is none.
        """
        await whole(lambda: self._delete(conversation_id, expected_revision))

    async def read_entry(self, entry_id: str) -> ConversationEntry:
        """Return a message with its place.

        Raises:
            LookupError: there is no such message.
        """
        return await asyncio.to_thread(self._message, entry_id)

    async def read_history(self, head_id: str | None, *, limit: int | None = None) -> list[ConversationEntry]:
        """Return the messages up to ``head_id``, or the last ``limit`` of them, oldest first.

        Raises:
            LookupError: one of them is not there.
        """
        return await asyncio.to_thread(self._history, head_id, limit)

    def close(self) -> None:
        """Close the store."""
        self.memory.close()

    def _write(self, record: ConversationRecord, new: list[ConversationEntry], expected: str | None) -> None:
        home, key, added = self.memory.namespace, _record_key(record.conversation_id), {entry.id for entry in new}

        def attempt(entries: list[Entry]) -> tuple[list[Change], None]:
            found = _record(entries[0]) if entries else None
            head = record.head_id
            there = head is None or head in added or self.memory.entry(home, _entry_key(head)) is not None
            if (found.revision if found else None) != expected or not there:
                raise ConversationConflict(record.conversation_id)
            data = {"record": _RECORD.dump_python(record, mode="json"), "session_id": record.conversation_id}
            changes = [self._change(entry, record.conversation_id) for entry in new]
            return [*changes, Change(home, key, "", data, key)], None

        self.memory.settle(home, attempt, key)

    def _delete(self, conversation_id: str, expected: str) -> None:
        home, key = self.memory.namespace, _record_key(conversation_id)

        def attempt(entries: list[Entry]) -> tuple[list[Change], None]:
            records = {entry.key: _record(entry) for entry in entries if "record" in entry.data}
            gone = records.pop(key, None)
            if gone is None or gone.revision != expected:
                raise ConversationConflict(conversation_id)
            parents = {entry.key: entry.data["parent_id"] for entry in entries if "record" not in entry.data}
            used = _reachable(
                parents, [tip for record in records.values() for tip in (record.head_id, *record.branches)]
            )
            lost = [name for name in parents if name not in used]
            return [Change(home, key, None, {}, key), *(Change(home, name, None, {}) for name in lost)], None

        self.memory.settle(home, attempt)

    def _message(self, entry_id: str) -> ConversationEntry:
        found = self.memory.entry(self.memory.namespace, _entry_key(entry_id))
        if found is None:
            raise LookupError(entry_id)
        return ConversationEntry(
            id=entry_id, parent_id=found.data["parent_id"], message=_MESSAGE.validate_python(found.data["message"])
        )

    def _history(self, head_id: str | None, limit: int | None) -> list[ConversationEntry]:
        found: list[ConversationEntry] = []
        while head_id is not None and (limit is None or len(found) < limit):
            found.append(self._message(head_id))
            head_id = found[-1].parent_id
        return found[::-1]

    def _change(self, entry: ConversationEntry, conversation_id: str) -> Change:
        message = _MESSAGE.dump_python(entry.message, mode="json")
        data = {"message": message, "parent_id": entry.parent_id, "session_id": conversation_id}
        return Change(self.memory.namespace, _entry_key(entry.id), _text(message), data)


def _record_key(conversation_id: str) -> str:
    return f"conversation/{conversation_id}"


def _entry_key(entry_id: str) -> str:
    return f"message/{entry_id}"


def _record(entry: Entry) -> ConversationRecord:
    return _RECORD.validate_python(entry.data["record"])


def _reachable(parents: Mapping[str, str | None], tips: Sequence[str | None]) -> set[str]:
    """Return the keys of the messages from the tips back to the first."""
    used: set[str] = set()
    for tip in tips:
        at = tip
        while at is not None and _entry_key(at) not in used and _entry_key(at) in parents:
            used.add(_entry_key(at))
            at = parents[_entry_key(at)]
    return used


def _text(message: Mapping[str, Any]) -> str:
    """Return what a message says in words; what tools were asked and said is not among it."""
    said = [part for part in message.get("parts", []) if part.get("part_kind") in {"user-prompt", "text"}]
    return "\n".join(text for part in said for text in _words(part.get("content")))


def _words(content: Any) -> list[str]:
    if isinstance(content, str):
        return [content]
    listed = content if isinstance(content, list) else []
    return [text for each in listed for text in _words(each if isinstance(each, str) else each.get("content"))]
