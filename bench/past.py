"""Questions about the past at size: ``diff``, ``stats``, ``recall(as_of=...)`` and ``revise``, CPU milliseconds.

    python bench/past.py --memories 100000 --out bench/results/past.json

The memories are told evenly over a year of a test clock, one in ten revised later; keyword search only, so that no
figure holds an embedding. Each figure is the least and the median of repeated rounds.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from omoide import Memory
from omoide.testing import FakeClock
from speed import Texts

YEAR = 365 * 86_400
FLUSH = 250
"""Memories told at one moment of the clock."""


def measure(call: Callable[[], object], rounds: int) -> dict[str, float]:
    times = []
    for _ in range(rounds):
        began = time.process_time()
        call()
        times.append((time.process_time() - began) * 1000)
    return {"least": round(min(times), 3), "median": round(statistics.median(times), 3)}


def fill(mem: Memory, clock: FakeClock, texts: Texts, count: int) -> list[int]:
    ids: list[int] = []
    with mem.bulk() as block:
        for number in range(count):
            ids.append(mem.remember(texts.one(), subject=f"subject {number % 997}"))
            if number % FLUSH == FLUSH - 1:
                block.flush()
                clock.advance(YEAR * FLUSH / count)
    for id in ids[:: max(10, count // 2_000)]:
        mem.revise(id, texts.one())
        clock.advance(1)
    return ids


def run(folder: str, count: int) -> dict[str, Any]:
    clock, texts = FakeClock("2025-01-01T00:00:00Z"), Texts()
    mem = Memory(Path(folder) / "past.db", embedder="none", clock=clock)
    ids = fill(mem, clock, texts, count)
    questions = [texts.question() for _ in range(100)]
    turn = iter(range(10**9))

    def ask(**when: Any) -> Callable[[], object]:
        return lambda: [mem.recall(questions[next(turn) % 100], **when) for _ in range(20)]

    middle = "2025-07-01T00:00:00Z"
    figures: dict[str, Any] = {
        "diff_of_8_days": measure(lambda: consumed(mem.diff("2025-06-01", "2025-06-09")), 15),
        "diff_of_8_days_every_field": measure(lambda: told(mem.diff("2025-06-01", "2025-06-09")), 15),
        "diff_of_everything": measure(lambda: consumed(mem.diff("2024-12-31")), 5),
        "stats": measure(mem.stats, 50),
        "revise": measure(lambda: mem.revise(ids[next(turn) % count], texts.one()), 60),
        "recall_20": measure(ask(), 15),
        "recall_as_of_now_20": measure(ask(as_of=clock.now()), 15),
        "recall_as_of_half_20": measure(ask(as_of=middle), 15),
    }
    changed = mem.diff("2025-06-01", "2025-06-09")
    figures["memories_of_8_days"] = len(changed.learned)
    figures["as_of_over_current"] = round(figures["recall_as_of_now_20"]["least"] / figures["recall_20"]["least"], 2)
    mem.close()
    return figures


def consumed(diff: Any) -> int:
    """Read every text of a diff."""
    pairs = (version for pair in diff.revised for version in pair if version is not None)
    return sum(len(version.text) for part in (diff.learned, diff.retracted, pairs) for version in part)


def told(diff: Any) -> int:
    """Read every field of every version of a diff."""
    pairs = [version for pair in diff.revised for version in pair if version is not None]
    return len([version.provenance for version in (*diff.learned, *pairs, *diff.retracted)])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--memories", type=int, default=100_000)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        figures = run(folder, options.memories)
    report = {
        "command": " ".join(["python", *sys.argv]),
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
        "machine": {"python": platform.python_version(), "system": platform.platform(), "cpus": os.cpu_count()},
        "load_average": os.getloadavg(),
        "memories": options.memories,
        "milliseconds_cpu": figures,
    }
    print(json.dumps(report, indent=2))
    if options.out:
        options.out.write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
