"""Standard input and output as the SDK's transport reads them: one hop a message, and no line without an answer.

The SDK reads and writes through a file object for threads, which costs three changes of thread a call, and drops
a line that is no message, for whose answer a client then waits for ever. JSON-RPC 2.0 (section 5.1) has the codes.
"""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import Lock, Semaphore, Thread
from typing import Any, Final, Self

from omoide.serve.mcp.wire import ERR, OUT

IN: Final = 0
PARSE_ERROR: Final = -32700
INVALID_REQUEST: Final = -32600
AHEAD: Final = 64
"""Lines that are read before the server has taken them."""


@contextmanager
def own_pipes() -> Iterator[tuple[int, int]]:
    """Yield descriptors for the protocol alone; meanwhile 0 reads nothing and 1 is standard error.

    Raises:
        OSError: a standard stream is not there.
    """
    kept = os.dup(IN), os.dup(OUT)
    nothing = os.open(os.devnull, os.O_RDONLY)
    try:
        os.dup2(nothing, IN)
        os.dup2(ERR, OUT)
        yield kept
    finally:
        os.close(nothing)
        os.dup2(kept[0], IN)
        os.dup2(kept[1], OUT)


class Writer:
    """Writes whole lines; from any thread."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor, self._lock = descriptor, Lock()

    async def write(self, text: str) -> None:
        """Write a line; it is out when this returns."""
        self.put(text)

    async def flush(self) -> None:
        """Nothing waits."""

    def put(self, text: str) -> None:
        """Write a line in this thread."""
        data = memoryview(text.encode())
        with self._lock:
            while data:
                data = data[os.write(self._descriptor, data) :]


class Reader:
    """Yields lines that hold a message; the others are answered with an error at once."""

    def __init__(self, descriptor: int, writer: Writer) -> None:
        self._descriptor, self._writer = descriptor, writer
        self._lines: asyncio.Queue[str | None] = asyncio.Queue()
        self._room = Semaphore(AHEAD)
        self._loop = asyncio.get_running_loop()
        Thread(target=self._read, name="omoide-mcp-input", daemon=True).start()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> str:
        line = await self._lines.get()
        if line is None:
            raise StopAsyncIteration
        self._room.release()
        return line

    def _read(self) -> None:
        with suppress(RuntimeError):  # the loop has ended
            # Never closed: the descriptor is given back to the process, and a read may be waiting in it.
            with suppress(OSError), os.fdopen(self._descriptor, "rb", closefd=False) as file:
                for line in file:
                    self._take(line)
            self._loop.call_soon_threadsafe(self._lines.put_nowait, None)

    def _take(self, line: bytes) -> None:
        if not line.strip():
            return
        refusal = refusal_of(line)
        if refusal is not None:
            self._writer.put(json.dumps(refusal) + "\n")
            return
        self._room.acquire()
        self._loop.call_soon_threadsafe(self._lines.put_nowait, line.decode())


def refusal_of(line: bytes) -> dict[str, Any] | None:
    """Return the error that answers a line which is no JSON-RPC message, None for one that is."""
    text = line.decode("utf-8", "replace")
    try:
        message = json.loads(text)
    except (ValueError, RecursionError) as error:
        return _error(None, PARSE_ERROR, f"this line is not JSON: {error}")
    if not _is_message(message):
        return _error(message, INVALID_REQUEST, "this line is no JSON-RPC 2.0 message; batches are not taken")
    try:
        line.decode()
        json.dumps(message, ensure_ascii=False).encode()
    except UnicodeDecodeError as error:
        return _error(message, PARSE_ERROR, f"this line is not UTF-8: {error.reason} at byte {error.start}")
    except UnicodeEncodeError as error:
        return _error(message, PARSE_ERROR, f"this line has half a character, {error.object[error.start]!a}")
    return None


def _is_message(message: object) -> bool:
    """Say whether the outline is that of a request, a notification or an answer."""
    if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
        return False
    named = isinstance(message.get("method"), str) and isinstance(message.get("params") or {}, dict)
    return (named or bool({"result", "error"} & message.keys())) and _is_id(message.get("id", 0))


def _is_id(value: object) -> bool:
    return isinstance(value, str | int) and not isinstance(value, bool)


def _error(message: object, code: int, text: str) -> dict[str, Any]:
    known = message.get("id") if isinstance(message, dict) else None
    answered = known if _is_id(known) else None
    return {"jsonrpc": "2.0", "id": answered, "error": {"code": code, "message": text}}
