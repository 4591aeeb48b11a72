"""rmbr.server: the HTTP server is omoide's own."""

from __future__ import annotations

from typing import Any, Final

from omoide.compat.rmbr.door import resolve

_HOMES: Final = {
    "build_app": "omoide.serve.http:build_app",
    "serve_http": "omoide:serve_http",
}


def __getattr__(name: str) -> Any:
    return resolve(__name__, _HOMES, name)


def __dir__() -> list[str]:
    return sorted(_HOMES)
