"""Speed of Memory at several sizes: CPU and wall milliseconds an operation, vectors given.

    python bench/speed.py --sizes 1000,10000,100000 --out bench/results/speed.json

Embedding is excluded: vectors are drawn by a seeded generator. CPU is the process's own; wall includes the
disk's answer to every durable commit. Each figure is the median of repeated rounds.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
import zlib
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

DIMENSION = 384
ROUNDS = 7


class Given:
    """An embedder that looks vectors up instead of computing them."""

    model_name = "given"
    dimension = DIMENSION

    def __init__(self) -> None:
        spectrum = 1 / np.sqrt(1 + np.arange(DIMENSION) / 16)
        self._centres = np.random.default_rng(0).normal(size=(256, DIMENSION)) * spectrum
        self._noise = np.random.default_rng(1).normal(size=(8192, DIMENSION)) * spectrum

    def embed(self, texts: list[str], /) -> Any:
        """Return clustered unit vectors with a decaying spectrum, a different one for every text."""
        numbers = np.array([zlib.crc32(text.encode()) for text in texts])
        rows = (
            self._centres[numbers % 256] + 0.6 * self._noise[numbers % 8191] + 0.3 * self._noise[numbers // 8192 % 8192]
        )
        return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def vocabulary(count: int = 30_000) -> list[str]:
    letters = random.Random(7)
    return [
        "".join(letters.choice("etaoinshrdlucmfwypvbgk") for _ in range(letters.randint(3, 9))) for _ in range(count)
    ]


class Texts:
    """Short notes of about 14 words with a Zipf vocabulary, every one different."""

    def __init__(self) -> None:
        self._words = vocabulary()
        self._random = np.random.default_rng(5)
        self._made = 0

    def one(self, words: int = 14) -> str:
        self._made += 1
        ranks = self._random.zipf(1.25, words) % len(self._words)
        return " ".join(self._words[int(rank)] for rank in ranks) + f" {self._words[self._made % 30_000]}{self._made}"

    def question(self) -> str:
        ranks = self._random.zipf(1.25, 8) % len(self._words)
        return "what did we say about " + " ".join(self._words[int(rank)] for rank in ranks)


def measure(call: Callable[[], object], count: int) -> dict[str, float]:
    cpu, wall = [], []
    for _ in range(ROUNDS):
        began, clock = time.process_time(), time.perf_counter()
        for _ in range(count):
            call()
        cpu.append((time.process_time() - began) / count * 1000)
        wall.append((time.perf_counter() - clock) / count * 1000)
    return {
        "cpu_ms": round(statistics.median(cpu), 4),
        "cpu_ms_min": round(min(cpu), 4),
        "wall_ms": round(statistics.median(wall), 4),
    }


def run(size: int, folder: str) -> dict[str, Any]:
    from omoide import Memory

    texts, path = Texts(), str(Path(folder) / f"{size}.db")
    mem = Memory(path, "bench", embedder=Given())
    began, clock = time.process_time(), time.perf_counter()
    with mem.bulk():
        ids = [mem.remember(texts.one()) for _ in range(size)]
    figures: dict[str, Any] = {
        "bulk": {
            "cpu_us": round((time.process_time() - began) / size * 1e6, 1),
            "docs_per_s": round(size / (time.perf_counter() - clock)),
        }
    }
    small = Memory(path, "small", embedder=Given())
    for _ in range(100):
        small.remember(texts.one())
    questions = [texts.question() for _ in range(200)]
    for question in questions[:50]:
        mem.recall(question)
    turn = iter(range(10**9))
    moment = datetime.now(UTC)
    figures["recall"] = measure(lambda: mem.recall(questions[next(turn) % 200]), 30)
    figures["recall_as_of"] = measure(lambda: mem.recall(questions[next(turn) % 200], as_of=moment), 30)
    figures["recall_keyword"] = measure(lambda: mem.recall(questions[next(turn) % 200], use_vectors=False), 30)
    figures["recall_small_namespace"] = measure(lambda: small.recall(questions[next(turn) % 200]), 30)
    figures["remember"] = measure(lambda: mem.remember(texts.one()), 30)
    figures["revise"] = measure(lambda: mem.revise(ids[next(turn) % size], texts.one()), 20)
    figures["update"] = measure(lambda: mem.update(ids[next(turn) % size], text=texts.one()), 20)
    figures["forget"] = measure(lambda: mem.forget(ids[-(next(turn) % (size // 2)) - 1]), 20)
    figures["get"] = measure(lambda: mem.get(ids[next(turn) % size]), 50)
    figures["list_20"] = measure(lambda: mem.list(limit=20), 20)
    figures["stats"] = measure(mem.stats, 20)
    mem.close()
    small.close()
    figures["file_mb"] = round(Path(path).stat().st_size / 1e6, 1)
    figures["open_and_first_search"] = cold(path)
    return figures


COLD = """
import json, resource, sys, time
sys.path.insert(0, {bench!r})
from speed import Given, Texts
import omoide.memory
given, question = Given(), Texts().question()
def resident():
    with open("/proc/self/statm") as file: return int(file.read().split()[1]) * resource.getpagesize() / 2**20
base = resident()
t = time.perf_counter()
mem = omoide.memory.Memory({path!r}, "bench", embedder=given)
opened = time.perf_counter()
mem.recall(question)
first = time.perf_counter()
for _ in range(50): mem.recall(question)
print(json.dumps(dict(open_ms=(opened-t)*1e3, first_search_ms=(first-opened)*1e3, total_ms=(first-t)*1e3,
  rss_above_import_mb=resident()-base)))
"""


def cold(path: str) -> dict[str, float]:
    code = COLD.format(path=path, bench=str(Path(__file__).parent))
    runs = [
        json.loads(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout)
        for _ in range(3)
    ]
    return {name: round(statistics.median(run[name] for run in runs), 2) for name in runs[0]}


IMPORT = "import time; t=time.perf_counter(); import omoide; print((time.perf_counter()-t)*1000)"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", default="1000,10000,100000")
    parser.add_argument("--out")
    options = parser.parse_args()
    result: dict[str, Any] = {
        "command": " ".join(["python", *sys.argv]),
        "machine": {
            "processor": platform.processor() or platform.machine(),
            "cores": os.cpu_count(),
            "python": platform.python_version(),
        },
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
        "load_average": os.getloadavg(),
        "import_ms": sorted(
            float(subprocess.run([sys.executable, "-c", IMPORT], capture_output=True, text=True, check=True).stdout)
            for _ in range(5)
        )[2],
    }
    for size in map(int, options.sizes.split(",")):
        with tempfile.TemporaryDirectory() as folder:
            result[str(size)] = run(size, folder)
            print(size, json.dumps(result[str(size)]), flush=True)
    result["peak_rss_mb"] = round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, 1)
    text = json.dumps(result, indent=1)
    print(text)
    if options.out:
        Path(options.out).write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
