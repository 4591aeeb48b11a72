"""rmbr.tools: the tools are omoide's own; argument types are checked as well as names."""

from __future__ import annotations

from omoide.tools import ToolCallError, ToolSpec

__all__ = ["ToolCallError", "ToolSpec"]
