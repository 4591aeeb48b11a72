"""rmbr.mcp_server: the MCP server is omoide's own."""

from __future__ import annotations

from typing import Any, Final

from omoide.compat.rmbr.door import resolve

_HOMES: Final = {
    "build_mcp_server": "omoide.serve.mcp:build_mcp_server",
    "serve_mcp": "omoide:serve_mcp",
}


def __getattr__(name: str) -> Any:
    return resolve(__name__, _HOMES, name)


def __dir__() -> list[str]:
    return sorted(_HOMES)
