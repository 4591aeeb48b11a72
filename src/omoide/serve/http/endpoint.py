"""One route of one operation: who may, with which arguments, and what comes back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import parse_qsl

from omoide.errors import OmoideError
from omoide.model.catalog.operation import Operation, Route
from omoide.serve.guard import GRANT, NOBODY, Receive, Refusal, Scope, Send, refuse
from omoide.serve.http.failures import refusal_of
from omoide.serve.http.work import Work
from omoide.serve.tokens import Grant

CONFIRM: Final = "confirm"
"""The argument by which a caller says that it means what cannot be taken back or reaches far."""
UPDATED: Final = "updated"
"""What a PATCH answers besides, as rmbr does."""
WITH_BODY: Final = frozenset({"POST", "PATCH", "PUT"})
SELECTORS: Final = ("source", "subject", "where")
MAX_FIELDS: Final = 100


class Endpoint:
    """An ASGI application for one route of the table."""

    def __init__(self, operation: Operation, route: Route, work: Work) -> None:
        self._operation, self._route, self._work, self._bodies = operation, route, work, work.bodies
        self._lists = {p.name for p in operation.parameters if "array" in p.schema.get("type", ())}
        self._named = [p.name for p in operation.parameters if f"{{{p.name}}}" in route.path]
        self._needs_body = any(p.required and p.name not in self._named for p in operation.parameters)
        self._with_body = route.method in WITH_BODY

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        try:
            grant = scope.get(GRANT, NOBODY)
            self._check_rights(grant)
            arguments = await self._arguments(scope, receive)
            self._check_confirmed(arguments, grant)
            result, body = await self._work.do(grant, self._operation.name, arguments)
        except Refusal as refusal:
            await refuse(send, refusal)
        except OmoideError as error:
            await refuse(send, refusal_of(error))
        else:
            await self._send(send, self._route.status, result, body)

    def _check_rights(self, grant: Grant) -> None:
        if self._operation.effect == "read":
            return
        if self._work.read_only:
            raise Refusal(405, "store_read_only", "this server is read-only", [("allow", "GET")])
        if grant.read_only:
            raise Refusal(403, "access_denied", "this token may only read")
        if self._operation.name == "purge" and not grant.purge:
            raise Refusal(
                403, "access_denied", "purge needs a token that may purge; or use omoide purge on the machine"
            )

    async def _arguments(self, scope: Scope, receive: Receive) -> dict[str, Any]:
        arguments: dict[str, Any] = {}
        if self._with_body:
            arguments = await self._bodies.read(scope, receive, required=self._needs_body)
        else:
            arguments = self._query(scope)
        for name in self._named:
            if name in arguments:
                raise Refusal(400, "invalid_input", f"{name} is given by the path and may not be given again")
            arguments[name] = _path_id(scope["path_params"][name])
        return arguments

    def _query(self, scope: Scope) -> dict[str, Any]:
        raw: bytes = scope.get("query_string", b"")
        try:
            pairs = parse_qsl(raw.decode("ascii"), True, errors="strict", max_num_fields=MAX_FIELDS)
        except ValueError as error:
            raise Refusal(400, "invalid_input", f"the query string cannot be read: {error}") from None
        found: dict[str, Any] = {}
        for name, value in pairs:
            if name not in found:
                found[name] = value
            elif name in self._lists:
                found[name] = [*([found[name]] if isinstance(found[name], str) else found[name]), value]
            else:
                raise Refusal(400, "invalid_input", f"{name} is given twice")
        return found

    def _check_confirmed(self, arguments: dict[str, Any], grant: Grant) -> None:
        """Ask for ``"confirm": true`` where the table wants a person to agree and the body can carry it."""
        if not self._with_body or not asks_confirmation(self._operation):
            return
        confirmed = arguments.pop(CONFIRM, False) is True
        if confirmed or not needs_confirmation(self._operation, arguments):
            return
        raise Refusal(
            409, "confirmation_needed",
            f'{self._operation.name} reaches beyond one memory; send "{CONFIRM}": true as well when that is meant',
        )  # fmt: skip

    async def _send(self, send: Send, status: int, result: Any, body: bytes) -> None:
        if self._route.method == "PATCH" and isinstance(result, dict):
            if not result.get("updated"):
                await refuse(send, Refusal(404, "not_found", f"there is no memory {result.get('id')} to update here"))
                return
            body = body[:-1] + f',"status":"{UPDATED}"}}'.encode()
        if status == 204:
            body = b""
        headers = [(b"content-length", str(len(body)).encode())]
        if body:
            headers.append((b"content-type", b"application/json"))
        await send({"type": "http.response.start", "status": status, "headers": [] if status == 204 else headers})
        await send({"type": "http.response.body", "body": body})


def asks_confirmation(operation: Operation) -> bool:
    """Return whether the operation takes ``confirm`` in a body."""
    return operation.confirm != "never"


def needs_confirmation(operation: Operation, arguments: Mapping[str, Any]) -> bool:
    """Return whether these arguments do what a person has to agree to first."""
    if operation.confirm == "never" or arguments.get("dry_run") in (True, "true"):
        return False
    return operation.confirm == "always" or any(arguments.get(name) not in (None, "") for name in SELECTORS)


def _path_id(value: str) -> int:
    """Return an id that a path names; anything but a positive number names nothing."""
    if value.isascii() and value.isdigit() and 0 < len(value) <= 18 and int(value) > 0:
        return int(value)
    raise Refusal(404, "not_found", f"there is nothing with the id {value[:50]!r}")
