"""The MCP door: tools and resources made from the table of operations, over stdio and streamable HTTP."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from omoide.serve.mcp.build import build_mcp_server
    from omoide.serve.mcp.start import serve_mcp

__all__ = ["build_mcp_server", "serve_mcp"]


def __getattr__(name: str) -> Any:
    if name == "build_mcp_server":
        from omoide.serve.extras import load

        return load("omoide.serve.mcp.build", name, extra="mcp")
    if name == "serve_mcp":
        from omoide.serve.mcp.start import serve_mcp

        return serve_mcp
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
