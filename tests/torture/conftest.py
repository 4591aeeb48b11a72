"""Start, kill and read the child program."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

Starter = Callable[..., "subprocess.Popen[str]"]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where the store will be."""
    return tmp_path / "agents.db"


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Starter]:
    """Start a child program; its output goes to a file so that a kill loses no line of it."""
    children: list[subprocess.Popen[str]] = []

    def begin(*arguments: object, script: str = "child.py") -> subprocess.Popen[str]:
        out = tmp_path / f"child-{len(children)}.out"
        program = [sys.executable, str(Path(__file__).with_name(script)), *map(str, arguments)]
        with out.open("w") as lines, out.with_suffix(".err").open("w") as errors:
            child = subprocess.Popen(program, stdout=lines, stderr=errors, text=True)
        children.append(child)
        return child

    yield begin
    for child in children:
        child.kill()
        child.wait()


@pytest.fixture
def lines(tmp_path: Path) -> Callable[[int], list[list[str]]]:
    """Return the whole lines that child number n printed, split into at most three words."""

    def read(number: int) -> list[list[str]]:
        text = (tmp_path / f"child-{number}.out").read_text()
        return [line.split(" ", 2) for line in text.splitlines(keepends=True) if line.endswith("\n")]

    return read


@pytest.fixture
def first_line(tmp_path: Path) -> Callable[[int], None]:
    """Wait until child number n printed something or ended."""

    def wait(number: int) -> None:
        out = tmp_path / f"child-{number}.out"
        for _ in range(6000):
            if out.exists() and out.stat().st_size:
                return
            time.sleep(0.01)
        pytest.fail(out.with_suffix(".err").read_text())

    return wait
