"""rmbr.server: the HTTP server is omoide's own; the token may still come from RMBR_TOKEN."""

from __future__ import annotations

import os
from typing import Any, Final

from omoide.model.policy import Policy

VARIABLE: Final = "RMBR_TOKEN"


def build_app(
    path: str | os.PathLike[str], *, namespace: str = "default", policy: Policy | None = None, embedder: Any = None,
    read_only: bool = False, token: str | None = None, **options: Any,
) -> Any:  # fmt: skip
    from omoide.serve.http import build_app as build

    return build(
        path, namespace=namespace, policy=policy, embedder=embedder, read_only=read_only, token=_token(token), **options
    )


def serve_http(
    path: str | os.PathLike[str], *, host: str = "127.0.0.1", port: int = 8000, namespace: str = "default",
    policy: Policy | None = None, embedder: Any = None, read_only: bool = False, token: str | None = None,
    **options: Any,
) -> None:  # fmt: skip
    from omoide.serve.http import serve_http as serve

    serve(
        path, host=host, port=port, namespace=namespace, policy=policy, embedder=embedder, read_only=read_only,
        token=_token(token), **options,
    )  # fmt: skip


def _token(token: str | None) -> str | None:
    """Keep a server protected that was: without a token of its own it takes the one rmbr would."""
    return os.environ.get(VARIABLE) if token is None else token
