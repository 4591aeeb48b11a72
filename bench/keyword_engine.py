"""Speed of the keyword engine alone: posting lists in SQLite, exact BM25, no analysis, no rows of texts.

    python bench/keyword_engine.py [--sizes 1000 10000 100000] [--million] [--out bench/results/keyword_engine.json]

Synthetic texts of about 11 terms after stop words, Zipf-distributed, a rare word in 30 %, one term in half
and one in 15 % of all texts. One space holds 90 % of the texts, up to 1,000 others share the rest. Questions
have 5 terms, 60 % of them the term that half of the texts hold. Budgets are p50 of a question in the large
space, wall time; every question is asked five times and its fastest answer counts, since the machine is
shared. ``calibration_ms`` is a fixed loop of Python before and after: about 45 on an idle 2024 server core.
"""

from __future__ import annotations

import argparse
import json
import platform
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import apsw
import numpy as np

from omoide.search.keyword import search
from omoide.store.sqlite import schema
from omoide.store.sqlite.connection import connect
from omoide.store.sqlite.indexing import postings

SIZES = (1_000, 10_000, 100_000)
MILLION = 1_000_000
BUDGET_MS = {1_000: 0.2, 10_000: 0.2, 100_000: 0.45, MILLION: 3.5}
INSERT_BUDGET_MS = 0.4
WORDS, SPACES, BATCH = 40_000, 1_000, 10_000
QUESTIONS, INSERTS, PASSES, K = 200, 500, 5, 10


