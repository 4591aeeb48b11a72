"""The HTTP door: rmbr's routes and the rest of the table, as a Starlette application or a server of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from omoide.serve.http.app import build_app
    from omoide.serve.http.server import serve_http

__all__ = ["build_app", "serve_http"]


def __getattr__(name: str) -> Any:
    from omoide.serve.extras import load

    if name == "build_app":
        return load("omoide.serve.http.app", name, extra="http")
    if name == "serve_http":
        return load("omoide.serve.http.server", name, extra="http")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
