"""Servers started from the command line."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from contextlib import suppress

import pytest
from tests.surfaces.command_line import CommandLine
from tests.surfaces.doors import free_port

import omoide

INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}},
}


def test_an_agent_reaches_the_store_over_mcp(cli: CommandLine) -> None:
    words = ["mcp", str(cli.store), "--namespace", "agent", "--tools", "recall,remember"]
    lines = [INITIALIZE, {"jsonrpc": "2.0", "method": "notifications/initialized"}]
    with subprocess.Popen(
        [sys.executable, "-m", "omoide", *words],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        for line in [*lines, {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}]:
            server.stdin.write(json.dumps(line).encode() + b"\n")
            server.stdin.flush()
        answers = [json.loads(server.stdout.readline()) for _ in range(2)]
        server.stdin.close()
        server.wait(30)
    assert answers[0]["result"]["serverInfo"]["version"] == omoide.__version__
    assert {tool["name"] for tool in answers[1]["result"]["tools"]} == {"recall", "remember"}


@pytest.mark.skipif(sys.platform == "win32", reason="a signal ends the server")
def test_a_program_reaches_the_store_over_http(cli: CommandLine) -> None:
    port = free_port()
    words = ["http", "--port", str(port), "--namespace", "web", "--read-only"]
    with subprocess.Popen([sys.executable, "-m", "omoide", *words], stderr=subprocess.DEVNULL) as server:
        try:
            health = asked(f"http://127.0.0.1:{port}/health")
        finally:
            server.send_signal(signal.SIGTERM)
        assert server.wait(30) in (0, -signal.SIGTERM)
    assert health == {"status": "ok", "namespace": "web", "version": omoide.__version__}


def asked(address: str) -> object:
    """Return what an address answers as soon as somebody listens there."""
    until = time.monotonic() + 60
    while time.monotonic() < until:
        with suppress(urllib.error.URLError, ConnectionError), urllib.request.urlopen(address, timeout=5) as answer:  # noqa: S310
            return json.load(answer)
        time.sleep(0.1)
    raise AssertionError(f"nobody answers at {address}")


@pytest.mark.parametrize(
    "words, said",
    [
        (("http", "--host", "0.0.0.0"), "token"),  # noqa: S104
        (("http", "--store", ":memory:", "--workers", "2"), "workers=1"),
        (("mcp", "--tools", "nap"), "nap"),
    ],
)
def test_a_server_that_may_not_be_is_refused_with_a_sentence(
    cli: CommandLine, words: tuple[str, ...], said: str
) -> None:
    refused = cli(*words, status=13)
    assert said in refused.err
    assert "Traceback" not in refused.err


@pytest.mark.parametrize("workers", ["0", "-1", "65", "2.5", "²", "many"])
def test_a_number_of_processes_that_cannot_be_is_refused(cli: CommandLine, workers: str) -> None:
    assert f"not {workers}" in cli("http", "--workers", workers, status=2).err
