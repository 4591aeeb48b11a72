"""The straight way to a path without parameters: a look into a table, where a router would try route after route."""

from __future__ import annotations

from collections.abc import Iterable

from starlette.routing import Route

from omoide.serve.guard import App, Receive, Scope, Send, route_path
from omoide.serve.http.endpoint import Endpoint


class Straight:
    """An ASGI application: requests to fixed paths of ``routes`` go to their endpoints, others to ``app``."""

    def __init__(self, app: App, routes: Iterable[Route]) -> None:
        self._app = app
        self._routes = {
            (method, route.path): route
            for route in routes
            if isinstance(route.endpoint, Endpoint) and "{" not in route.path
            for method in route.methods or ()
        }

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hand a request on."""
        route = self._routes.get((scope["method"], route_path(scope))) if scope["type"] == "http" else None
        if route is None:
            await self._app(scope, receive, send)
            return
        scope["route"], scope["endpoint"] = route, route.endpoint
        await route.endpoint(scope, receive, send)
