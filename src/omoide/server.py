"""The HTTP door under the name that rmbr has for it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from omoide.serve.http import build_app, serve_http

__all__ = ["build_app", "serve_http"]


def __getattr__(name: str) -> Any:
    if name in __all__:
        from omoide.serve import http

        return getattr(http, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
