"""Standard input and output as the SDK reads them: one hop a message, and no line without an answer.

The SDK's own transport reads and writes through file objects for threads and hands every message from task to task,
and it drops a line that is no message, for whose answer a client then waits for ever. JSON-RPC 2.0 (section 5.1) has
the codes.
"""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import Condition, Lock, Semaphore, Thread
from typing import Any, Final, Self

import anyio
from mcp.shared.message import SessionMessage
from mcp_types import JSONRPCError, JSONRPCNotification, JSONRPCRequest, JSONRPCResponse, jsonrpc_message_adapter
from pydantic import ValidationError

from omoide.serve.mcp.wire import ERR, OUT

IN: Final = 0
PARSE_ERROR: Final = -32700
INVALID_REQUEST: Final = -32600
AHEAD: Final = 64
"""Lines that are read before the server has taken them."""
LAST_ANSWERS_SECONDS: Final = 5.0
"""How long answers are waited for once input has ended; the SDK drops what is at work then."""
CANCELLED: Final = "notifications/cancelled"


@contextmanager
def own_pipes(output: int = OUT) -> Iterator[tuple[int, int]]:
    """Yield descriptors for the protocol alone, one writing to ``output``; meanwhile 0 reads nothing, 1 is 2.

    Raises:
        OSError: a standard stream is not there.
    """
    kept, before = (os.dup(IN), os.dup(output)), os.dup(OUT)
    nothing = os.open(os.devnull, os.O_RDONLY)
    try:
        os.dup2(nothing, IN)
        os.dup2(ERR, OUT)
        yield kept
    finally:
        os.close(nothing)
        os.dup2(kept[0], IN)
        os.dup2(before, OUT)
        os.close(before)


class Writer:
    """The stream that the server's messages go to, as whole lines; ``put`` may be called from any thread."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor, self._lock = descriptor, Lock()
        self.unanswered = Unanswered()

    async def send(self, item: SessionMessage, /) -> None:
        """Write a message; it is out when this returns.

        Raises:
            anyio.BrokenResourceError: the client has closed the pipe.
        """
        try:
            self.put(item.message.model_dump_json(by_alias=True, exclude_unset=True))
        except OSError as error:
            raise anyio.BrokenResourceError from error
        self.unanswered.sent(item.message)

    def put(self, text: str) -> None:
        """Write a line in this thread."""
        data = memoryview(f"{text}\n".encode())
        with self._lock:
            while data:
                data = data[os.write(self._descriptor, data) :]

    async def aclose(self) -> None:
        """Nothing waits, and the descriptor is the process's."""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_exception: object) -> None:
        await self.aclose()


class Reader:
    """The stream of messages that come in; a line that holds none is answered with an error at once."""

    def __init__(self, descriptor: int, writer: Writer) -> None:
        self._descriptor, self._writer = descriptor, writer
        self._messages: asyncio.Queue[SessionMessage | None] = asyncio.Queue()
        self._room = Semaphore(AHEAD)
        self._loop = asyncio.get_running_loop()
        Thread(target=self._read, name="omoide-mcp-input", daemon=True).start()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> SessionMessage:
        message = await self._messages.get()
        if message is None:
            self._messages.put_nowait(None)
            raise StopAsyncIteration
        self._room.release()
        return message

    async def receive(self) -> SessionMessage:
        """Return the next message.

        Raises:
            anyio.EndOfStream: the client has closed the pipe.
        """
        try:
            return await self.__anext__()
        except StopAsyncIteration:
            raise anyio.EndOfStream from None

    async def aclose(self) -> None:
        """Nothing is kept: the descriptor is the process's, and a read may be waiting in it."""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_exception: object) -> None:
        await self.aclose()

    def _read(self) -> None:
        with suppress(RuntimeError):  # the loop has ended
            # Never closed: the descriptor is given back to the process, and a read may be waiting in it.
            with suppress(OSError), os.fdopen(self._descriptor, "rb", closefd=False) as file:
                for line in file:
                    self._take(line)
            self._writer.unanswered.wait(LAST_ANSWERS_SECONDS)
            self._loop.call_soon_threadsafe(self._messages.put_nowait, None)

    def _take(self, line: bytes) -> None:
        if not line.strip():
            return
        read = message_of(line)
        if isinstance(read, SessionMessage):
            self._room.acquire()
            self._writer.unanswered.came(read.message)
            self._loop.call_soon_threadsafe(self._messages.put_nowait, read)
        elif read is not None:
            self._writer.put(json.dumps(read))


class Unanswered:
    """The requests that came and have no answer yet; safe to use from any thread."""

    def __init__(self) -> None:
        self._ids: set[Any] = set()
        self._changed = Condition()

    def came(self, message: object) -> None:
        """Note what a client sent."""
        if isinstance(message, JSONRPCRequest):
            with self._changed:
                self._ids.add(message.id)
        elif isinstance(message, JSONRPCNotification) and message.method == CANCELLED:
            self._drop((message.params or {}).get("requestId"))

    def sent(self, message: object) -> None:
        """Note what went to the client."""
        if isinstance(message, JSONRPCResponse | JSONRPCError):
            self._drop(message.id)

    def wait(self, seconds: float) -> None:
        """Wait until all is answered, but not longer than ``seconds``."""
        with self._changed:
            self._changed.wait_for(lambda: not self._ids, seconds)

    def _drop(self, id: object) -> None:
        with self._changed:
            if isinstance(id, str | int):
                self._ids.discard(id)
            if not self._ids:
                self._changed.notify_all()


def message_of(line: bytes) -> SessionMessage | dict[str, Any] | None:
    """Return the message that a line holds, the error that answers a line without one, or None for neither.

    The SDK takes a request whose id makes no sense for a notification, which has no answer.
    """
    try:
        message = jsonrpc_message_adapter.validate_json(line, by_name=False)
    except ValidationError as error:
        return refusal_of(line) or _unread(line, error)
    if isinstance(message, JSONRPCNotification) and b'"id"' in line and (refusal := refusal_of(line)):
        return refusal
    return SessionMessage(message)


def _unread(line: bytes, error: ValidationError) -> dict[str, Any] | None:
    """Return what answers a request that the SDK cannot read; its answers and notifications nobody waits for."""
    message = json.loads(line)
    if "method" not in message or "id" not in message:
        return None
    return _error(message, INVALID_REQUEST, f"this line cannot be read: {error.errors(include_url=False)[0]['msg']}")


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
