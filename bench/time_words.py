"""What the time words of a question are worth: the dated dev sets with and without the raise, one setting for all.

    python bench/time_words.py --out bench/results/time_words.json

Asks only the questions that name a time, each seen from its own date where the set has one, with the sets, stores and
figures of ``bench/quality.py``. ``weights.TIME`` is what lying in the named time is worth; 0 is no steering.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from pathlib import Path
from typing import Any

import omoide
import quality
from omoide.model.time import to_micros
from omoide.search import weights
from omoide.text.when import time_ranges

SETS = ("locomo", "longmemeval_oracle_turns", "realmem", "memdaily_zh")
WORTH = (0.0, 0.1, 0.2, 0.3, 0.4)
FIGURES = ("n", "R@5", "nDCG@10", "MRR@10")
UNDATED = "2026-01-01"
"""When a question is asked whose set does not say; its words are then mostly dates."""


def names_a_time(question: dict[str, Any]) -> bool:
    asked = quality.moment(question.get("time")) or UNDATED
    return bool(question["relevant"]) and bool(time_ranges(question["text"], to_micros(asked)))


def measure(score: Any, name: str, embedder: Any) -> dict[str, Any]:
    docs, questions = quality.load(score, name, whole=True)
    asked = [question for question in questions if names_a_time(question)]
    groups = {quality.group_of(question) for question in asked}
    docs = [doc for doc in docs if quality.group_of(doc.get("meta", {})) in groups]
    result: dict[str, Any] = {"questions": len(questions), "with time words": len(asked)}
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        store = quality.Store(Path(folder) / "set.db", docs, embedder)
        embedder.save()
        for worth in WORTH:
            weights.TIME = worth  # type: ignore[misc]  # the one number that this bench varies
            result[str(worth)] = figures(score, store, asked)
        store.close()
    return result


def figures(score: Any, store: Any, asked: list[dict[str, Any]]) -> dict[str, Any]:
    run: dict[str, list[str]] = {}
    for question in sorted(asked, key=quality.group_of):
        moment = quality.moment(question.get("time"))
        options = {"valid_at": moment} if moment else {}
        hits = store.ask(quality.group_of(question), question, options)
        run[question["id"]] = [hit.metadata["doc"] for hit in hits]
    report = score.report(run, asked)
    return {key: {name: each[name] for name in FIGURES} for key, each in report.items() if isinstance(each, dict)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", nargs="+", default=list(SETS), choices=SETS)
    parser.add_argument("--cache", type=Path, default=Path(tempfile.gettempdir()) / "omoide-quality")
    parser.add_argument("--out", type=Path, help="a JSON file for the figures")
    given = parser.parse_args()
    score, embedder = quality.scorer(), quality.CachedEmbedder(given.cache)
    result: dict[str, Any] = {
        "command": " ".join(["python", "bench/time_words.py", *sys.argv[1:]]), "omoide": omoide.__version__,
        "model": embedder.model_name, "setting": weights.TIME, "sets": {},
    }  # fmt: skip
    for name in given.sets:
        result["sets"][name] = measure(score, name, embedder)
        print(name, {worth: result["sets"][name][str(worth)]["ALL"]["R@5"] for worth in WORTH}, flush=True)
    if given.out is not None:
        given.out.write_text(json.dumps(result, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
