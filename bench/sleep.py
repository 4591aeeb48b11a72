"""How long a run of consolidation takes, pass by pass, and how long a recall beside it waits.

    python bench/sleep.py [--sizes 10000 100000] [--out FILE]

Memories are made sentences about subjects, with numbers, near-duplicates and updates among them; keyword search only.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import random
import statistics
import tempfile
import threading
import time
from functools import partial
from pathlib import Path
from typing import Any

from omoide import Memory
from omoide.testing import FakeClock

ROOT = Path(__file__).resolve().parent.parent
HEADS, MIDDLES = ("ka", "te", "mo", "ru", "shi", "no"), ("ri", "lan", "mer", "to", "vek")
TAILS = ("a", "os", "in", "um", "ell", "ar", "ish", "on", "ey", "ix", "or", "ant", "ul", "es", "ip", "ot", "ag", "en")
WORDS = [f"{a}{b}{c}" for a in HEADS for b in MIDDLES for c in TAILS]
KINDS = ("fact", "event", "decision", "procedure")


def sentence(random_: random.Random, number: int) -> str:
    words = random_.choices(WORDS, k=random_.randint(8, 22))
    if number % 4 == 0:
        words.insert(3, f"now at {random_.randint(2, 900)} {random_.choice(WORDS)}s")
    if number % 9 == 0:
        words.insert(5, f"every {random_.randint(2, 9)} weeks")
    return " ".join(words).capitalize() + "."


def fill(mem: Memory, clock: FakeClock, size: int) -> None:
    random_ = random.Random(3)
    texts: list[str] = []
    with mem.bulk():
        for number in range(size):
            if texts and number % 50 == 0:
                text = random_.choice(texts[-2000:]) + f" Also {random_.choice(WORDS)}."
            else:
                text = sentence(random_, number)
            texts.append(text)
            mem.remember(
                text, subject=f"thing {number % (size // 5)}" if number % 3 == 0 else None, kind=KINDS[number % 4]
            )
            if number % 500 == 0:
                clock.advance(3600)


def beside(mem: Memory, stop: threading.Event, waits: list[float]) -> None:
    """Ask and write beside a run, and keep how long each took."""
    number = 0
    while not stop.wait(0.2):
        for act in (partial(mem.recall, "karia telanos"), partial(mem.remember, f"said beside it {number}")):
            started = time.perf_counter()
            act()
            waits.append((time.perf_counter() - started) * 1000)
        number += 1


def load() -> float | None:
    """How many processes wanted a core of this machine during the last minute, where the system tells."""
    return round(os.getloadavg()[0], 1) if hasattr(os, "getloadavg") else None


def measure(size: int) -> dict[str, Any]:
    clock = FakeClock("2026-01-01T00:00:00Z")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "agents.db"
        with Memory(path, embedder="none", clock=clock) as mem, Memory(path, embedder="none", clock=clock) as other:
            fill(mem, clock, size)
            clock.advance(86_400)
            waits: list[float] = []
            stop = threading.Event()
            thread = threading.Thread(target=beside, args=(other, stop, waits))
            thread.start()
            started, used = time.perf_counter(), time.process_time()
            report = mem.sleep(seconds=3600)
            took, cpu = time.perf_counter() - started, time.process_time() - used
            stop.set()
            thread.join()
            clock.advance(86_400)
            again = time.perf_counter()
            mem.sleep(seconds=3600)
            second = time.perf_counter() - again
    return {
        "memories": size, "load": load(), "seconds": round(took, 2), "cpu_seconds": round(cpu, 2),
        "second_run": round(second, 2),
        "passes": {each.name: each.seconds for each in report.passes if each.seconds >= 0.01},
        "proposed": len(report.proposed), "beside_ms_p50": round(statistics.median(waits), 1) if waits else None,
        "beside_ms_max": round(max(waits), 1) if waits else None,
    }  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--sizes", type=int, nargs="*", default=[10_000, 100_000])
    parser.add_argument("--out", type=Path, default=ROOT / "bench" / "results" / "sleep.json")
    asked = parser.parse_args()
    rows = [measure(size) for size in asked.sizes]
    for row in rows:
        print(row)
    figures = {"machine": platform.machine(), "python": platform.python_version(), "runs": rows}
    asked.out.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
