"""One service over HTTP: a question in JSON, the answer in JSON, asked again where that can help.

Too many requests, a server's own failure and a lost connection are asked again up to ``TRIES`` times within the
timeout, after a pause that doubles, or as long as ``Retry-After`` says. A refused key or request is not, nor a
service that is not there: whoever waits for it would wait at every write.
"""

from __future__ import annotations

import json
import random
import time
from collections.abc import Iterator
from http import HTTPStatus
from http.client import HTTPException, HTTPResponse
from typing import Any, Final
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

from omoide.errors import EmbedderError, EmbedderUnavailableError

TIMEOUT: Final = 30.0
"""Seconds for one request and its repetitions."""
TRIES: Final = 4
BYTES: Final = 256 << 20
"""Bytes of the longest answer."""
FIRST_PAUSE: Final = 0.25  # seconds
_AGAIN: Final = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})
_KEY: Final = frozenset({401, 403})
_SHOWN: Final = 300  # characters of a service's own error message


class Service:
    """A name for messages, an address, a key and a patience in seconds."""

    def __init__(self, name: str, url: str, key: str | None, timeout: float) -> None:
        self._name, self._url, self._key, self._timeout = name, url, key, timeout
        self._rests_until = 0.0

    def post(self, path: str, body: dict[str, Any]) -> Any:
        """Return the answer to a request.

        Raises:
            EmbedderUnavailableError: the key was refused.
            EmbedderError: any other failure, after the last try.
        """
        if time.monotonic() < self._rests_until:
            raise EmbedderError(f"{self._name} did not answer in time a moment ago and is left alone for now")
        until = time.monotonic() + self._timeout
        request = self._request(path, json.dumps(body).encode())
        for pause in _pauses():
            try:
                with urlopen(request, timeout=max(until - time.monotonic(), 0.001)) as answer:  # noqa: S310  # scheme checked
                    return json.loads(_body(answer, until))
            except (OSError, HTTPException, ValueError, RecursionError) as error:
                failure, wait = self._judged(error)
                wait = max(wait, pause)
                if time.monotonic() + wait >= until:
                    raise failure from error
                time.sleep(wait)
        raise AssertionError("the last pause is for ever")

    def _judged(self, error: Exception) -> tuple[EmbedderError, float]:
        """Return the error to raise and how many seconds to wait at least before the next try."""
        reason = error.reason if isinstance(error, URLError) else error
        if isinstance(error, HTTPError):
            return self._refused(error)
        if isinstance(reason, TimeoutError):
            return self._late(error), _NEVER
        lost = isinstance(reason, ConnectionResetError | HTTPException)
        return EmbedderError(f"{self._name} at {self._url} cannot be asked: {error}"), 0.0 if lost else _NEVER

    def _request(self, path: str, data: bytes) -> Request:
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        if self._key:
            headers["Authorization"] = f"Bearer {self._key}"
        return Request(self._url + path, data, headers)  # noqa: S310  # scheme checked

    def _refused(self, error: HTTPError) -> tuple[EmbedderError, float]:
        wait = _retry_after(error) if error.code in _AGAIN else _NEVER
        told = f"{self._name} answered {_status(error)}"
        if error.code in _KEY:
            return EmbedderUnavailableError(f"{told}; check the key"), _NEVER
        return EmbedderError(told), wait

    def _late(self, error: Exception) -> EmbedderError:
        """Every write would wait as long again, so the service is left alone for as long as it took."""
        self._rests_until = time.monotonic() + self._timeout
        return EmbedderError(f"{self._name} at {self._url} did not answer within {self._timeout:g} s: {error}")


def _body(answer: HTTPResponse, until: float) -> bytes:
    """Return a whole answer.

    Raises:
        TimeoutError: it had not come to an end by then.
        ValueError: it is longer than any that is asked for.
    """
    parts: list[bytes] = []
    size = 0
    while part := answer.read1(1 << 16):
        parts.append(part)
        size += len(part)
        if size > BYTES:
            raise ValueError(f"the answer is longer than {BYTES} bytes")
        if time.monotonic() > until:
            raise TimeoutError("the answer does not end")
    return b"".join(parts)


_NEVER: Final = float("inf")


def _pauses() -> Iterator[float]:
    """Yield how long to wait after each try, in seconds, a little different for everyone; never after the last."""
    for n in range(TRIES - 1):
        yield FIRST_PAUSE * 2**n * random.uniform(0.8, 1.2)  # noqa: S311  # spreads load, no secret
    yield _NEVER


def _retry_after(error: HTTPError) -> float:
    """Return the seconds that a service asks to be left alone, 0 when it does not say or says a date."""
    said = (error.headers.get("Retry-After") or "").strip()
    try:
        seconds = float(said)
    except ValueError:
        return 0.0
    return max(seconds, 0.0) if seconds == seconds else 0.0  # noqa: PLR0124  (not a number is no time)


def _status(error: HTTPError) -> str:
    with error:
        told = error.read(_SHOWN).decode(errors="replace").strip()
    name = HTTPStatus(error.code).phrase if error.code in set(HTTPStatus) else error.reason
    return f"{error.code} {name}: {told}" if told else f"{error.code} {name}"
