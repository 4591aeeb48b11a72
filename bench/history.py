"""CPU milliseconds of save, search, read, grep without a hit and fuzzy grep over 10,000 segments of 2.4 KB."""

from __future__ import annotations

import random
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from omoide import History

SEGMENTS, WORDS = 3_000, 400


def texts(count: int) -> list[str]:
    rng = random.Random(7)
    vocabulary = ["".join(rng.choices("abcdefghijklmnoprstuvw", k=rng.randint(3, 9))) for _ in range(20_000)]
    weights = [1 / (rank + 1) for rank in range(len(vocabulary))]
    words = iter(rng.choices(vocabulary, weights, k=count * WORDS))
    return ["\n".join(" ".join(next(words) for _ in range(10)) for _ in range(WORDS // 10)) for _ in range(count)]


def least(work: Callable[[], object], times: int = 5) -> float:
    best = float("inf")
    for _ in range(times):
        started = time.process_time()
        work()
        best = min(best, (time.process_time() - started) * 1000)
    return best


def main() -> None:
    import sys

    count = int(sys.argv[1]) if len(sys.argv) > 1 else SEGMENTS
    given = texts(count + 5)
    with tempfile.TemporaryDirectory() as folder, History(Path(folder) / "a.db", embedder="none") as his:
        started = time.process_time()
        names = [his.save(text, project=f"p{n % 9}") for n, text in enumerate(given[:count])]
        print(f"save, mean {(time.process_time() - started) * 1000 / count:.2f}")
        rest = iter(given[count:])
        print(f"save {least(lambda: his.save(next(rest))):.2f}")
        query = " ".join(given[1].split()[100:105])
        print(f"search {least(lambda: his.search(query)):.2f}")
        print(f"read {least(lambda: his.read(names[9])):.2f}")
        print(f"grep, no hit {least(lambda: his.grep('notthereatall')):.2f}")
        print(f"grep, expression, no hit {least(lambda: his.grep('zz[0-9]{4}')):.2f}")
        print(f"fuzzy grep {least(lambda: his.grep(query[:-2] + 'x', fuzzy=True)):.2f}")


if __name__ == "__main__":
    main()
