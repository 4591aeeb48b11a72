"""Speed of the vector index alone: vectors in SQLite, no texts, no embedding.

    python bench/vectors.py [--sizes 1000 10000 40000 100000] [--million] [--out bench/results/vectors.json]
    python bench/vectors.py --real vectors.npy      # rows of a float32 array instead, the last 200 as queries

Synthetic vectors of 384 numbers: clusters of about 1,000 on a decaying spectrum around a common mean (cosine
0.75 to it); queries are rows with noise. Every size is measured in a process of its own that opens a file
made by another. CPU milliseconds stand beside wall time; the first search includes reading from the store.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import apsw
import numpy as np

from omoide.search.vectors import VectorIndex
from omoide.search.vectors_exact import dots
from omoide.store.sqlite import schema
from omoide.store.sqlite.connection import connect
from omoide.store.sqlite.indexing import blocks, vector_codes, vectors

SIZES = (1_000, 10_000, 40_000, 100_000)
MILLION = 1_000_000
DIMENSION, SPACE, BATCH, K = 384, 1, 10_000, 10
LAYOUT = vectors.layout(DIMENSION)
FIRST_BUDGET_MS = {40_000: 40.0, MILLION: 600.0}


def synthetic(size: int, seed: int = 0) -> Iterator[Any]:
    """Yield batches of unit vectors as float32."""
    random = np.random.default_rng(seed)
    spectrum = (np.arange(1, DIMENSION + 1) ** -0.35).astype(np.float32)
    spectrum /= np.linalg.norm(spectrum)
    mean = random.standard_normal(DIMENSION).astype(np.float32)
    mean /= np.linalg.norm(mean)
    centres = random.standard_normal((max(2, size // 1000), DIMENSION)).astype(np.float32)
    for start in range(0, size, BATCH):
        count = min(BATCH, size - start)
        rows = 0.55 * centres[random.integers(len(centres), size=count)]
        rows += 0.83 * random.standard_normal((count, DIMENSION)).astype(np.float32)
        rows = 0.75 * mean + 0.66 * rows * spectrum
        yield rows / np.linalg.norm(rows, axis=1, keepdims=True)


def noisy(rows: Any, seed: int = 5) -> Any:
    noise = np.random.default_rng(seed).standard_normal(rows.shape)
    rows = rows + 0.3 * noise / np.linalg.norm(noise, axis=1, keepdims=True)
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def make(path: Path, batches: Iterator[Any]) -> dict[str, float]:
    """Write a store of vectors and return what that took."""
    conn = connect(str(path), read_only=False, busy_timeout=1.0)
    conn.execute("PRAGMA journal_mode = wal").fetchall()
    conn.execute(schema.TABLES["block"])
    slots, spent = 0, 0.0
    for rows in batches:
        records = np.empty(len(rows), LAYOUT.dtype)
        records["ord"] = np.arange(slots, slots + len(rows))
        vector_codes.fill(records, rows)
        start = time.process_time()
        with conn:
            blocks.write_many(conn, SPACE, LAYOUT, slots, records.tobytes())
        spent += time.process_time() - start
        slots += len(rows)
    conn.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    conn.close()
    return {"slots": slots, "write_many_us_a_vector": round(spent / slots * 1e6, 2)}


def timed(call: Callable[[int], object], repeats: int) -> dict[str, float]:
    """Return p50 and p95 of wall time and p50 of CPU time, in milliseconds."""
    wall, cpu = [], []
    for number in range(repeats):
        start, start_cpu = time.perf_counter(), time.process_time()
        call(number)
        cpu.append(time.process_time() - start_cpu)
        wall.append(time.perf_counter() - start)
    return {
        "p50": round(float(np.percentile(wall, 50)) * 1e3, 3),
        "p95": round(float(np.percentile(wall, 95)) * 1e3, 3),
        "min": round(min(wall) * 1e3, 3),
        "cpu_p50": round(float(np.percentile(cpu, 50)) * 1e3, 3),
    }


def once(call: Callable[[], object]) -> dict[str, float]:
    start, start_cpu = time.perf_counter(), time.process_time()
    call()
    return {
        "wall": round((time.perf_counter() - start) * 1e3, 1),
        "cpu": round((time.process_time() - start_cpu) * 1e3, 1),
    }


def resident_mb() -> float | None:
    statm = Path("/proc/self/statm")
    if not statm.exists():
        return None
    return int(statm.read_text(encoding="ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


class Run:
    """One open store and its index."""

    def __init__(self, path: Path, slots: int, mmap: int) -> None:
        self.conn = connect(str(path), read_only=False, busy_timeout=1.0)
        self.conn.execute(f"PRAGMA mmap_size = {mmap}").fetchall()
        self.conn.execute("BEGIN")
        self.stored = vectors.StoredVectors(self.conn, SPACE, LAYOUT)
        self.slots = slots
        self.index = self.fresh()

    def fresh(self) -> VectorIndex:
        return VectorIndex(DIMENSION, read_slots=self.stored.read_slots)

    def load(self) -> None:
        self.index.sync(self.stored, self.slots)

    def settle(self, query: Any) -> None:
        """Search until the index has coded what it wants to code."""
        self.index.search(query, K)
        while self.index.waiting:
            self.index.search(query, K)

    def exact(self, query: Any, mask: Any) -> set[int]:
        sims = [
            dots(self.stored.read(first, min(first + BATCH, self.slots))["vector"], query)
            for first in range(0, self.slots, BATCH)
        ]
        every = np.concatenate(sims)
        if mask is not None:
            every[~mask] = -np.inf
        return set(np.argpartition(every, len(every) - K)[len(every) - K :].tolist())

    def recall(self, queries: Any, mask: Any) -> float:
        hits = [len(self.exact(query, mask) & set(self.index.search(query, K, mask)[0].tolist())) for query in queries]
        return round(sum(hits) / (K * len(queries)), 4)


def measure(path: Path, slots: int, queries: Any, mmap: int) -> dict[str, Any]:
    before = resident_mb()
    run = Run(path, slots, mmap)
    report: dict[str, Any] = {"slots": slots, "file_mb": round(path.stat().st_size / 1e6, 1)}
    report["load_ms"] = once(run.load)
    report["first_search_ms"] = once(lambda: run.index.search(queries[0], K))
    after = resident_mb()
    if before is not None and after is not None:
        report["resident_mb_after_first_search"] = round(after - before, 1)
    run.settle(queries[0])
    mask = np.random.default_rng(1).random(slots) < 0.1
    count = len(queries)
    report["search_ms"] = timed(lambda number: run.index.search(queries[number % count], K), 200)
    report["search_50_ms"] = timed(lambda number: run.index.search(queries[number % count], 50), 100)
    report["search_masked_10_percent_ms"] = timed(
        lambda number: run.index.search(queries[number % count], K, mask), 100
    )
    some = np.random.default_rng(2).integers(0, slots, (100, 50))
    run.index.similarities(queries[0], some[0])
    report["similarities_50_ms"] = timed(lambda number: run.index.similarities(queries[0], some[number]), 100)
    asked = queries[: max(10, min(100, 5_000_000 // slots))]
    report["recall_at_10"] = run.recall(asked, None)
    report["recall_at_10_masked"] = run.recall(asked, mask)
    rows = queries.astype(np.float16)
    report["add_one_ms"] = timed(
        lambda number: run.index.add(slots + number, np.array([slots + number]), rows[number % count][np.newaxis]), 300
    )
    settled = resident_mb()
    if before is not None and settled is not None:
        report["resident_mb_settled"] = round(settled - before, 1)
    run.conn.execute("COMMIT")
    return report


def keep_parts(path: Path, slots: int, query: Any) -> dict[str, Any]:
    """Code everything, keep the parts in the store and return what that took."""
    run = Run(path, slots, 0)
    coding = once(lambda: (run.load(), run.settle(query)))
    run.conn.execute("COMMIT")
    kept: list[int] = []

    def keep() -> None:
        with run.conn:
            kept.extend(vectors.save_parts(run.conn, SPACE, run.index))

    report = {"code_all_ms": coding, "keep_ms": once(keep), "parts": len(kept)}
    run.conn.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    run.conn.close()
    return report


def child(arguments: list[str]) -> dict[str, Any]:
    command = [sys.executable, __file__, *arguments]
    result = subprocess.run(command, check=True, capture_output=True, text=True)
    report: dict[str, Any] = json.loads(result.stdout)
    return report


def bench(slots_or_rows: int | Any, folder: Path) -> dict[str, Any]:
    path, questions = folder / "vectors.db", folder / "queries.npy"
    if isinstance(slots_or_rows, int):
        made = make(path, synthetic(slots_or_rows))
        np.save(questions, noisy(next(synthetic(slots_or_rows))[:200]))
    else:
        made = make(path, iter([slots_or_rows[:-200]]))
        np.save(questions, slots_or_rows[-200:].astype(np.float32))
    base = [str(path), str(questions), str(made["slots"])]
    report: dict[str, Any] = {"made": made}
    report["parts_not_kept"] = child(["--measure", *base])
    report["kept"] = child(["--keep", *base])
    report["parts_kept"] = child(["--measure", *base])
    report["parts_kept_mapped"] = child(["--measure", *base, "--mmap", str(1 << 30)])
    return report


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", type=int, nargs="*", default=list(SIZES))
    parser.add_argument("--million", action="store_true")
    parser.add_argument("--real", type=Path, help="a .npy file of unit vectors, the last 200 of them queries")
    parser.add_argument("--out", type=Path)
    parser.add_argument("--measure", nargs=3, help=argparse.SUPPRESS)
    parser.add_argument("--keep", nargs=3, help=argparse.SUPPRESS)
    parser.add_argument("--mmap", type=int, default=0, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if inner := options.measure or options.keep:
        path, slots, queries = Path(inner[0]), int(inner[2]), np.load(inner[1])
        found = measure(path, slots, queries, options.mmap) if options.measure else keep_parts(path, slots, queries[0])
        print(json.dumps(found))
        return
    inputs: list[Any] = [np.load(options.real)] if options.real else options.sizes
    results = {
        "command": " ".join(["python", "bench/vectors.py", *sys.argv[1:]]),
        "machine": [platform.machine(), os.cpu_count(), platform.system(), platform.python_version()],
        "versions": {"numpy": np.__version__, "sqlite": apsw.sqlite_lib_version()},
        "load_average": os.getloadavg()[0] if hasattr(os, "getloadavg") else None,
        "first_budget_ms": FIRST_BUDGET_MS,
        "runs": [],
    }
    for size in [*inputs, *([MILLION] if options.million else [])]:
        with tempfile.TemporaryDirectory() as folder:
            results["runs"].append(bench(size, Path(folder)))
        print(json.dumps(results["runs"][-1], indent=1), file=sys.stderr)
    text = json.dumps(results, indent=1)
    if options.out:
        options.out.write_text(text + "\n", encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
