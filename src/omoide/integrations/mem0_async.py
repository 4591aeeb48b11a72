"""mem0's ``AsyncMemory``: every call of ``Memory`` in a worker thread."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Mapping, Sequence
from functools import wraps
from typing import Any, Self, TypeVar

from omoide.integrations.mem0_memory import Memory
from omoide.integrations.threads import whole

T = TypeVar("T")


def _twin(method: Callable[..., T]) -> Callable[..., Coroutine[Any, Any, T]]:
    """Return a method of ``AsyncMemory`` that calls one of ``Memory``; the signature is that one's."""

    @wraps(method)
    async def twin(self: AsyncMemory, *args: Any, **kwargs: Any) -> T:
        return await whole(lambda: method(self.plain, *args, **kwargs))

    return twin


class AsyncMemory:
    """``Memory`` with methods to await; a cancelled caller knows that its call has ended."""

    def __init__(self, *args: Any, **options: Any) -> None:
        self.plain = Memory(*args, **options)

    @classmethod
    def from_config(cls, config_dict: Mapping[str, Any]) -> Self:
        """Open a memory with the arguments of ``Memory`` as a mapping."""
        made = cls.__new__(cls)
        made.plain = Memory.from_config(config_dict)
        return made

    async def add(
        self, messages: str | Mapping[str, Any] | Sequence[Mapping[str, Any]], *, user_id: str | None = None,
        agent_id: str | None = None, run_id: str | None = None, metadata: Mapping[str, Any] | None = None,
        timestamp: Any = None, expiration_date: Any = None, infer: bool = True, memory_type: str | None = None,
        prompt: str | None = None, llm: Any = None,
    ) -> dict[str, Any]:  # fmt: skip
        """Store messages as they are.

        Raises:
            NotImplementedError: ``infer`` is true, or ``memory_type``, ``prompt`` or ``llm`` is given.
        """
        if llm is not None:
            raise NotImplementedError("omoide calls no language model; leave llm out and call add(..., infer=False)")
        return await whole(
            lambda: self.plain.add(
                messages, user_id=user_id, agent_id=agent_id, run_id=run_id, metadata=metadata, timestamp=timestamp,
                expiration_date=expiration_date, infer=infer, memory_type=memory_type, prompt=prompt,
            )
        )  # fmt: skip

    update = _twin(Memory.update)
    delete = _twin(Memory.delete)
    delete_all = _twin(Memory.delete_all)
    reset = _twin(Memory.reset)
    get = _twin(Memory.get)
    get_all = _twin(Memory.get_all)
    search = _twin(Memory.search)
    history = _twin(Memory.history)
    chat = _twin(Memory.chat)

    def close(self) -> None:
        """Close the store."""
        self.plain.close()
