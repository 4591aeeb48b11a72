"""Whether recall is worse after a run of consolidation: the same questions before, after, with everything accepted.

    python bench/sleep_recall.py [--sets beam_100k realmem] [--cache FOLDER] [--out FILE]

Stores, questions and scores are those of ``quality.py`` (hybrid search with the default model, its cached vectors);
who said a text is in its metadata. Stages: ``before``; ``after`` a run; ``accepted``, all that it proposed but
deletions and rejections; ``undone``, the acceptance taken back; ``year later``, after another run 365 days on.
``changed``: questions whose first five hits are others, or in another order, than before.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import quality
from omoide import Memory
from omoide.testing import FakeClock

SETS = ("beam_100k", "realmem")
NAMES = ("n", "R@5", "R@10", "nDCG@10", "MRR@10")
BEGIN = datetime(2030, 1, 1, tzinfo=UTC)
"""After everything that the sets tell of."""
HEAD = 5


class Namespaces:
    """A set as one file, a namespace a group, on a clock that the bench moves."""

    def __init__(self, path: Path, docs: list[Any], embedder: Any) -> None:
        self._path, self._embedder, self.clock = path, embedder, FakeClock(BEGIN.isoformat())
        self.groups = quality.by_group(docs)
        for name, members in self.groups.items():
            with self.opened(name) as mem, mem.bulk():
                for doc in members:
                    self._remember(mem, doc)
        self.clock.advance(3600)

    def opened(self, name: str) -> Memory:
        return Memory(self._path, name, embedder=self._embedder, clock=self.clock)

    def _remember(self, mem: Memory, doc: dict[str, Any]) -> None:
        meta = doc.get("meta", {})
        role = meta.get("role") or doc["text"].partition(": ")[0]
        metadata = {"doc": doc["id"], "order": quality.number(doc["id"])}
        mem.remember(
            doc["text"], metadata=metadata | ({"role": role} if role in ("user", "assistant") else {}),
            observed_at=quality.moment(meta.get("time")),
            source=str(meta["session"]) if meta.get("session") is not None else None,
        )  # fmt: skip

    def each(self, do: Callable[[Memory], Any]) -> dict[str, Any]:
        found = {}
        for name in self.groups:
            with self.opened(name) as mem:
                found[name] = do(mem)
        return found

    def answers(self, questions: list[Any]) -> dict[str, list[str]]:
        run: dict[str, list[str]] = {}
        for name in self.groups:
            with self.opened(name) as mem:
                for question in (each for each in questions if each["group"] == name):
                    before = question.get("before")
                    where = {"order": {"$lt": quality.number(before)}} if before else None
                    hits = mem.recall(question["text"], k=quality.K, where=where)
                    run[question["id"]] = [hit.metadata["doc"] for hit in hits]
        return run


def accept(mem: Memory) -> str | None:
    names = [each.id for each in mem.proposals() if each.kind not in ("delete", "reject")]
    return mem.accept(names).batch if names else None


def kinds(mem: Memory) -> dict[str, int]:
    found: dict[str, int] = {}
    for each in mem.proposals():
        found[each.kind] = found.get(each.kind, 0) + 1
    return found


def measure(score: Any, name: str, embedder: Any) -> dict[str, Any]:
    docs, questions = quality.load(score, name, whole=False)
    stages: dict[str, Any] = {}
    runs: dict[str, dict[str, list[str]]] = {}
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        store = Namespaces(Path(folder) / "set.db", docs, embedder)

        def stage(named: str) -> None:
            runs[named] = store.answers(questions)
            told = score.report(runs[named], questions)["ALL"]
            changed = sum(runs[named][key][:HEAD] != hits[:HEAD] for key, hits in runs["before"].items())
            stages[named] = {each: told[each] for each in NAMES} | {"changed": changed}

        stage("before")
        store.each(lambda mem: mem.sleep(seconds=600))
        stage("after")
        proposed = store.each(kinds)
        batches = store.each(accept)
        stage("accepted")
        store.each(lambda mem: batches[mem.namespace] and mem.undo(batches[mem.namespace]))
        stage("undone")
        store.clock.advance(timedelta(days=365).total_seconds())
        put_away = store.each(lambda mem: sum(each.changed for each in mem.sleep(seconds=600).passes))
        stage("year later")
    totals: dict[str, int] = {}
    for part in proposed.values():
        for kind, count in part.items():
            totals[kind] = totals.get(kind, 0) + count
    return {
        "texts": len(docs), "groups": len(store.groups), "proposed": totals, "stages": stages,
        "changes a year later": sum(put_away.values()),
    }  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--sets", nargs="+", default=list(SETS), choices=SETS)
    parser.add_argument("--cache", type=Path, default=Path(tempfile.gettempdir()) / "omoide-quality")
    parser.add_argument("--out", type=Path, default=quality.ROOT / "bench" / "results" / "sleep_recall.json")
    asked = parser.parse_args()
    score, embedder = quality.scorer(), quality.CachedEmbedder(asked.cache)
    figures: dict[str, Any] = {
        "command": "python bench/sleep_recall.py", "at": datetime.now(UTC).date().isoformat(),
        "model": embedder.model_name, "sets": {},
    }  # fmt: skip
    for name in asked.sets:
        started = time.monotonic()
        figures["sets"][name] = measure(score, name, embedder)
        print(f"{name} ({time.monotonic() - started:.0f} s) {json.dumps(figures['sets'][name])}", flush=True)
        asked.out.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
