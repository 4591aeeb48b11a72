"""The reference pages of the network doors, made from the table of operations."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, Final

from omoide.model.catalog.operation import Operation, Parameter, Route
from omoide.ops import OPERATIONS
from omoide.serve.limits import KIB, MIB, Limits

_EFFECTS: Final = {"read": "reads", "write": "writes", "destroy": "destroys"}
_CONFIRMS: Final = {"never": "", "selector": "by selector", "always": "always"}

_MCP_INTRO: Final = """# The MCP server

    omoide mcp STORE --namespace NAME [--read-only] [--tools core|full|NAMES]
    omoide mcp STORE --transport http --port 8000

In Python: `omoide.serve_mcp(path, namespace=..., read_only=..., tools=..., transport=...)`, or
`omoide.serve.mcp.build_mcp_server(path, ...)` for the SDK's server object. Needs `pip install 'omoide[mcp]'`.

**Revisions.** 2024-11-05, 2025-03-26, 2025-06-18, 2025-11-25 and 2026-07-28, over stdio and streamable HTTP (path
`/mcp`). The official conformance suite is run by `make contracts`; what is not offered is listed, with the reason, in
`tests/contracts/mcp/not-offered-*.yml`: sampling, roots, protocol logging and resource subscriptions.

**Scope.** The namespace belongs to the server, or over HTTP to the token; no argument widens it. `--read-only` leaves
out every tool that writes. What is written is worth `observed`, over HTTP what the [token](http.md#tokens) says.

**Answers.** The structured content is `{"result": ...}`: the rows of a list, the id of what was made, else the whole
result; `notices`, `truncated`, `degraded` and the like stand beside it. The text block is for the prompt: every line
of stored text is quoted, with its id, source, date and trust; what could pose as markup, as a speaker or as nothing at
all is written so that it shows. It holds at most 6,000 tokens, or `max_tokens`; rows of an answer hold at most 10,000.

**A person's agreement.** `purge`, `undo`, `delete_document`, and `forget` by anything but an id, wait for a person:
from 2026-07-28 on by `input_required`, before by elicitation. A client that can do neither is told the command to run.

**A busy store.** A write that has an `idempotency_key` is kept beside the store and applied as soon as it is free:
the answer says `"saved": false, "spooled": true`. Everything else is an error that says to try again.

**Start and end.** The handshake does not wait for the store or the model; both are opened after the first answer. The
server ends when its client closes the pipe or is gone. Standard output carries nothing but the protocol.

**Resources.** `omoide://memory/{id}` is one memory, fenced. `omoide://examples` lists examples, and
`omoide://examples/{pattern}` is one, with code that runs as it is.

## Tools

The core set is marked; `--tools full` offers all of them with all parameters, the core set those in its table.

"""

_HTTP_INTRO: Final = """# The HTTP server

    omoide http STORE --namespace NAME [--read-only] [--host 127.0.0.1] [--port 8000]
        [--token-file tokens.toml] [--workers N]

In Python: `omoide.serve_http(path, ...)`, or `omoide.serve.http.build_app(path, ...)` for a Starlette application that
can be mounted in a larger one. Needs `pip install 'omoide[http]'`. `GET /openapi.json` is the description, OpenAPI
3.1; `GET /health` says that the server is there. Both need no token.

**Bodies** are JSON objects with `Content-Type: application/json`; answers are JSON. An error is
`{{"error": "what to do", "code": "..."}}`; codes and statuses are in [errors](errors.md).

**Who may call.** Without a token the server listens on this machine only. The `Host` header has to be a loopback name
or one of `allowed_hosts`, an `Origin` the server's own or one of `allowed_origins`; no CORS header is ever sent. Both
are checked because a web page can call a loopback address, and point a name at it.

**Destroying.** `forget` by selector, `undo` and `purge` want `"confirm": true` in the body; a dry run does not. `purge`
needs a token that may purge.

**Limits.** {mib} MiB and {depth} levels a body, {kib} KiB a request line with its headers, {body_seconds:g} s for each
to arrive, {seconds:g} s for an answer, {in_flight} requests at one time, {failures:g} a minute without a valid token;
`limits=Limits(rate=...)` adds a number of requests a second for every caller. Beyond them: 408, 413, 431, 429 and 503,
with `Retry-After`.

**Several processes.** With `--workers N`, or `workers=N`, the one that listens hands each connection to that of N
others which has the fewest open, so that as many cores are at work. The store keeps them in step: a write, or a retry
under its key, holds for all at once. Limits on callers and requests are shared out: each process counts by itself up
to an Nth, which is then what a caller with a single connection has. One that dies is replaced; its connections close.
With the default model each holds about 155 MB in memory (110 MB of its own), the one that listens 55 MB. On Windows
connections are handed over by other calls of the system, which have not been run.

**Stopping.** On SIGTERM or SIGINT the server finishes what it is at, for at most ten seconds.

## Tokens

One secret for all: `token=`, or the variable `OMOIDE_TOKEN`. It may purge. A file with rights of their own:
`--token-file`, `token_file=`, or `OMOIDE_TOKEN_FILE`. The file is read again when it changes; while it makes no sense
nobody comes in.

```toml
[[token]]
name = "laptop"
token = "a long random text"   # or sha256 = "64 hexadecimal digits of it"
namespace = "assistant"        # default: the server's own
read_only = false
actor = "alice"                # default: the name
trust = "stated"               # a person; default "observed"
purge = false
expires = 2027-01-01           # default: never
```

## Routes

"""


def mcp_page() -> str:
    """Return the reference of the MCP server."""
    offered = [operation for operation in OPERATIONS.values() if operation.doors.mcp_full]
    rows = [
        (
            f"[`{operation.name}`](#{operation.name})",
            "core" if operation.doors.mcp_core else "",
            _EFFECTS[operation.effect],
            _CONFIRMS[operation.confirm],
            operation.summary,
        )
        for operation in offered
    ]
    parts = [_MCP_INTRO, table(("tool", "set", "effect", "agreement", "what it does"), rows)]
    for operation in offered:
        parts.append(f"\n### {operation.name}\n\n{operation.summary}\n")
        if operation.parameters:
            parts.append("\n" + _parameters(operation.parameters, core=operation.doors.mcp_core))
    return "".join(parts)


def http_page() -> str:
    """Return the reference of the HTTP server."""
    limits = Limits()
    intro = _HTTP_INTRO.format(
        mib=limits.body // MIB, kib=limits.head // KIB, depth=limits.depth, body_seconds=limits.body_seconds,
        seconds=limits.seconds, in_flight=limits.in_flight, failures=limits.failures,
    )  # fmt: skip
    pairs = sorted(
        ((route, operation) for operation in OPERATIONS.values() for route in operation.doors.http),
        key=lambda pair: (pair[0].path, pair[0].method),
    )
    rows = [
        (f"`{route.method} {route.path}`", str(route.status), _arguments(operation, route), operation.summary)
        for route, operation in pairs
    ]
    return intro + table(("route", "status", "takes", "what it does"), rows)


def _arguments(operation: Operation, route: Route) -> str:
    """Return the names of the arguments beside the path's, required ones first and marked."""
    named = set(re.findall(r"\{(\w+)\}", route.path))
    others = [parameter for parameter in operation.parameters if parameter.name not in named]
    others.sort(key=lambda parameter: not parameter.required)
    return ", ".join(f"`{parameter.name}`{'*' if parameter.required else ''}" for parameter in others)


def _parameters(parameters: Iterable[Parameter], *, core: bool) -> str:
    rows = [
        (
            f"`{parameter.name}`{'*' if parameter.required else ''}",
            _kind(parameter.schema),
            "core" if core and parameter.level <= 1 else "",
            str(parameter.schema["description"]),
        )
        for parameter in parameters
    ]
    return table(("parameter", "type", "set", "meaning"), rows)


def _kind(schema: Any) -> str:
    if "enum" in schema:
        return ", ".join(f"`{value}`" for value in schema["enum"])
    kind = schema.get("type", "any")
    return " or ".join(kind) if isinstance(kind, list) else str(kind)


def table(columns: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    """Return rows as a Markdown table."""
    lines = [columns, tuple("---" for _ in columns), *rows]
    return "".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in row)} |\n" for row in lines)
