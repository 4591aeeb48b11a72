"""Starting the MCP server: over standard input and output, or streamable HTTP."""

from __future__ import annotations

import gc
import os
import signal
from collections.abc import Collection, Sequence
from contextlib import nullcontext, suppress
from threading import Thread, current_thread, main_thread
from typing import TYPE_CHECKING, Any, Literal

from omoide.errors import ConfigurationError
from omoide.serve.extras import load
from omoide.serve.mcp.wire import OUT, diverted

if TYPE_CHECKING:
    from omoide.model.policy import Policy


def serve_mcp(
    path: str | os.PathLike[str], *, namespace: str = "default", policy: Policy | None = None, embedder: Any = None,
    read_only: bool = False, server_name: str = "omoide", tools: str | Sequence[str] = "core",
    transport: Literal["stdio", "http"] = "stdio", host: str = "127.0.0.1", port: int = 8000, token: str | None = None,
    token_file: str | os.PathLike[str] | None = None, allowed_hosts: Collection[str] = (),
    allowed_origins: Collection[str] = (), actor: str | None = None, **options: Any,
) -> None:  # fmt: skip
    """Serve one namespace of the store at ``path`` to MCP clients until they leave or a signal ends it.

    ``host``, ``port``, ``token``, ``token_file`` and what is allowed are for ``transport="http"``, which serves
    ``/mcp``; see ``serve_http``.

    Raises:
        ConfigurationError: a tool or transport that does not exist, or an address that may not be listened on.
        ImportError: the extra ``mcp`` is not installed.
    """
    if transport not in ("stdio", "http"):
        raise ConfigurationError(f"transport must be stdio or http, not {transport!r}", value=transport)
    with diverted() if transport == "stdio" else nullcontext(OUT) as output:
        server = _build(
            path, namespace=namespace, policy=policy, embedder=embedder, read_only=read_only, server_name=server_name,
            tools=tools, actor=actor, **options,
        )  # fmt: skip
    if transport == "stdio":
        server.output = output
        _serve_stdio(server)
        return
    serve: Any = load("omoide.serve.mcp.network", "serve_network", extra="mcp")
    serve(
        server, host=host, port=port, token=token, token_file=token_file, allowed_hosts=allowed_hosts,
        allowed_origins=allowed_origins, namespace=namespace,
    )  # fmt: skip


def _build(path: str | os.PathLike[str], **arguments: Any) -> Any:
    """Build the server with the collector of cycles off: importing the SDK makes much that stays."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        build: Any = load("omoide.serve.mcp.build", "build_mcp_server", extra="mcp")
        return build(path, **arguments)
    finally:
        gc.freeze()
        if collecting:
            gc.enable()


def _serve_stdio(server: Any) -> None:
    from omoide.serve.mcp.lifeline import leave_with_the_main_thread, watch_parent

    if current_thread() is main_thread():
        with suppress(ValueError, OSError):
            signal.signal(signal.SIGINT, signal.SIG_DFL)  # the reader of standard input cannot be interrupted otherwise
    Thread(target=watch_parent, name="omoide-mcp-parent", daemon=True).start()
    try:
        server.run("stdio")
    finally:
        leave_with_the_main_thread()
