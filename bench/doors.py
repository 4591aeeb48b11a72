"""The network doors: start, round trip and throughput above the library call, beside rmbr in the same run.

    python bench/doors.py --out bench/results/doors.json
    python bench/doors.py --peer /path/to/python-with-rmbr --memories 2000 --workers 1

Both serve the same texts with the same given vectors and the same server packages; no question is asked twice.
Milliseconds, medians over interleaved rounds; a shared machine only adds time, so the fastest round is shown too, and
CPU time of the library and of the server beside wall time. The client is of both the same and as light as it gets,
since it takes its time on the same machine: bytes made before the clock runs, all connections in one process.
``http_per_second`` is of one process, which is all that rmbr has; that of ``--workers`` processes of omoide, and what
each of these holds in memory, is measured besides. ``--peer`` needs
``rmbr 'usearch<=2.26.1' starlette uvicorn httptools uvloop mcp``; without it omoide is measured alone.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import platform
import selectors
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

WORKER = Path(__file__).with_name("doors_worker.py")
INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}},
}
CLIENTS = 8


def question(number: int) -> str:
    return f"what is said about subject {number % 97} and release {number % 13} in note {number}"


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def command(python: str, *arguments: str) -> list[str]:
    return [python, str(WORKER), *arguments]


def time_import(python: str) -> float:
    begin = time.perf_counter()
    subprocess.run([python, "-c", "import mcp.server.mcpserver"], check=True)
    return (time.perf_counter() - begin) * 1000


@contextmanager
def stdio(python: str, kind: str, store: Path) -> Iterator[Callable[[dict[str, Any]], dict[str, Any]]]:
    """Speak to an MCP server over its pipes."""
    pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    with subprocess.Popen(command(python, kind, "mcp", str(store)), **pipes) as child:
        assert child.stdin is not None
        assert child.stdout is not None

        def ask(message: dict[str, Any]) -> dict[str, Any]:
            child.stdin.write(json.dumps(message).encode() + b"\n")
            child.stdin.flush()
            while True:
                answer: dict[str, Any] = json.loads(child.stdout.readline())
                if answer.get("id") == message["id"]:
                    return answer

        yield ask
        child.stdin.close()


def time_start(python: str, kind: str, store: Path) -> float:
    begin = time.perf_counter()
    with stdio(python, kind, store) as ask:
        ask(INITIALIZE)
        return (time.perf_counter() - begin) * 1000


def time_round_trip(python: str, kind: str, store: Path, calls: int) -> float:
    """Return the median milliseconds of a ``recall`` through the pipes."""
    with stdio(python, kind, store) as ask:
        ask(INITIALIZE)
        times = []
        for number in range(calls + 20):
            call = {"name": "recall", "arguments": {"query": question(number), "k": 5}}
            begin = time.perf_counter()
            answer = ask({"jsonrpc": "2.0", "id": number + 2, "method": "tools/call", "params": call})
            times.append((time.perf_counter() - begin) * 1000)
            assert answer["result"]["structuredContent"]["result"]
    return statistics.median(times[20:])


def time_library(python: str, kind: str, store: Path, calls: int) -> list[float]:
    """Return wall and CPU milliseconds of one recall."""
    done = subprocess.run(
        command(python, kind, "library", str(store), str(calls)), check=True, capture_output=True, text=True
    )
    return [float(word) for word in done.stdout.split()[-2:]]


@contextmanager
def web(python: str, kind: str, store: Path, *workers: str) -> Iterator[tuple[int, int]]:
    port = free_port()
    words = command(python, kind, "http", str(store), str(port), *workers)
    child = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        deadline = time.monotonic() + 120
        while time.monotonic() < deadline:
            try:
                socket.create_connection(("127.0.0.1", port), timeout=1).close()
                break
            except OSError:
                time.sleep(0.05)
        yield port, child.pid
    finally:
        child.terminate()
        child.wait(timeout=60)


def cpu_ms(pid: int) -> float:
    """Return the CPU time of a process so far, 0 where the system does not tell."""
    try:
        parts = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rsplit(")", 1)[1].split()
    except OSError:
        return 0.0
    return (int(parts[11]) + int(parts[12])) * 1000 / os.sysconf("SC_CLK_TCK")


def resident_mb(pid: int) -> list[float]:
    """Return what each server process below ``pid`` holds in memory, nothing where the system does not tell."""
    found = []
    for place in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            status = (place / "status").read_text(encoding="utf-8")
            if f"\nPPid:\t{pid}\n" in status and b"spawn_main" in (place / "cmdline").read_bytes():
                found.append(int(status.split("VmRSS:")[1].split()[0]) / 1024)
    return found


def request(number: int) -> bytes:
    """Return one search as bytes."""
    body = json.dumps({"query": question(number), "k": 5}).encode()
    head = "POST /memories/search HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
    return f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body


class Line:
    """A connection that is kept open."""

    def __init__(self, port: int) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=60)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._came = b""
        self._wanted = 0

    def ask(self, sent: bytes) -> None:
        self._came, self._wanted = b"", 0
        self.socket.sendall(sent)

    def answered(self) -> bool:
        """Take in what has come; return whether that is the whole answer."""
        more = self.socket.recv(65536)
        assert more, "the server closed the connection"
        self._came += more
        if not self._wanted:
            head, end, _ = self._came.partition(b"\r\n\r\n")
            if not end:
                return False
            assert head.startswith(b"HTTP/1.1 200"), head
            self._wanted = len(head) + len(end) + int(head.lower().split(b"content-length:")[1].split()[0])
        return len(self._came) >= self._wanted

    def check(self) -> None:
        """Read the last answer as a caller would."""
        assert json.loads(self._came.partition(b"\r\n\r\n")[2])["results"]


def time_search(port: int, pid: int, calls: int) -> tuple[float, float]:
    """Return the median wall milliseconds of one search by one client, and the server's CPU milliseconds for it."""
    line = Line(port)
    times = []
    before = 0.0
    for number, sent in enumerate([request(number) for number in range(calls + 40)]):
        if number == 40:
            before = cpu_ms(pid)
        begin = time.perf_counter()
        line.ask(sent)
        while not line.answered():
            pass
        times.append((time.perf_counter() - begin) * 1000)
        line.check()
    spent = (cpu_ms(pid) - before) / calls
    line.socket.close()
    return statistics.median(times[40:]), spent


