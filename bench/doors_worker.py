"""What bench/doors.py runs in an environment: ``doors_worker.py KIND fill|library|mcp|http STORE [N [WORKERS]]``.

KIND is omoide or rmbr; both see the same texts and the same vectors, which cost nothing to make.
"""

from __future__ import annotations

import statistics
import sys
import time
import zlib
from typing import Any

import numpy as np

DIMENSION = 384


class Given:
    """An embedder whose vectors are drawn by the text."""

    model_name = "given"
    dimension = dim = DIMENSION

    def __init__(self) -> None:
        self._rows = np.random.default_rng(0).normal(size=(4096, DIMENSION)).astype(np.float32)
        self._rows /= np.linalg.norm(self._rows, axis=1, keepdims=True)

    def embed(self, texts: list[str]) -> Any:
        return self._rows[[zlib.crc32(text.encode()) % 4096 for text in texts]]


def memory(kind: str, store: str) -> Any:
    if kind == "rmbr":
        from rmbr import Memory
    else:
        from omoide import Memory
    return Memory(store, "default", embedder=Given())


def question(number: int) -> str:
    return f"what is said about subject {number % 97} and release {number % 13} in note {number}"


def fill(kind: str, store: str, count: int) -> None:
    handle = memory(kind, store)
    with handle.bulk():
        for number in range(count):
            handle.remember(f"note {number}: subject {number % 97} was discussed before release {number % 13}")
    handle.close()


def library(kind: str, store: str, calls: int) -> None:
    handle = memory(kind, store)
    times = []
    cpu = 0.0
    for number in range(calls + 40):
        if number == 40:
            cpu = time.process_time()
        begin = time.perf_counter()
        assert handle.recall(question(number), k=5)
        times.append((time.perf_counter() - begin) * 1000)
    print(statistics.median(times[40:]), (time.process_time() - cpu) / calls * 1000)
    handle.close()


def serve(kind: str, door: str, store: str, port: int, **options: int) -> None:
    if kind == "rmbr":
        import rmbr as package
    else:
        import omoide as package
    if door == "mcp":
        package.serve_mcp(store, embedder=Given())
    else:
        package.serve_http(store, port=port, embedder=Given(), **options)


if __name__ == "__main__":
    kind, what, store = sys.argv[1:4]
    number = int(sys.argv[4]) if len(sys.argv) > 4 else 0
    if what == "fill":
        fill(kind, store, number)
    elif what == "library":
        library(kind, store, number)
    else:
        serve(kind, what, store, number, **({"workers": int(sys.argv[5])} if len(sys.argv) > 5 else {}))
