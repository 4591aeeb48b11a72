"""The HTTP application: routes made from the table of operations, behind the guard."""

from __future__ import annotations

import json
import os
from collections.abc import AsyncIterator, Collection
from contextlib import asynccontextmanager
from typing import Any, Final

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from omoide import __version__
from omoide.model.catalog.operation import Operation
from omoide.model.catalog.operation import Route as TableRoute
from omoide.model.namespaces import check_namespace
from omoide.model.policy import Policy
from omoide.ops import OPERATIONS
from omoide.serve.guard import Guard
from omoide.serve.handles import Handles
from omoide.serve.http.endpoint import Endpoint
from omoide.serve.http.openapi import describe
from omoide.serve.http.straight import Straight
from omoide.serve.http.work import Work
from omoide.serve.limits import Limits
from omoide.serve.tokens import Keyring

OPEN_PATHS: Final = ("/health", "/openapi.json")
VARIABLE: Final = "OMOIDE_TOKEN"
FILE_VARIABLE: Final = "OMOIDE_TOKEN_FILE"


def build_app(
    path: str | os.PathLike[str], *, namespace: str = "default", policy: Policy | None = None, embedder: Any = None,
    read_only: bool = False, token: str | None = None, token_file: str | os.PathLike[str] | None = None,
    allowed_hosts: Collection[str] = (), allowed_origins: Collection[str] = (), limits: Limits | None = None,
    **options: Any,
) -> Starlette:  # fmt: skip
    """Return the application that serves one namespace of the store at ``path``; it may be mounted in a larger one.

    ``token``: the secret every caller sends, else the variable OMOIDE_TOKEN; ``token_file`` (OMOIDE_TOKEN_FILE):
    callers with rights of their own. Requests to other host names than the loopback ones and ``allowed_hosts``,
    and from web origins beside the own one and ``allowed_origins``, are refused. ``options`` are those of a
    handle, such as ``clock``. Nothing is opened before the first request; ``app.state.work.close()`` closes.

    Raises:
        ConfigurationError: a blank token or a token file that makes no sense.
    """
    check_namespace(namespace)
    limits = limits or Limits()
    keyring = keyring_of(token, token_file)
    work = Work(Handles(path, "http", policy, embedder, options), namespace, limits, read_only=read_only)
    guard = Middleware(
        Guard, keyring, hosts=allowed_hosts, origins=allowed_origins, limits=limits, open_paths=OPEN_PATHS
    )
    routes = _routes(work)
    app = Starlette(
        routes=routes, middleware=[guard, Middleware(Straight, routes)], lifespan=_lifespan,
        exception_handlers={HTTPException: _refused, Exception: _broken},
    )  # fmt: skip
    app.router.redirect_slashes = False
    app.state.work = work
    return app


def keyring_of(token: str | None, token_file: str | os.PathLike[str] | None) -> Keyring:
    """Return the keyring for what was given, else for what the environment says."""
    if token is None and token_file is None:
        token, token_file = os.environ.get(VARIABLE), os.environ.get(FILE_VARIABLE)
    return Keyring(token, token_file)


def _routes(work: Work) -> list[Route]:
    pairs = [(operation, route) for operation in OPERATIONS.values() for route in operation.doors.http]
    # /memories/stats before /memories/{id}; what is asked most often first, since routes are tried in order.
    pairs.sort(key=lambda pair: ("{" in pair[1].path, not pair[0].doors.tool, not pair[0].doors.mcp_core))
    return [
        Route("/health", _health(work.namespace), methods=["GET"]),
        Route("/openapi.json", _openapi(pairs), methods=["GET"]),
        *(
            Route(route.path, Endpoint(operation, route, work), methods=[route.method], name=_name(operation, route))
            for operation, route in pairs
        ),
    ]


def _name(operation: Operation, route: TableRoute) -> str:
    return f"{operation.name}:{route.method}"


def _health(namespace: str) -> Any:
    body = json.dumps({"status": "ok", "namespace": namespace, "version": __version__}).encode()

    async def health(_request: Request) -> Response:
        return Response(body, media_type="application/json")

    return health


def _openapi(pairs: list[tuple[Operation, TableRoute]]) -> Any:
    async def openapi(_request: Request) -> Response:
        body = json.dumps(describe(pairs), ensure_ascii=False).encode()
        return Response(body, media_type="application/json")

    return openapi


@asynccontextmanager
async def _lifespan(app: Starlette) -> AsyncIterator[None]:
    work: Work = app.state.work
    work.warm_up()
    try:
        yield
    finally:
        work.close()


async def _refused(_request: Request, error: Exception) -> Response:
    """Answer a path or method that is not there."""
    assert isinstance(error, HTTPException)
    code = {404: "no_such_path", 405: "no_such_method"}.get(error.status_code, "refused")
    body = json.dumps({"error": str(error.detail), "code": code})
    return Response(body, error.status_code, dict(error.headers or {}), "application/json")


async def _broken(_request: Request, _error: Exception) -> Response:
    """Answer a fault of ours; the server that runs the application reports it."""
    return Response('{"error": "internal error", "code": "internal"}', 500, media_type="application/json")