class Corpus:
    """Texts and questions drawn from one vocabulary; the same for the same seed and size."""

    def __init__(self, size: int, seed: int = 7) -> None:
        self.random = np.random.default_rng(seed)
        self.rare = max(size // 5, 50)
        weights = 1.0 / (np.arange(WORDS) + 100.0) ** 1.35
        self.edges = np.cumsum(weights / weights.sum())

    def words(self, count: int) -> list[str]:
        return [f"w{rank}" for rank in np.searchsorted(self.edges, self.random.random(count)).tolist()]

    def texts(self, count: int) -> Iterator[list[str]]:
        lengths = np.clip(self.random.gamma(3.0, 3.4, count).astype(int), 1, 60)
        words = iter(self.words(int(lengths.sum())))
        chance = self.random.random((count, 3))
        rare = self.random.integers(0, self.rare, count)
        for number, length in enumerate(lengths.tolist()):
            text = [next(words) for _ in range(length)]
            if chance[number, 0] < 0.3:
                text.append(f"rare{rare[number]}")
            if chance[number, 1] < 0.5:
                text.append("user")
            if chance[number, 2] < 0.15:
                text.append("project")
            yield text

    def questions(self, texts: list[list[str]]) -> Iterator[list[tuple[str, float]]]:
        for _ in range(QUESTIONS):
            text = texts[self.random.integers(len(texts))]
            terms = dict.fromkeys([*self.random.permutation(text)[:2].tolist(), *self.words(8)])
            if self.random.random() < 0.6:
                terms = {"user": None, **terms}
            yield [(term, 1.0) for term in list(terms)[:5]]


def build(path: Path, corpus: Corpus, size: int) -> tuple[apsw.Connection, list[list[str]], dict[str, float]]:
    conn = connect(str(path), read_only=False, busy_timeout=10)
    conn.execute("PRAGMA journal_mode = WAL")
    for table in ("space", "entry", "term", "posting", "held"):
        conn.execute(schema.TABLES[table])
    conn.execute(schema.INDEXES["term_space"])
    sample: list[list[str]] = []
    spent = 0.0
    small = min(SPACES, max(size // 1_000, 1))
    for space, count in ((1, size * 9 // 10), *((number + 2, size // 10 // small) for number in range(small))):
        conn.execute("INSERT INTO space(space, ns, collection) VALUES(?, ?, 'memory')", (space, space))
        for start in range(0, count, BATCH):
            texts = list(corpus.texts(min(BATCH, count - start)))
            sample += texts[:200] if space == 1 else []
            began = time.process_time()
            with conn:
                postings.append_many(conn, space, enumerate(texts, start))
                spent += time.process_time() - began
                note(conn, space, start, texts)
    conn.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    figures = {"bulk_us_a_text": round(spent / size * 1e6, 1), "file_mb": round(path.stat().st_size / 1e6, 1)}
    return conn, sample, figures


def note(conn: apsw.Connection, space: int, first: int, texts: list[list[str]]) -> None:
    rows = [(space, number, b"", len(text)) for number, text in enumerate(texts, first)]
    conn.executemany("INSERT INTO entry(space, ord, key, length) VALUES(?, ?, ?, ?)", rows)
    conn.execute(
        "UPDATE space SET entries = entries + ?1, documents = documents + ?1, total_length = total_length + ?2"
        " WHERE space = ?3",
        (len(texts), sum(map(len, texts)), space),
    )


def open_space(conn: apsw.Connection, space: int) -> postings.SpacePostings:
    row: Any = conn.execute("SELECT documents, total_length, entries FROM space WHERE space = ?", (space,)).fetchone()
    return postings.SpacePostings(conn, space, documents=row[0], total_length=row[1], size=row[2])


def ask(conn: apsw.Connection, space: int, question: list[tuple[str, float]], k: int = K, mask: Any = None) -> int:
    conn.execute("BEGIN")
    touched = search(open_space(conn, space), question, k, mask).touched
    conn.execute("COMMIT")
    return touched


def insert(conn: apsw.Connection, text: list[str]) -> None:
    conn.execute("BEGIN IMMEDIATE")
    row: Any = conn.execute("SELECT entries FROM space WHERE space = 1").fetchone()
    postings.append(conn, 1, row[0], text)
    note(conn, 1, row[0], [text])
    conn.execute("COMMIT")


def spread(values: list[float]) -> dict[str, float]:
    p50, p95 = np.percentile(values, (50, 95)).tolist()
    return {"p50": round(p50, 3), "p95": round(p95, 3), "mean": round(float(np.mean(values)), 3)}


def timed(act: Callable[[Any], Any], items: list[Any]) -> dict[str, float]:
    spent = np.full((PASSES, len(items)), np.inf)
    for row in spent:
        for place, item in enumerate(items):
            began = time.perf_counter()
            act(item)
            row[place] = (time.perf_counter() - began) * 1e3
    return spread(spent.min(axis=0).tolist())


def inserts(conn: apsw.Connection, texts: list[list[str]]) -> dict[str, dict[str, float]]:
    cpu, wall = [], []
    for text in texts:
        began, started = time.process_time(), time.perf_counter()
        insert(conn, text)
        cpu.append((time.process_time() - began) * 1e3)
        wall.append((time.perf_counter() - started) * 1e3)
    return {"insert_cpu_ms": spread(cpu), "insert_wall_ms": spread(wall)}


def calibration() -> float:
    began, total = time.process_time(), 0
    for number in range(1_000_000):
        total += number
    return round((time.process_time() - began) * 1e3, 1)


def measure(size: int, folder: Path) -> dict[str, Any]:
    corpus = Corpus(size)
    conn, sample, figures = build(folder / f"{size}.db", corpus, size)
    questions = list(corpus.questions(sample))
    common = [[(f"w{rank}", 1.0) for rank in corpus.random.permutation(60)[:12]] for _ in range(50)]
    mask = np.ones(size, np.bool_)
    mask[::3] = False
    result: dict[str, Any] = {"texts": size, "calibration_ms": [calibration()], **figures}
    result["query_ms"] = timed(lambda each: ask(conn, 1, each), questions)
    result["query_budget_ms"] = BUDGET_MS.get(size)
    result["pool64_masked_ms"] = timed(lambda each: ask(conn, 1, each, 64, mask), questions)
    result["small_space_ms"] = timed(lambda each: ask(conn, 2, each), questions)
    result["common12_ms"] = timed(lambda each: ask(conn, 1, each), common)
    result["postings_read"] = int(np.median([ask(conn, 1, each) for each in questions]))
    result |= inserts(conn, list(corpus.texts(INSERTS)))
    result["insert_budget_ms"] = INSERT_BUDGET_MS
    result["calibration_ms"].append(calibration())
    conn.close()
    return result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", type=int, nargs="+", default=list(SIZES))
    parser.add_argument("--million", action="store_true", help="measure a million texts as well")
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    results = []
    for size in options.sizes + [MILLION] * options.million:
        with tempfile.TemporaryDirectory() as folder:
            results.append(measure(size, Path(folder)))
        print(json.dumps(results[-1]), flush=True)
    if options.out:
        machine = {"python": sys.version.split()[0], "numpy": np.__version__, "sqlite": apsw.sqlite_lib_version()}
        report = {"command": sys.argv, "machine": {**machine, "cpu": platform.processor()}, "results": results}
        options.out.write_text(json.dumps(report, indent=1) + "\n")


if __name__ == "__main__":
    main()
