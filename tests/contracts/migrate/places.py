"""Each real package in an environment of its own, kept in ``.cache/contracts``, and the stores that it makes."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import tarfile
import venv
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).resolve().parent
CACHE = HERE.parents[2] / ".cache" / "contracts"
PYTHON = {
    # usearch 2.26.2 and later crash beside onnxruntime.
    "rmbr": ("rmbr==0.2.7", "usearch==2.26.1"),
    "mem0": ("mem0ai==2.2.1",),
    "mcp_memory_service": ("mcp-memory-service==12.4.0", "pysqlite3-binary; sys_platform == 'linux'"),
    "rlm": ("mcp-rlm-server==0.11.0",),
    "chroma": ("chromadb==1.5.9",),
}
NODE = {
    "memory_server": ("@modelcontextprotocol/server-memory@2026.8.31",),
    "claude_mem": ("claude-mem@13.25.3", "@oven/bun-linux-x64@1.4.5"),
}
BUNDLED = frozenset({"claude_mem"})
"""Packages that bring along what they need: their many dependencies are not installed."""


def make(name: str, folder: Path, *, grow: bool = False) -> Any:
    """Let a package write its store into a folder, or add to it; return what it says is in there.

    ``TZ`` is fixed: some systems write times without a zone.
    """
    folder.mkdir(exist_ok=True)
    more = ["grow"] if grow else []
    if name in PYTHON:
        command = [str(_python(name)), str(HERE / "makers" / f"{name}_store.py"), str(folder), *more]
    else:
        modules = _modules(name)
        ending, runner = ("mjs", "node") if name == "memory_server" else ("cjs", str(_bun(modules)))
        command = [runner, str(HERE / "makers" / f"{name}_store.{ending}"), str(folder), str(modules), *more]
    environment = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")} | {"TZ": "UTC"}
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder, env=environment, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads(done.stdout.strip().splitlines()[-1])


def _python(name: str) -> Path:
    wanted = "\n".join(PYTHON[name])
    place = CACHE / f"migrate-{name}"
    python = place / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    if not _is_ready(place, wanted):
        venv.create(place, clear=True, with_pip=True)
        command = [python, "-m", "pip", "install", "-q", "--disable-pip-version-check", *PYTHON[name]]
        subprocess.run(command, check=True, capture_output=True)
        _set_ready(place, wanted)
    return python


def _modules(name: str) -> Path:
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("npm is not installed")
    place = CACHE / f"migrate-{name}"
    if not _is_ready(place, "\n".join(NODE[name])):
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir(parents=True)
        (place / "package.json").write_text("{}", encoding="utf-8")
        if name in BUNDLED:
            for package in NODE[name]:
                _unpack(npm, package, place)
        else:
            command = [npm, "install", "--silent", "--ignore-scripts", "--no-audit", "--no-fund", *NODE[name]]
            subprocess.run(command, cwd=place, check=True, capture_output=True)
        _set_ready(place, "\n".join(NODE[name]))
    return place / "node_modules"


def _unpack(npm: str, package: str, place: Path) -> None:
    """Put a package where ``npm install`` would, without its dependencies."""
    done = subprocess.run([npm, "pack", "--silent", package], cwd=place, check=True, capture_output=True, text=True)
    target = place / "node_modules" / package.rpartition("@")[0]
    with tarfile.open(place / done.stdout.strip().splitlines()[-1]) as archive:
        archive.extractall(place, filter="data")
    target.parent.mkdir(parents=True, exist_ok=True)
    (place / "package").rename(target)


def _bun(modules: Path) -> Path:
    found = modules / "@oven" / "bun-linux-x64" / "bin" / "bun"
    if not found.exists():
        pytest.skip("claude-mem runs under Bun, which is installed for Linux on x86-64 only")
    return found


def _is_ready(place: Path, wanted: str) -> bool:
    mark = place / ".ready"
    return mark.exists() and mark.read_text() == hashlib.sha256(wanted.encode()).hexdigest()


def _set_ready(place: Path, wanted: str) -> None:
    (place / ".ready").write_text(hashlib.sha256(wanted.encode()).hexdigest())
