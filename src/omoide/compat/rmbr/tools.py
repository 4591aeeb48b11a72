"""rmbr.tools: the tools are omoide's own; argument types are checked as well as names."""

from __future__ import annotations

from typing import Any

from omoide.tools import ToolCallError, ToolSpec, hit_rows, search_tool
from omoide.tools import memory_tools as _memory_tools
from omoide.types import Hits

__all__ = ["ToolCallError", "ToolSpec", "hit_to_dict", "index_search_tool", "memory_tools"]


def hit_to_dict(hit: Any) -> dict[str, Any]:
    return hit_rows(Hits([hit]))[0]


def index_search_tool(index: Any, *, name: str = "search") -> ToolSpec:
    return search_tool(index, name)


def memory_tools(memory: Any, *, read_only: bool = False) -> list[ToolSpec]:
    return _memory_tools(memory, read_only)
