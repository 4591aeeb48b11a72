"""Request bodies: JSON objects only, of bounded size, depth and time."""

from __future__ import annotations

import json
from typing import Any, Final

from omoide.serve.deadlines import Deadlines
from omoide.serve.guard import Receive, Refusal, Scope
from omoide.serve.limits import Limits

JSON_TYPE: Final = b"application/json"


class Bodies:
    """Reads the bodies of one application's requests."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._deadlines = Deadlines(limits.body_seconds)

    async def read(self, scope: Scope, receive: Receive, *, required: bool) -> dict[str, Any]:
        """Return the JSON object that the body holds; ``{}`` for no body, unless one is ``required``.

        Raises:
            Refusal: 400, 408, 413 or 415, with what to do.
        """
        headers = dict(scope["headers"])
        raw = await self._raw(headers.get(b"content-length"), receive)
        if not required and not raw.strip():
            return {}
        _check_kind(headers.get(b"content-type", b""))
        return parse_object(raw, self._limits.depth)

    async def _raw(self, announced: bytes | None, receive: Receive) -> bytes:
        limit = self._limits.body
        if announced is not None and announced.isdigit() and int(announced[:20]) > limit:
            raise _too_large(limit)
        parts: list[bytes] = []
        size = 0
        try:
            with self._deadlines.turn():
                while True:
                    message = await receive()
                    if message["type"] == "http.disconnect":
                        raise Refusal(400, "incomplete", "the request ended before its body did")
                    part = message.get("body", b"")
                    size += len(part)
                    if size > limit:
                        raise _too_large(limit)
                    parts.append(part)
                    if not message.get("more_body", False):
                        return b"".join(parts)
        except TimeoutError:
            seconds = self._limits.body_seconds
            raise Refusal(408, "too_slow", f"the body did not arrive within {seconds:g} s") from None


def _check_kind(header: bytes) -> None:
    kind, _, parameters = header.partition(b";")
    if kind.strip().lower() != JSON_TYPE:
        raise Refusal(415, "not_json", "send a JSON object with the header Content-Type: application/json")
    if b"charset" in parameters.lower() and b"utf-8" not in parameters.lower():
        raise Refusal(415, "not_json", "send the JSON in UTF-8")


def parse_object(raw: bytes, depth: int) -> dict[str, Any]:
    """Return the JSON object in ``raw``.

    Raises:
        Refusal: 400 for what is not JSON in UTF-8, not an object, or nested more than ``depth`` levels.
    """
    try:
        value = _JSON.decode(raw.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise _bad(f"the body is not UTF-8: {error.reason} at byte {error.start}") from None
    except RecursionError:
        raise _bad(f"the body is nested deeper than {depth} levels") from None
    except ValueError as error:
        raise _bad(f"the body is not JSON: {error}") from None
    if not isinstance(value, dict):
        raise _bad('the body must be a JSON object such as {"text": "..."}')
    if _deeper_than(value, depth):
        raise _bad(f"the body is nested deeper than {depth} levels")
    return value


def _deeper_than(value: object, depth: int) -> bool:
    level: list[object] = [value]
    for _ in range(depth):
        level = [
            item
            for outer in level
            if isinstance(outer, dict | list)
            for item in (outer.values() if isinstance(outer, dict) else outer)
            if isinstance(item, dict | list)
        ]
        if not level:
            return False
    return True


def _refuse_constant(name: str) -> object:
    raise ValueError(f"{name} is not a JSON number")


_JSON: Final = json.JSONDecoder(parse_constant=_refuse_constant)


def _bad(message: str) -> Refusal:
    return Refusal(400, "invalid_body", message)


def _too_large(limit: int) -> Refusal:
    return Refusal(413, "too_large", f"the body is larger than {limit} bytes")
