"""rmbr.store: the record of a memory; the rest of that module was rmbr's own storage and has no counterpart."""

from __future__ import annotations

from omoide.compat.rmbr.memory import MemoryRecord

__all__ = ["MemoryRecord"]
