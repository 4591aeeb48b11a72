"""Opening the network doors in a test, without a network."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.testclient import TestClient

from omoide.serve.http import build_app

HOST = "http://127.0.0.1:8000"


@contextmanager
def web(path: Path, **options: Any) -> Iterator[TestClient]:
    """Call the HTTP door of a store; keyword search only unless told otherwise."""
    app = build_app(path, **{"embedder": "none", **options})
    with calling(app) as client:
        yield client


@contextmanager
def calling(app: Starlette) -> Iterator[TestClient]:
    """Call an application, which a failure of its own does not let through as an exception."""
    with TestClient(app, base_url=HOST, raise_server_exceptions=False) as client:
        yield client


def bearer(token: str) -> dict[str, str]:
    return {"authorization": f"Bearer {token}"}


def raw_json(body: bytes) -> dict[str, Any]:
    """Arguments of a request with this body, said to be JSON."""
    return {"content": body, "headers": {"content-type": "application/json"}}


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def process(code: str, *arguments: str, **options: Any) -> Iterator[subprocess.Popen[bytes]]:
    """Run Python code in a process of its own, ended with the block."""
    pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    child = subprocess.Popen([sys.executable, "-c", code, *arguments], **{**pipes, **options})
    try:
        yield child
    finally:
        if child.poll() is None:
            child.kill()
        for pipe in (child.stdin, child.stdout, child.stderr):
            if pipe is not None:
                with suppress(OSError):  # what was not sent is not needed
                    pipe.close()
        child.wait(timeout=30)


def wait_for_port(port: int, seconds: float = 60.0) -> None:
    """Wait until something listens."""
    deadline = time.monotonic() + seconds
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.05)
        else:
            return


class Lines:
    """A client that speaks JSON-RPC in lines with a process, as raw as it gets."""

    def __init__(self, child: subprocess.Popen[bytes]) -> None:
        assert child.stdin is not None
        assert child.stdout is not None
        self._stdin, self._stdout = child.stdin, child.stdout
        self._next = 0
        self.seen: list[dict[str, Any]] = []

    def send(self, line: bytes) -> None:
        self._stdin.write(line + b"\n")
        self._stdin.flush()

    def read(self) -> dict[str, Any]:
        line = self._stdout.readline()
        assert line, "the server said nothing and left"
        message: dict[str, Any] = json.loads(line)
        assert message["jsonrpc"] == "2.0"
        self.seen.append(message)
        return message

    def ask(self, method: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
        """Send a request and return the answer to it."""
        self._next += 1
        request = {"jsonrpc": "2.0", "id": self._next, "method": method, "params": params or {}}
        self.send(json.dumps(request).encode())
        while True:
            message = self.read()
            if message.get("id") == self._next:
                return message

    def initialize(self, revision: str = "2025-11-25", **capabilities: Any) -> dict[str, Any]:
        client = {"name": "test", "version": "1"}
        answer = self.ask(
            "initialize", {"protocolVersion": revision, "capabilities": capabilities, "clientInfo": client}
        )
        self.send(b'{"jsonrpc":"2.0","method":"notifications/initialized"}')
        return answer

    def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """Call a tool; return its result."""
        answer = self.ask("tools/call", {"name": tool, "arguments": arguments})
        result: dict[str, Any] = answer["result"]
        return result
