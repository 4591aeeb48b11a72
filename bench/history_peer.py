"""RLM under the load of ``bench/history.py``; run by it inside an environment that has RLM.

    python bench/history_peer.py FOLDER SEGMENTS

Calls the functions behind its tools, without its server. Prints one JSON line: CPU milliseconds.
"""

from __future__ import annotations

import json
import os
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any


def cpu(work: Callable[[], object], times: int) -> dict[str, float]:
    took = list[float]()
    for _ in range(times):
        started = time.process_time()
        work()
        took.append((time.process_time() - started) * 1000)
    return {"least": round(min(took), 3), "median": round(statistics.median(took), 3)}


def main() -> int:
    folder, count = Path(sys.argv[1]), int(sys.argv[2])
    os.environ["RLM_CONTEXT_DIR"] = str(folder)
    given: list[str] = json.loads((folder / "texts.json").read_text(encoding="utf-8"))
    from mcp_server.tools import navigation, search

    names = [navigation.chunk(text, project=f"p{n % 9}").get("chunk_id") for n, text in enumerate(given[:count])]
    rest, query = iter(given[count:]), " ".join(given[1].split()[100:105])
    found: dict[str, Any] = {
        "save": cpu(lambda: navigation.chunk(next(rest), project="p1"), 10),
        "search": cpu(lambda: search.search(query), 4),
        "read": cpu(lambda: navigation.peek(names[9]), 7),
        "grep_miss": cpu(lambda: navigation.grep("notthereatall"), 5),
        "grep_expression_miss": cpu(lambda: navigation.grep("zz[0-9]{4}"), 5),
        "fuzzy": cpu(lambda: navigation.grep_fuzzy(query[:-2] + "x"), 5),
    }
    print(json.dumps(found))
    return 0


if __name__ == "__main__":
    sys.exit(main())
