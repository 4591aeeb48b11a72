"""mem0's ``Memory`` and ``AsyncMemory`` over one omoide store, without a language model; needs nothing installed."""

from __future__ import annotations

from omoide.integrations.mem0_async import AsyncMemory
from omoide.integrations.mem0_memory import Memory, MissingMemoryError

__all__ = ["AsyncMemory", "Memory", "MissingMemoryError"]
