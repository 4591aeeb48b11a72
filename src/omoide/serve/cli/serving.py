"""``omoide mcp`` and ``omoide http``: the servers, started from the command line."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, Final

import click

from omoide.errors import InvalidInputError
from omoide.serve import codes
from omoide.serve.cli.commands import current_session
from omoide.serve.cli.helping import Command
from omoide.serve.cli.options import shared_options
from omoide.serve.cli.session import Session
from omoide.serve.limits import MOST_WORKERS
from omoide.serve.messages.speech import Speech

HOST: Final = "127.0.0.1"
PORT: Final = 8000
LAST_PORT: Final = 65_535


def mcp_command(say: Speech) -> click.Command:
    """Return ``omoide mcp [STORE] [--read-only] [--tools ...]``."""
    own = [
        _store(say),
        _read_only(say),
        click.Option(["--tools"], default="core", show_default=True, metavar="core|full|NAMES", help=say("opt.tools")),
        click.Option(
            ["--transport"], default="stdio", show_default=True, metavar="stdio|http", help=say("opt.transport")
        ),
        *_address(say),
    ]
    return _command("mcp", own, _serve_mcp, say)


def http_command(say: Speech) -> click.Command:
    """Return ``omoide http [STORE] [--read-only] [--host] [--port] [--token-file] [--workers]``."""
    own = [
        _store(say),
        _read_only(say),
        *_address(say),
        click.Option(
            ["--workers"], default="1", show_default=True, callback=partial(_workers, say), metavar="N",
            help=say("opt.workers"),
        ),
    ]  # fmt: skip
    return _command("http", own, _serve_http, say)


def _command(name: str, own: list[click.Parameter], call: Callable[..., int], say: Speech) -> click.Command:
    return Command(
        name, params=[*own, *shared_options(say)], callback=partial(call, say), help=say(f"cmd.{name}"), say=say
    )


def _store(say: Speech) -> click.Argument:
    return click.Argument(["place"], required=False, metavar="[STORE]", help=say("opt.store"))


def _read_only(say: Speech) -> click.Option:
    return click.Option(["--read-only"], is_flag=True, help=say("opt.read_only"))


def _address(say: Speech) -> list[click.Parameter]:
    return [
        click.Option(["--host"], default=HOST, show_default=True, metavar="HOST", help=say("opt.host")),
        click.Option(
            ["--port"],
            default=str(PORT),
            show_default=True,
            callback=partial(_port, say),
            metavar="PORT",
            help=say("opt.port"),
        ),
        click.Option(["--token-file"], metavar="PATH", help=say("opt.token_file")),
        click.Option(["--allow-host", "allowed_hosts"], multiple=True, metavar="HOST", help=say("opt.allow_host")),
        click.Option(["--allow-origin", "allowed_origins"], multiple=True, metavar="URL", help=say("opt.allow_origin")),
    ]


def _port(say: Speech, _context: click.Context, _parameter: click.Parameter, value: str) -> int:
    if value.isascii() and value.isdigit() and len(value) <= 5 and int(value) <= LAST_PORT:
        return int(value)
    raise InvalidInputError(say("usage.port", value=value), value=value)


def _workers(say: Speech, _context: click.Context, _parameter: click.Parameter, value: str) -> int:
    if value.isascii() and value.isdigit() and len(value) <= 2 and 1 <= int(value) <= MOST_WORKERS:
        return int(value)
    raise InvalidInputError(say("usage.workers", most=MOST_WORKERS, value=value), value=value)


def _options(session: Session, place: str | None, read_only: bool) -> tuple[str, dict[str, Any]]:
    path = str(Path(place).expanduser()) if place is not None else session.path
    if place is not None and place.endswith(("/", "\\")):
        path = f"{path}/"
    return path, {
        "namespace": session.namespace,
        "embedder": session.settings["embedder"],
        "read_only": read_only,
    }


def _serve_mcp(say: Speech, place: str | None, read_only: bool, **options: Any) -> int:
    from omoide.serve.mcp import serve_mcp

    session = current_session(say)
    path, common = _options(session, place, read_only)
    serve_mcp(path, actor=session.settings["actor"], **common, **options)
    return codes.OK


def _serve_http(say: Speech, place: str | None, read_only: bool, **options: Any) -> int:
    from omoide.serve.http import serve_http

    path, common = _options(current_session(say), place, read_only)
    serve_http(path, **common, **options)
    return codes.OK
