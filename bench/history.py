"""CPU milliseconds of History over segments of 2.4 KB: save, search, read, grep without a hit, fuzzy grep.

    python bench/history.py [--segments 10000] [--peer 1000] [--envs DIR] [--out FILE]

Texts are words of a made vocabulary of 20,000 with Zipf's weights; keyword search only. ``least`` is the least CPU time
of several calls, ``median`` the middle one; ``mean`` of save counts the calls that bring 128 entries into the posting
lists together. ``copy`` is the CPU time of copying a megabyte 1,000 times, to compare machines and moments. ``--peer``
also measures RLM, in an environment of its own, and omoide beside it, both over so many segments: RLM needs an hour for
10,000. ``ratio`` is RLM over omoide by the least CPU time.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import omoide
from omoide import History
from peers import environment

WORDS = 400
BUDGET = {"save": 2, "search": 5, "read": 1, "grep_miss": 60, "grep_expression_miss": 60, "fuzzy": 150}
RLM = {"save": 638, "search": 5529, "read": 252, "grep_miss": 519, "fuzzy": 934}
"""CPU milliseconds of RLM 0.11 at 10,000, as the budgets give them."""
PEER = ["mcp-rlm-server[search,fuzzy]==0.11.0"]
WORKER = Path(__file__).with_name("history_peer.py")


def texts(count: int) -> list[str]:
    rng = random.Random(7)
    vocabulary = ["".join(rng.choices("abcdefghijklmnoprstuvw", k=rng.randint(3, 9))) for _ in range(20_000)]
    weights = [1 / (rank + 1) for rank in range(len(vocabulary))]
    words = iter(rng.choices(vocabulary, weights, k=count * WORDS))
    return ["\n".join(" ".join(next(words) for _ in range(10)) for _ in range(WORDS // 10)) for _ in range(count)]


def cpu(work: Callable[[], object], times: int) -> dict[str, float]:
    took = list[float]()
    for _ in range(times):
        started = time.process_time()
        work()
        took.append((time.process_time() - started) * 1000)
    return {"least": round(min(took), 3), "median": round(statistics.median(took), 3)}


def measured(folder: str, count: int) -> dict[str, Any]:
    given = texts(count + 40)
    with History(Path(folder) / "a.db", embedder="none") as his:
        started = time.process_time()
        names = [his.save(text, project=f"p{n % 9}") for n, text in enumerate(given[:count])]
        mean = round((time.process_time() - started) * 1000 / count, 3)
        rest, query = iter(given[count:]), " ".join(given[1].split()[100:105])
        rare = min(sorted(set(given[1].split())), key=" ".join(given[:200]).count)
        his.search(query)
        return {
            "save": {"mean": mean} | cpu(lambda: his.save(next(rest), project="p1"), 40),
            "search": cpu(lambda: his.search(query), 15),
            "read": cpu(lambda: his.read(names[9]), 15),
            "grep_miss": cpu(lambda: his.grep("notthereatall"), 7),
            "grep_expression_miss": cpu(lambda: his.grep("zz[0-9]{4}"), 7),
            "grep_few_hits": {"hits": his.grep(rare).total} | cpu(lambda: his.grep(rare), 7),
            "fuzzy": cpu(lambda: his.grep(query[:-2] + "x", fuzzy=True), 7),
            "file_mb": round(Path(his.path).stat().st_size / 1e6, 1),
        }


def beside(count: int, envs: Path) -> dict[str, Any]:
    """Measure RLM and omoide over the same segments, one after the other."""
    python = environment("rlm", PEER, envs)
    if isinstance(python, str):
        return {"skipped": python}
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        (Path(folder) / "texts.json").write_text(json.dumps(texts(count + 40)), encoding="utf-8")
        clean = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "RLM_"))}
        command = [str(python), str(WORKER), folder, str(count)]
        done = subprocess.run(
            command, capture_output=True, text=True, env=clean | {"RLM_PROJECT": "bench", "HOME": folder}, check=False
        )
    if done.returncode:
        return {"skipped": done.stderr[-400:]}
    theirs: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        ours = measured(folder, count)
    ratio = {name: round(each["least"] / max(ours[name]["least"], 0.001), 1) for name, each in theirs.items()}
    return {"segments": count, "peer": PEER[0], "rlm": theirs, "omoide": ours, "ratio": ratio}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--segments", type=int, default=10_000)
    parser.add_argument("--peer", type=int, default=0, help="segments over which RLM is measured too")
    parser.add_argument("--envs", type=Path, default=Path(tempfile.gettempdir()) / "omoide-peers")
    parser.add_argument("--out", type=Path, help="a JSON file for the figures")
    given = parser.parse_args()
    block = bytearray(1_000_000)
    results: dict[str, Any] = {
        "command": " ".join(["python", "bench/history.py", *sys.argv[1:]]), "omoide": omoide.__version__,
        "python": platform.python_version(), "segments": given.segments,
        "load": [round(each, 1) for each in os.getloadavg()] if hasattr(os, "getloadavg") else None,
        "copy": cpu(lambda: [bytes(block) for _ in range(1000)], 5), "budget_cpu_ms": BUDGET, "rlm_cpu_ms": RLM,
    }  # fmt: skip
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        results["cpu_ms"] = measured(folder, given.segments)
    if given.peer:
        results["beside_rlm"] = beside(given.peer, given.envs)
    print(json.dumps({name: results.get(name) for name in ("cpu_ms", "beside_rlm")}, indent=1))
    if given.out is not None:
        given.out.parent.mkdir(parents=True, exist_ok=True)
        given.out.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
