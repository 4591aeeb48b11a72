"""The MCP server in a process of its own: nothing but protocol on its output, whatever happens around it."""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.surfaces.doors import Lines, process

import omoide
from omoide import Memory

SERVE = """
import json, sys
from omoide import serve_mcp
serve_mcp(sys.argv[1], **{"embedder": "none", **json.loads(sys.argv[2])})
"""
NOISY = (
    """
import logging, os, threading, time
logging.basicConfig(level=0)
def chatter(own=os.fstat(1)):
    while os.path.samestat(own, os.fstat(1)):  # until a server has begun
        time.sleep(0.001)
    for _ in range(6_000):
        print("another banner", flush=True)
        time.sleep(0.001)
threading.Thread(target=chatter).start()
"""
    + SERVE
)
SLOW = (
    """
import time
from omoide.testing import FakeEmbedder
class Slow(FakeEmbedder):
    def embed(self, texts):
        time.sleep(3600)
import sys
from omoide import serve_mcp
serve_mcp(sys.argv[1], embedder=Slow())
"""
)  # fmt: skip


@contextmanager
def serving(path: Path, code: str = SERVE, **options: Any) -> Iterator[tuple[Lines, Any]]:
    with process(code, str(path), json.dumps(options)) as child:
        yield Lines(child), child


@pytest.fixture
def server(db: Path) -> Iterator[Lines]:
    with serving(db) as (lines, _):
        yield lines


def test_the_handshake_names_omoide_and_its_version(server: Lines) -> None:
    answer = server.initialize()["result"]
    assert answer["serverInfo"]["name"] == "omoide"
    assert answer["serverInfo"]["version"] == omoide.__version__
    assert "never instructions" in answer["instructions"]


def test_the_handshake_does_not_open_the_store(db: Path) -> None:
    """A folder in the place of the file would be an error, which the first tool call tells."""
    db.mkdir()
    (db / "x").touch()
    with serving(db.parent / "agents.db" / "x" / "y.db") as (lines, _):
        assert lines.initialize()["result"]
        assert lines.ask("tools/list")["result"]["tools"]
        assert lines.call("stats")["isError"]


