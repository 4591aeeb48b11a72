"""Speed of a vault at several sizes: CPU and wall milliseconds an operation, without a model.

    python bench/vault.py --sizes 1000,10000 --out bench/results/vault.json

CPU is the process's own, wall includes the disk's answer to every durable line. ``sweep`` is the look at the
folder that every call begins with, ``recall`` is given apart from it. ``rebuild`` is from the files alone, the
index thrown away. Each figure is the median of repeated rounds.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import random
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from omoide import Memory
from omoide.vault import scan

ROUNDS = 15
BUDGETS = {"write": 5.0, "recall": 5.0, "sweep": 50.0, "rebuild": 20_000.0}
"""Milliseconds at 10,000 notes."""


def sentence(chance: random.Random) -> str:
    """Return about fifteen words."""
    return " ".join(f"word{int(chance.paretovariate(0.6)) % 20_000}" for _ in range(15))


def timed(run: Callable[[], object]) -> tuple[float, float]:
    """Return CPU and wall milliseconds of one call."""
    cpu, wall = time.process_time(), time.perf_counter()
    run()
    return (time.process_time() - cpu) * 1000, (time.perf_counter() - wall) * 1000


def repeated(run: Callable[[], object], rounds: int = ROUNDS) -> dict[str, float]:
    """Return the medians of several calls."""
    times = [timed(run) for _ in range(rounds)]
    return {
        "cpu_ms": round(statistics.median(cpu for cpu, _ in times), 2),
        "wall_ms": round(statistics.median(wall for _, wall in times), 2),
    }


def fill(root: Path, size: int, chance: random.Random) -> None:
    """Make a vault of so many notes."""
    with Memory(root, embedder="none") as mem, mem.bulk():
        for n in range(size):
            mem.remember(
                f"note {n}: {sentence(chance)}", subject=f"subject {n % 500}", kind=["fact", "decision"][n % 2]
            )


def sweep_of(mem: Memory) -> Callable[[], object]:
    """Return the look at the folder alone."""
    store: Any = mem._ctx.store  # noqa: SLF001
    known, held = store._intake._seen()  # noqa: SLF001
    memo: scan.Memo = {}
    return lambda: scan.sweep(store.root, known, held, memo)


def apart(mem: Memory, run: Callable[[], object]) -> Callable[[], object]:
    """Return a call as it is when the folder was looked at a moment ago."""

    def inside() -> None:
        with mem._ctx.store.settled():  # noqa: SLF001
            times.append(timed(run))

    times: list[tuple[float, float]] = []
    inside.times = times  # type: ignore[attr-defined]
    return inside


def measured(size: int) -> dict[str, Any]:
    """Return the figures for one size."""
    chance = random.Random(size)
    with tempfile.TemporaryDirectory(dir=os.environ.get("BENCH_DIR")) as folder:
        root = Path(folder) / "notes"
        root.mkdir()
        filled = timed(lambda: fill(root, size, chance))
        results: dict[str, Any] = {"notes": size, "fill_ms_a_note": round(filled[1] / size, 3)}
        with Memory(root, embedder="none") as mem:
            mem.recall("word1")
            mem.recall("word1")
            results["sweep"] = repeated(sweep_of(mem))
            for name, run in (
                ("write", lambda: mem.remember(f"new: {sentence(chance)}", subject="new")),
                ("recall", lambda: mem.recall(f"{sentence(chance).split()[0]} note subject", k=5)),
            ):
                inner = apart(mem, run)
                results[f"{name}_with_sweep"] = repeated(inner)
                times: list[tuple[float, float]] = inner.times  # type: ignore[attr-defined]
                results[name] = {
                    "cpu_ms": round(statistics.median(cpu for cpu, _ in times), 2),
                    "wall_ms": round(statistics.median(wall for _, wall in times), 2),
                }
            results["log_bytes"] = sum(file.stat().st_size for file in (root / ".omoide" / "log").rglob("*.jsonl"))
        results["open"] = repeated(lambda: Memory(root, embedder="none").close(), 5)
        shutil.rmtree(root / ".index")
        cpu, wall = timed(lambda: Memory(root, embedder="none").close())
        results["rebuild"] = {"cpu_ms": round(cpu), "wall_ms": round(wall)}
        with Memory(root, embedder="none") as mem:
            assert mem.integrity_check() == []
    return results


def main() -> None:
    """Measure and print; with ``--out`` write the results to a file."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--sizes", default="1000,10000")
    parser.add_argument("--out")
    given = parser.parse_args()
    results = [measured(int(size)) for size in given.sizes.split(",")]
    report = {
        "machine": f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}",
        "load": [round(each, 1) for each in os.getloadavg()] if hasattr(os, "getloadavg") else None,
        "budgets_ms_at_10000": BUDGETS,
        "results": results,
    }
    text = json.dumps(report, indent=1)
    sys.stdout.write(text + "\n")
    if given.out:
        Path(given.out).write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
