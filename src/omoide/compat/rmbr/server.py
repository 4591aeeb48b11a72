"""rmbr.server: the HTTP server is omoide's own; the token may still come from RMBR_TOKEN."""

from __future__ import annotations

import os
from typing import Any, Final

VARIABLE: Final = "RMBR_TOKEN"


def build_app(path: str | os.PathLike[str], **options: Any) -> Any:
    from omoide.serve.http import build_app as build

    return build(path, **_with_token(options))


def serve_http(path: str | os.PathLike[str], **options: Any) -> None:
    from omoide.serve.http import serve_http as serve

    serve(path, **_with_token(options))


def _with_token(options: dict[str, Any]) -> dict[str, Any]:
    """Keep a server protected that was: without a token of its own it takes the one rmbr would."""
    token = options.get("token")
    return {**options, "token": os.environ.get(VARIABLE) if token is None else token}