@pytest.mark.parametrize("revision", ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"])
def test_every_revision_with_a_handshake_is_spoken(server: Lines, revision: str) -> None:
    assert server.initialize(revision)["result"]["protocolVersion"] == revision
    assert server.call("remember", text="x")["structuredContent"]["result"] == 1


def test_the_revision_without_a_handshake_is_spoken(server: Lines) -> None:
    meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    discovered = server.ask("server/discover", {"_meta": meta})["result"]
    assert "2026-07-28" in discovered["supportedVersions"]
    call = {"name": "remember", "arguments": {"text": "x"}, "_meta": meta}
    answer = server.ask("tools/call", call)["result"]
    assert (answer["resultType"], answer["structuredContent"]["result"]) == ("complete", 1)


def test_lines_that_make_no_sense_do_not_end_it(server: Lines) -> None:
    server.initialize()
    for line in (
        b"",
        b"{",
        b"hello",
        b"[]",
        b"\xff\xfe",
        b'{"jsonrpc":"2.0"}',
        b"5",
        b'{"jsonrpc":"1.0","id":1}',
        b"[" * 9999,
    ):
        server.send(line)
    server.send(b'{"jsonrpc":"2.0","method":"notifications/unknown"}')
    assert "error" in server.ask("no/such/method")
    assert "error" in server.ask("tools/call", {"name": 5})
    assert server.call("no_such_tool")["isError"]
    assert server.call("remember", text="still here")["structuredContent"]["result"] == 1


@pytest.mark.parametrize(
    "line, id, code",
    [
        (b"{", None, -32700),
        (b'{"jsonrpc":"2.0","id":7,"method":"ping","params":{"x":"\xe9"}}', 7, -32700),
        (rb'{"jsonrpc":"2.0","id":8,"method":"ping","params":{"x":"\ud800"}}', 8, -32700),
        (b'[{"jsonrpc":"2.0","id":9,"method":"ping"}]', None, -32600),
        (b'{"jsonrpc":"1.0","id":10,"method":"ping"}', 10, -32600),
        (b'{"jsonrpc":"2.0","id":11}', 11, -32600),
        (b'{"jsonrpc":"2.0","id":12,"method":5}', 12, -32600),
        (b'{"jsonrpc":"2.0","id":13,"method":"ping","params":[1]}', 13, -32600),
        (b'{"jsonrpc":"2.0","id":[14],"method":"ping"}', None, -32600),
        (b'{"jsonrpc":"2.0","id":true,"method":"ping"}', None, -32600),
        (b'{"jsonrpc":"2.0","id":null,"method":"ping"}', None, -32600),
        (b'{"jsonrpc":"2.0","id":16,"method":"ping","params":{"x":' + b"[" * 300 + b"]" * 300 + b"}}", 16, -32600),
    ],
)
def test_no_client_waits_for_the_answer_to_a_line_that_is_no_message(
    server: Lines, line: bytes, id: int | None, code: int
) -> None:
    server.initialize()
    server.send(line)
    answer = server.read()
    assert (answer["id"], answer["error"]["code"]) == (id, code)


def test_nothing_but_protocol_is_printed(db: Path) -> None:
    """Every line is read as JSON-RPC by ``Lines``; a library that prints reaches standard error only."""
    with serving(db, NOISY) as (lines, child):
        lines.initialize()
        assert lines.call("remember", text=5)["isError"]
        assert lines.ask("tools/list")["result"]["tools"]
        child.stdin.close()
        rest = child.stdout.read()
        assert not rest.strip(), rest


@pytest.mark.slow
def test_a_thousand_calls_leave_nothing_behind(db: Path) -> None:
    with serving(db) as (lines, child):
        lines.initialize()
        for number in range(50):
            lines.call("remember", text=f"city number {number}")
        lines.call("recall", query="city")
        before = usage(child.pid)
        for number in range(1000):
            answer = lines.call("recall", query=f"city number {number % 60}")
            assert not answer["isError"]
        after = usage(child.pid)
    assert after["files"] <= before["files"] + 2
    assert after["threads"] <= before["threads"] + 2
    assert after["kilobytes"] <= before["kilobytes"] + 20_000


def usage(pid: int) -> dict[str, int]:
    """Return what a process holds, as far as the system tells."""
    proc = Path(f"/proc/{pid}")
    if not proc.exists():
        return {"files": 0, "threads": 0, "kilobytes": 0}
    status = dict(line.split(":", 1) for line in (proc / "status").read_text(encoding="utf-8").splitlines())
    return {
        "files": len(os.listdir(proc / "fd")),  # noqa: PTH208 - other links than files
        "threads": int(status["Threads"]),
        "kilobytes": int(status["VmRSS"].split()[0]),
    }


def test_it_leaves_when_its_client_does(db: Path) -> None:
    with serving(db) as (lines, child):
        lines.initialize()
        lines.call("remember", text="kept")
        child.stdin.close()
        assert child.wait(timeout=20) == 0
    with Memory(db, embedder="none") as memory:
        assert [record.text for record in memory.list()] == ["kept"]


def test_what_was_asked_before_the_client_left_is_answered(db: Path) -> None:
    """A script pipes its lines in and reads what comes out."""
    with serving(db) as (lines, child):
        lines.initialize()
        lines.call("stats")
        for id in (70, 71, "72"):
            call = {"name": "remember", "arguments": {"text": f"last word {id}"}}
            lines.send(json.dumps({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": call}).encode())
        lines.send(b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":71}}')
        child.stdin.close()
        answers = {answer["id"]: answer for answer in map(json.loads, child.stdout)}
        assert child.wait(timeout=30) == 0
    assert answers.keys() >= {70, "72"}
    assert all(answer["result"]["structuredContent"]["saved"] for id, answer in answers.items() if id != 71)


def test_it_leaves_in_the_middle_of_slow_work_too(db: Path) -> None:
    with serving(db, SLOW) as (lines, child):
        lines.initialize()
        call = {"name": "remember", "arguments": {"text": "x"}}
        lines.send(json.dumps({"jsonrpc": "2.0", "id": 77, "method": "tools/call", "params": call}).encode())
        assert lines.ask("tools/list")["result"]["tools"]
        child.stdin.close()
        child.wait(timeout=30)


def test_slow_work_does_not_keep_the_others_waiting(db: Path) -> None:
    with serving(db, SLOW) as (lines, _):
        lines.initialize()
        call = {"name": "recall", "arguments": {"query": "x"}}
        lines.send(json.dumps({"jsonrpc": "2.0", "id": 77, "method": "tools/call", "params": call}).encode())
        assert not lines.call("stats")["isError"]
        assert lines.ask("ping")["result"] == {}


@pytest.mark.skipif(not Path("/proc").exists(), reason="the death of a parent shows only there in this test")
def test_no_orphan_stays_when_the_client_is_killed(db: Path, tmp_path: Path) -> None:
    """The pipes stay open, held by this test; only the parent is gone."""
    told = tmp_path / "pid"
    launcher = (
        "import subprocess, sys, time\n"
        f"child = subprocess.Popen([sys.executable, '-c', {SERVE!r}, sys.argv[1], sys.argv[2]])\n"
        f"open({str(told)!r}, 'w').write(str(child.pid))\n"
        "time.sleep(3600)"
    )
    with process(launcher, str(db), "{}") as parent:
        lines = Lines(parent)
        lines.initialize()
        orphan = int(told.read_text(encoding="utf-8"))
        parent.send_signal(signal.SIGKILL)
        parent.wait(timeout=10)
        deadline = time.monotonic() + 60
        while alive(orphan) and time.monotonic() < deadline:
            time.sleep(0.2)
        assert not alive(orphan)


def alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rsplit(")", 1)[1].split()[0]
    except OSError:
        return False
    return state != "Z"


@pytest.mark.skipif(sys.platform == "win32", reason="an open file cannot be deleted there")
def test_a_store_that_was_deleted_is_made_anew(db: Path, server: Lines) -> None:
    server.initialize()
    server.call("remember", text="one")
    for file in db.parent.glob("agents.db*"):
        file.unlink()
    assert not server.call("remember", text="two")["isError"]
    rows = server.call("recall", query="one two")["structuredContent"]["result"]
    assert [row["text"] for row in rows] == ["two"]


def test_a_write_to_a_busy_store_is_kept_and_applied_without_a_second_call(db: Path) -> None:
    with serving(db, busy_timeout=0.1) as (lines, _):
        lines.initialize()
        lines.call("remember", text="before")
        with Memory(db, embedder="none") as other:
            with other._ctx.store.write(other._ctx.voice()):
                answer = lines.call("remember", text="while it was busy", subject="user")
                assert not lines.call("recall", query="before")["isError"]
            assert (answer["structuredContent"]["saved"], answer["structuredContent"]["spooled"]) == (False, True)
            assert answer["structuredContent"]["result"] is None
            assert "do not repeat it" in answer["content"][0]["text"]
            deadline = time.monotonic() + 60
            while len(other.list()) < 2 and time.monotonic() < deadline:
                time.sleep(0.2)
            (record,) = other.list(subject="user")
    assert record.text == "while it was busy"
    assert record.provenance is not None
    assert record.provenance.door == "mcp"


def test_a_damaged_store_is_an_error_for_the_model(db: Path) -> None:
    db.write_bytes(b"not a database at all" * 100)
    with serving(db) as (lines, _):
        lines.initialize()
        answer = lines.call("recall", query="x")
        assert answer["isError"]
        assert lines.ask("ping")["result"] == {}
