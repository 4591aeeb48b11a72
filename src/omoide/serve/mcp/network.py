"""The MCP server over streamable HTTP, behind the same guard as the HTTP door."""

from __future__ import annotations

import os
from collections.abc import Collection
from typing import Any, Final

from mcp.server.mcpserver import MCPServer
from mcp.server.transport_security import TransportSecuritySettings

from omoide.serve.guard import App, Guard
from omoide.serve.http.app import keyring_of
from omoide.serve.http.server import check_address, listen
from omoide.serve.limits import Limits
from omoide.serve.tokens import Keyring

PATH: Final = "/mcp"


def serve_network(
    server: MCPServer[Any], *, host: str, port: int, token: str | None, token_file: str | os.PathLike[str] | None,
    allowed_hosts: Collection[str], allowed_origins: Collection[str], namespace: str,
) -> None:  # fmt: skip
    """Serve ``server`` at ``/mcp`` until a signal ends it.

    Raises:
        ConfigurationError: an address beyond this machine without a token, or one that cannot be listened on.
    """
    keyring = keyring_of(token, token_file)
    hosts = check_address(host, allowed_hosts, protected=keyring.required)
    app = guarded(server, keyring, hosts=hosts, origins=allowed_origins)
    listen(app, host, port, f"omoide mcp: namespace {namespace!r}, path {PATH}")


def guarded(
    server: MCPServer[Any], keyring: Keyring, *, hosts: Collection[str] = (), origins: Collection[str] = ()
) -> App:
    """Return the ASGI application: the SDK's transport behind our guard."""
    limits = Limits()
    unprotected = TransportSecuritySettings(enable_dns_rebinding_protection=False)  # the guard checks both headers
    inner = server.streamable_http_app(
        streamable_http_path=PATH, transport_security=unprotected, max_request_body_size=limits.body
    )
    return Guard(inner, keyring, hosts=hosts, origins=origins, limits=limits)