def throughput(port: int, seconds: float) -> float:
    """Return the requests a second that eight keep-alive clients get answered, once all processes have answered."""
    lines = [Line(port) for _ in range(CLIENTS)]
    sent = (request(100_000 + number) for number in itertools.count())
    answers(lines, sent, time.perf_counter() + 1)
    ready = list(itertools.islice(sent, int(2000 * seconds)))
    begin = time.perf_counter()
    count = answers(lines, iter(ready), begin + seconds)
    spent = time.perf_counter() - begin
    for line in lines:
        line.check()
        line.socket.close()
    return count / spent


def answers(lines: list[Line], sent: Iterator[bytes], until: float) -> int:
    """Keep every line asking until the time has come; return how many answers came."""
    count, open_ = 0, len(lines)
    with selectors.DefaultSelector() as waiting:
        for line in lines:
            waiting.register(line.socket, selectors.EVENT_READ, line)
            line.ask(next(sent))
        while open_:
            for key, _ in waiting.select():
                if not key.data.answered():
                    continue
                count += 1
                if time.perf_counter() < until:
                    key.data.ask(next(sent))
                else:
                    open_ -= 1
    return count


def measure(kinds: dict[str, str], folder: Path, options: argparse.Namespace) -> dict[str, Any]:
    """Return every figure of every kind, measured in interleaved rounds."""
    figures: dict[str, dict[str, list[float]]] = {kind: {} for kind in kinds}

    def note(kind: str, name: str, value: float) -> None:
        figures[kind].setdefault(name, []).append(value)
        print(f"{kind:8} {name:22} {value:10.2f}", flush=True)

    for kind, python in kinds.items():
        subprocess.run(command(python, kind, "fill", str(folder / kind), str(options.memories)), check=True)
    for _ in range(options.rounds):
        for kind, python in kinds.items():
            store = folder / kind
            note(kind, "sdk_import_ms", time_import(python))
            note(kind, "mcp_start_ms", time_start(python, kind, store))
            wall, cpu = time_library(python, kind, store, options.calls)
            note(kind, "library_ms", wall)
            note(kind, "library_cpu_ms", cpu)
            note(kind, "mcp_recall_ms", time_round_trip(python, kind, store, options.calls))
            with web(python, kind, store) as (port, pid):
                wall, cpu = time_search(port, pid, options.calls)
                note(kind, "http_search_ms", wall)
                note(kind, "http_server_cpu_ms", cpu)
                note(kind, "http_per_second", throughput(port, options.seconds))
            if kind == "omoide" and options.workers > 1:
                with web(python, kind, store, str(options.workers)) as (port, pid):
                    throughput(port, 1)  # until all processes have opened the store
                    note(kind, f"http_per_second_of_{options.workers}", throughput(port, options.seconds))
                    for size in resident_mb(pid):
                        note(kind, "http_worker_mb", size)
    return {kind: {name: summary(values) for name, values in rows.items()} for kind, rows in figures.items()}


def summary(values: list[float]) -> dict[str, float]:
    return {
        "median": round(statistics.median(values), 3),
        "least": round(min(values), 3),
        "most": round(max(values), 3),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--peer", help="a Python with rmbr")
    parser.add_argument("--memories", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--calls", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--workers", type=int, default=2, help="processes of omoide's server, measured besides")
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    kinds = {"omoide": sys.executable} | ({"rmbr": options.peer} if options.peer else {})
    with tempfile.TemporaryDirectory() as folder:
        figures = measure(kinds, Path(folder), options)
    report = {
        "command": " ".join(["python", *sys.argv]),
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
        "machine": {"python": platform.python_version(), "system": platform.platform(), "cpus": os.cpu_count()},
        "memories": options.memories,
        "figures": figures,
    }
    print(json.dumps(report, indent=2))
    if options.out:
        options.out.write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
