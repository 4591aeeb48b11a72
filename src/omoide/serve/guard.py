"""Who may speak to a server on the network: Host, Origin, token and rate are checked before anything else runs.

A web page that a browser shows may send requests to the loopback address, and a name under its control may
point there, so being on this machine is not a proof of anything.
"""

from __future__ import annotations

import json
import math
from collections.abc import Awaitable, Callable, Collection, Iterable, MutableMapping
from ipaddress import ip_address
from typing import Any, Final, TypeAlias

from omoide.serve.limits import Buckets, Limits
from omoide.serve.tokens import Grant, Keyring

ANY: Final = "*"
GRANT: Final = "omoide.grant"
"""Where the grant of the caller is in the ASGI scope."""
LOOPBACK: Final = frozenset({"localhost", "127.0.0.1", "::1"})
ONCE: Final = (b"host", b"origin", b"authorization", b"content-type", b"content-length", b"sec-fetch-site")

Scope: TypeAlias = MutableMapping[str, Any]
Message: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[Message]]
Send: TypeAlias = Callable[[Message], Awaitable[None]]
App: TypeAlias = Callable[[Scope, Receive, Send], Awaitable[None]]

NOBODY: Final = Grant("anonymous")


class Refusal(Exception):  # noqa: N818 - it is an answer, not a fault
    """A request that is turned away with a status, a code and what to do."""

    def __init__(self, status: int, code: str, message: str, headers: Iterable[tuple[str, str]] = ()) -> None:
        super().__init__(message)
        self.status, self.code, self.message, self.headers = status, code, message, tuple(headers)


class Guard:
    """An ASGI application around another one; lets through what may come in.

    ``hosts``: names that the Host header may hold, ``"*"`` for any; the loopback names always may. ``origins``: web
    origins that may call besides the server's own. ``open_paths`` need no token.
    """

    def __init__(
        self, app: App, keyring: Keyring, *, hosts: Collection[str] = (), origins: Collection[str] = (),
        limits: Limits | None = None, open_paths: Collection[str] = (),
    ) -> None:  # fmt: skip
        limits = limits or Limits()
        self._app, self._keyring = app, keyring
        self._hosts = frozenset(host.lower() for host in hosts)
        self._origins = frozenset(origin.lower().rstrip("/") for origin in origins)
        self._open_paths = frozenset(open_paths)
        self._rate = None if limits.rate is None else Buckets(limits.rate, limits.burst)
        self._failures = Buckets(limits.failures / 60.0, limits.failures)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a refusal, or hand the request on with its grant in the scope."""
        if scope["type"] == "http":
            try:
                scope[GRANT] = self._admit(scope)
            except Refusal as refusal:
                await refuse(send, refusal)
                return
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008, "reason": "not offered"})
            return
        await self._app(scope, receive, send)

    def _admit(self, scope: Scope) -> Grant:
        headers = _headers_of(scope)
        if len(headers) != len(scope["headers"]):
            _check_once(scope)
        host = headers.get("host", "")
        self._check_host(host, scope)
        self._check_origin(headers, host)
        if route_path(scope) in self._open_paths:
            return NOBODY
        grant = self._grant(headers.get("authorization"), scope)
        if self._rate is not None and (wait := self._rate.wait(_caller(grant, scope))):
            raise _too_many("too many requests", wait)
        return grant

    def _check_host(self, host: str, scope: Scope) -> None:
        name = _host_name(host)
        if name in LOOPBACK or ANY in self._hosts or name in self._hosts or host.lower() in self._hosts:
            return
        if name and name == _arrived_at(scope):
            return
        raise Refusal(
            403, "host_refused", f"this server does not answer to the host {host[:100]!r}; allow it with allowed_hosts"
        )

    def _check_origin(self, headers: MutableMapping[str, str], host: str) -> None:
        origin = headers.get("origin")
        if origin is None:
            if headers.get("sec-fetch-site", "none") in ("none", "same-origin"):
                return
        elif origin.lower() in self._origins or ANY in self._origins or _same_origin(origin, host):
            return
        raise Refusal(
            403, "origin_refused", "requests from other web sites are refused; allow one with allowed_origins"
        )

    def _grant(self, header: str | None, scope: Scope) -> Grant:
        if not self._keyring.required:
            return NOBODY
        grant = self._keyring.grant_of(header)
        if grant is not None:
            return grant
        if self._keyring.problem:
            raise Refusal(503, "tokens_unreadable", "the token file cannot be read; nobody comes in until it is mended")
        if wait := self._failures.wait(_address(scope)):
            raise _too_many("too many requests without a valid token", wait)
        raise Refusal(
            401, "unauthorized", "unauthorized: send the header Authorization: Bearer TOKEN",
            [("www-authenticate", 'Bearer realm="omoide"')],
        )  # fmt: skip


async def refuse(send: Send, refusal: Refusal) -> None:
    """Send a refusal as a JSON answer."""
    body = json.dumps({"error": refusal.message, "code": refusal.code}).encode()
    headers = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(body)).encode()),
        *((name.encode(), value.encode()) for name, value in refusal.headers),
    ]
    await send({"type": "http.response.start", "status": refusal.status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def route_path(scope: Scope) -> str:
    """Return the path below the place at which the application is mounted."""
    path, root = str(scope["path"]), str(scope.get("root_path", ""))
    return path[len(root) :] if root and path.startswith(root) else path


def is_loopback(host: str) -> bool:
    """Return whether an address to listen on reaches this machine only."""
    name = host.strip("[]").lower()
    if name == "localhost":
        return True
    try:
        return ip_address(name).is_loopback
    except ValueError:
        return False


def _headers_of(scope: Scope) -> dict[str, str]:
    return {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}


def _check_once(scope: Scope) -> None:
    """Refuse a header twice whose meaning would hang on which of the two is read (RFC 9110, section 5.3)."""
    names = [name.lower() for name, _ in scope["headers"]]
    twice = next((name for name in ONCE if names.count(name) > 1), None)
    if twice is not None:
        raise Refusal(400, "repeated_header", f"the header {twice.decode()} is given twice")


def _host_name(host: str) -> str:
    """Return the name in a Host header: without port, brackets and trailing dot."""
    if host.startswith("["):
        return host[1:].partition("]")[0].lower()
    return host.partition(":")[0].lower().rstrip(".")


def _arrived_at(scope: Scope) -> str:
    """Return the address that the connection was made to, or a name when the caller is in this process.

    A server on a socket knows its address; only calls without a network carry the name that they ask for.
    """
    name = str((scope.get("server") or ("",))[0]).lower()
    try:
        ip_address(name)
    except ValueError:
        return name if "." not in name else ""
    return name


def _same_origin(origin: str, host: str) -> bool:
    scheme, separator, rest = origin.partition("://")
    if not separator or scheme.lower() not in ("http", "https"):
        return False
    return _with_port(rest, scheme) == _with_port(host, scheme)


def _with_port(host: str, scheme: str) -> str:
    name = host.lower()
    bare = name.rpartition("]")[2] if name.startswith("[") else name
    return name if ":" in bare else f"{name}:{443 if scheme == 'https' else 80}"


def _address(scope: Scope) -> str:
    return str((scope.get("client") or ("local",))[0])


def _caller(grant: Grant, scope: Scope) -> str:
    return f"token {grant.name}" if grant is not NOBODY else _address(scope)


def _too_many(what: str, wait: float) -> Refusal:
    seconds = max(1, math.ceil(wait))
    return Refusal(429, "too_many", f"{what}; try again in {seconds} s", [("retry-after", str(seconds))])
