"""Everybody at once on one store: MCP servers, an HTTP server under load, and commands."""

from __future__ import annotations

import http.client
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

from tests.surfaces.doors import Lines, free_port, process, wait_for_port

from omoide import Memory

MCP = "import sys; from omoide import serve_mcp; serve_mcp(sys.argv[1], embedder='none')"
HTTP = """
import sys
from omoide import serve_http
serve_http(sys.argv[1], port=int(sys.argv[2]), embedder="none", workers=int(sys.argv[3]))
"""

ENVIRONMENT = {**os.environ, "OMOIDE_EMBEDDER": "none"}


@dataclass
class Report:
    """What happened: texts that were acknowledged, what went wrong, what was not found at the end."""

    acknowledged: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    missing: tuple[str, ...] = ()
    findings: tuple[str, ...] = ()

    @property
    def written(self) -> int:
        return len(self.acknowledged)


def crowd(path: Path, *, seconds: float, mcp_servers: int = 4, http_clients: int = 4, http_workers: int = 1) -> Report:
    """Let them all write and read for a while, then look whether everything that was acknowledged is there."""
    report = Report()
    stop = threading.Event()
    with ExitStack() as stack:
        port = free_port()
        children = [stack.enter_context(process(MCP, str(path))) for _ in range(mcp_servers)]
        stack.enter_context(process(HTTP, str(path), str(port), str(http_workers)))
        wait_for_port(port)
        clients = [Lines(child) for child in children]
        for client in clients:
            client.initialize()
        jobs: list[Callable[[str], None]] = [_over_mcp(client, report, stop) for client in clients]
        jobs += [_over_http(port, report, stop) for _ in range(http_clients)]
        jobs.append(_by_command(path, report, stop))
        threads = [
            threading.Thread(target=_guarded, args=(job, f"worker{number}", report)) for number, job in enumerate(jobs)
        ]
        for thread in threads:
            thread.start()
        time.sleep(seconds)
        stop.set()
        for thread in threads:
            thread.join(timeout=120)
    with Memory(path, embedder="none") as memory:
        there = {record.text for record in memory.list()}
        report.missing = tuple(text for text in report.acknowledged if text not in there)
        report.findings = tuple(memory.integrity_check())
    return report


def _guarded(job: Callable[[str], None], name: str, report: Report) -> None:
    try:
        job(name)
    except (AssertionError, OSError, ValueError, KeyError, http.client.HTTPException) as error:
        report.errors.append(f"{name}: {error!r}")


def _over_mcp(lines: Lines, report: Report, stop: threading.Event) -> Callable[[str], None]:
    def job(name: str) -> None:
        number = 0
        while not stop.is_set():
            text = f"{name} says number {number} over mcp"
            answer = lines.call("remember", text=text)
            assert not answer["isError"], answer
            report.acknowledged.append(text)
            found = lines.call("recall", query=text, k=3)
            assert not found["isError"], found
            assert text in [row["text"] for row in found["structuredContent"]["result"]] or not _saved(answer), text
            number += 1

    return job


def _saved(answer: dict[str, dict[str, object]]) -> bool:
    return answer["structuredContent"].get("saved") is True


def _over_http(port: int, report: Report, stop: threading.Event) -> Callable[[str], None]:
    def job(name: str) -> None:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        number = 0
        while not stop.is_set():
            text = f"{name} says number {number} over http"
            status, _ = _ask(connection, "/memories", {"text": text})
            assert status == 201, status
            report.acknowledged.append(text)
            status, body = _ask(connection, "/memories/search", {"query": text, "k": 3})
            assert status == 200, body
            assert text in [row["text"] for row in body["results"]], text
            number += 1
        connection.close()

    return job


def _ask(
    connection: http.client.HTTPConnection, path: str, body: object
) -> tuple[int, dict[str, list[dict[str, str]]]]:
    connection.request("POST", path, json.dumps(body), {"content-type": "application/json"})
    answer = connection.getresponse()
    return answer.status, json.loads(answer.read())


def _by_command(path: Path, report: Report, stop: threading.Event) -> Callable[[str], None]:
    def job(name: str) -> None:
        number = 0
        while not stop.is_set():
            text = f"{name} says number {number} by command"
            command = [sys.executable, "-m", "omoide", "remember", text, "--store", str(path)]
            done = subprocess.run([*command, "--json"], capture_output=True, timeout=120, check=False, env=ENVIRONMENT)
            assert done.returncode == 0, done.stderr
            report.acknowledged.append(text)
            number += 1

    return job
