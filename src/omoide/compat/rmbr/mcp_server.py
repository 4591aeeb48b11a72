"""rmbr.mcp_server: the MCP server is omoide's own; it calls itself "rmbr" unless told otherwise."""

from __future__ import annotations

import os
from typing import Any

from omoide.model.policy import Policy


def build_mcp_server(
    path: str | os.PathLike[str], *, namespace: str = "default", policy: Policy | None = None, embedder: Any = None,
    read_only: bool = False, server_name: str = "rmbr", **options: Any,
) -> Any:  # fmt: skip
    from omoide.serve.mcp import build_mcp_server as build

    return build(
        path, namespace=namespace, policy=policy, embedder=embedder, read_only=read_only, server_name=server_name,
        **options,
    )  # fmt: skip


def serve_mcp(
    path: str | os.PathLike[str], *, namespace: str = "default", policy: Policy | None = None, embedder: Any = None,
    read_only: bool = False, server_name: str = "rmbr", **options: Any,
) -> None:  # fmt: skip
    from omoide.serve.mcp import serve_mcp as serve

    serve(
        path, namespace=namespace, policy=policy, embedder=embedder, read_only=read_only, server_name=server_name,
        **options,
    )  # fmt: skip
