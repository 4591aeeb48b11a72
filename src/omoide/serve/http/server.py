"""The HTTP door as a server of its own."""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from typing import Any, Final

from omoide.errors import ConfigurationError
from omoide.model.policy import Policy
from omoide.serve.guard import ANY, App, is_loopback
from omoide.serve.http.app import build_app, keyring_of
from omoide.serve.http.connections import server_of
from omoide.serve.http.workers import check_workers, serve_by
from omoide.serve.limits import Limits

BACKLOG: Final = 512


def serve_http(
    path: str | os.PathLike[str], *, host: str = "127.0.0.1", port: int = 8000, namespace: str = "default",
    policy: Policy | None = None, embedder: Any = None, read_only: bool = False, token: str | None = None,
    token_file: str | os.PathLike[str] | None = None, allowed_hosts: Collection[str] = (),
    allowed_origins: Collection[str] = (), limits: Limits | None = None, workers: int = 1, **options: Any,
) -> None:  # fmt: skip
    """Serve one namespace of the store at ``path`` until a signal ends it; see ``build_app``.

    Requests at work are finished first, for at most ten seconds. With ``workers``, so many processes serve, each with
    an embedder and a share of the limits of its own: a program that asks for them has to stand below
    ``if __name__ == "__main__":``, and what it hands over has to be picklable.

    Raises:
        ConfigurationError: an address beyond this machine without a token, or one that cannot be listened on; workers
            that cannot be.
    """
    hosts = check_address(host, allowed_hosts, protected=keyring_of(token, token_file).required)
    limits = limits or Limits()
    chosen = {
        "namespace": namespace, "policy": policy, "embedder": embedder, "read_only": read_only, "token": token,
        "token_file": token_file, "allowed_hosts": hosts, "allowed_origins": allowed_origins, **options,
    }  # fmt: skip
    what = f"omoide http: namespace {namespace!r}"
    if check_workers(workers, path) == 1:
        listen(build_app(path, limits=limits, **chosen), host, port, what, limits)
        return
    with _listening(host, port, f"{what}, {workers} processes") as listener:
        serve_by(workers, listener, path, limits, chosen)


def check_address(host: str, allowed_hosts: Collection[str], *, protected: bool) -> Collection[str]:
    """Return the host names to answer to.

    Beyond this machine a token keeps strangers out, so that any name will do unless some are named.

    Raises:
        ConfigurationError: an address beyond this machine without a token.
    """
    if is_loopback(host):
        return allowed_hosts
    if not protected:
        raise ConfigurationError(
            f"refusing to listen on {host} without a token: anybody on the network could read and write the memory; "
            "give a token or a token file, or listen on 127.0.0.1",
            value=host,
        )
    return allowed_hosts or (ANY,)


def listen(app: App, host: str, port: int, what: str, limits: Limits | None = None) -> None:
    """Run an ASGI application on an address until a signal ends it.

    Raises:
        ConfigurationError: the address cannot be listened on.
    """
    with _listening(host, port, what) as listener, suppress(KeyboardInterrupt):  # uvicorn raises it when all is closed
        server_of(app, limits or Limits()).run(sockets=[listener])


@contextmanager
def _listening(host: str, port: int, what: str) -> Iterator[socket.socket]:
    listener = _bound(host, port)
    try:
        print(f"{what}, listening on http://{_shown(listener)}", file=sys.stderr, flush=True)
        yield listener
    finally:
        listener.close()


def _bound(host: str, port: int) -> socket.socket:
    name = host.strip("[]")
    try:
        family = socket.getaddrinfo(name, port, type=socket.SOCK_STREAM)[0][0]
        # Without the protocol by name asyncio leaves Nagle's algorithm on, which costs 40 ms an answer.
        listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    except (OSError, OverflowError) as error:
        raise _cannot_listen(host, port, error) from error
    try:
        if os.name == "posix":  # elsewhere it would let another program take the port
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((name, port))
        listener.listen(BACKLOG)
    except (OSError, OverflowError) as error:
        listener.close()
        raise _cannot_listen(host, port, error) from error
    return listener


def _cannot_listen(host: str, port: int, error: Exception) -> ConfigurationError:
    return ConfigurationError(f"cannot listen on {host}:{port}: {error}; choose another port", value=port)


def _shown(listener: socket.socket) -> str:
    address, port = listener.getsockname()[:2]
    return f"[{address}]:{port}" if ":" in address else f"{address}:{port}"
