"""Quality of History.search: conversations taken in as transcripts, questions asked of them.

    python bench/history_quality.py [--sets locomo ...] [--engines hybrid ...] [--groups N] [--cache DIR] [--out FILE]

Every conversation of a set becomes a transcript, every group a namespace, filled by ``History.ingest``. The answers
are turns; for ``longmemeval_s``, whose gold are sessions, the sessions of the turns in the order of the first. Data,
scorer and the cache of vectors are those of ``bench/quality.py``. Only figures are written.
"""

from __future__ import annotations

import argparse
import json
import platform
import sys
import tempfile
import time
from collections import defaultdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import omoide
from omoide import History
from quality import DATA, CachedEmbedder, by_group, group_of, moment, scorer

SETS = ("locomo", "beam_100k", "longmemeval_s")
SESSIONS = "longmemeval_s"
ENGINES: dict[str, dict[str, Any]] = {"hybrid": {}, "keyword": {"use_vectors": False}, "vector": {"use_bm25": False}}
FIGURES = ("n", "R@5", "hit@5", "all@5", "nDCG@10")
BM25 = {
    "longmemeval_s": {"hit@5": 0.970, "all@5": 0.861}, "locomo": {"R@5": 0.559}, "beam_100k": {"R@5": 0.30},
}  # fmt: skip
"""What the budgets give for BM25 with stemming over the same texts."""
TURNS, DEEP = 20, 100
NO_TIME = datetime(2024, 1, 1, tzinfo=UTC)


def told(doc: dict[str, Any]) -> list[tuple[str, str, str]]:
    """Return (role, text, id) of the turns that a document of a set holds."""
    if "\x1e" in doc["text"] or doc["text"].startswith(("user: ", "assistant: ")):
        turns = [turn.partition(": ") for turn in doc["text"].split("\x1e")]
        return [(role if role in ("user", "assistant") else "user", text, doc["id"]) for role, _, text in turns]
    role = str(doc["meta"].get("role") or "user")
    return [(role if role == "assistant" else "user", doc["text"], doc["id"])]


def session_of(name: str, doc: dict[str, Any]) -> str:
    meta = doc.get("meta", {})
    return str(doc["id"] if name == SESSIONS else f"{meta.get('group')} {meta.get('session', '')}".strip())


def line(session: str, number: int, role: str, text: str, at: datetime) -> str:
    said = text if role == "user" else [{"type": "text", "text": text}]
    return json.dumps({
        "type": role, "uuid": f"{session}-{number}", "sessionId": session, "parentUuid": None, "cwd": "/nowhere",
        "timestamp": at.isoformat(), "version": "2.0.0", "isSidechain": False, "userType": "external",
        "message": {"role": role, "content": said},
    }, ensure_ascii=False)  # fmt: skip


class Conversations:
    """A group of a set in a namespace of its own; every turn knows the document that it comes from."""

    def __init__(self, folder: Path, name: str, group: str, docs: list[Any], embedder: Any) -> None:
        self._sources: dict[str, list[str]] = defaultdict(list)
        self._name = name
        here = folder / "transcripts"
        here.mkdir(parents=True)
        for number, (session, members) in enumerate(self._by_session(docs).items()):
            lines = list[str]()
            for doc in members:
                at = moment(doc.get("meta", {}).get("time")) or NO_TIME
                for role, text, owner in told(doc):
                    if text.strip():
                        self._sources[session].append(owner)
                        lines.append(line(session, len(lines) + 1, role, text, at))
            (here / f"{number}.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
        self.history = History(folder / "set.db", namespace=group, embedder=embedder)
        done = self.history.ingest(here)
        assert not done.failed
        assert done.turns == sum(map(len, self._sources.values()))
        while self.history.status()[group]["pending_vectors"]:
            time.sleep(0.2)

    def _by_session(self, docs: list[Any]) -> dict[str, list[Any]]:
        found: dict[str, list[Any]] = defaultdict(list)
        for doc in docs:
            found[session_of(self._name, doc)].append(doc)
        return found

    def ask(self, question: str, options: dict[str, Any]) -> list[str]:
        hits = self.history.search(question, k=DEEP if self._name == SESSIONS else TURNS, **options)
        places = [(hit.metadata["session"], hit.metadata["turn"]) for hit in hits]
        return list(dict.fromkeys(self._sources[session][turn - 1] for session, turn in places))[:TURNS]


def measure(score: Any, name: str, embedder: Any, engines: list[str], groups: int | None, keep: Any) -> None:
    """Ask the questions of a set, group after group; ``keep`` takes the figures so far."""
    docs, questions = score.load(str(DATA / name))
    texts = by_group(docs)
    asked = [q for q in questions if q["relevant"] and group_of(q) in texts]
    names = sorted({group_of(q) for q in asked})[:groups]
    runs: dict[str, dict[str, list[str]]] = {engine: {} for engine in engines}
    for number, group in enumerate(names, 1):
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
            conversations = Conversations(Path(folder), name, group, texts[group], embedder)
            for question in (q for q in asked if group_of(q) == group):
                for engine in engines:
                    runs[engine][question["id"]] = conversations.ask(question["text"], ENGINES[engine])
            conversations.history.close()
        if embedder != "none":
            embedder.save()
        print(f"{name} {number}/{len(names)}", flush=True)
        told = [q for q in asked if group_of(q) in names[:number]]
        found = {engine: figures(score, run, told) for engine, run in runs.items()}
        keep({"groups": number, "of": len(names), "bm25_of_the_budgets": BM25[name]} | found)


def figures(score: Any, run: dict[str, list[str]], questions: list[Any]) -> dict[str, Any]:
    report = {key: value for key, value in score.report(run, questions).items() if isinstance(value, dict)}
    kinds = {key: {name: value[name] for name in ("n", *FIGURES[1:4])} for key, value in report.items() if key != "ALL"}
    return {**{name: report["ALL"][name] for name in FIGURES}, "by_category": kinds}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", nargs="+", default=list(SETS), choices=SETS)
    parser.add_argument("--engines", nargs="+", default=list(ENGINES), choices=ENGINES)
    parser.add_argument("--groups", type=int, help="only so many groups of each set")
    parser.add_argument("--cache", type=Path, default=Path(tempfile.gettempdir()) / "omoide-history-quality")
    parser.add_argument("--out", type=Path, help="a JSON file for the figures")
    given = parser.parse_args()
    if not (DATA / "score.py").is_file():
        print(f"no evaluation data at {DATA}; set OMOIDE_DATA")
        return 0
    score = scorer()
    embedder: Any = "none" if given.engines == ["keyword"] else CachedEmbedder(given.cache)
    results: dict[str, Any] = {
        "command": " ".join(["python", "bench/history_quality.py", *sys.argv[1:]]), "omoide": omoide.__version__,
        "python": platform.python_version(), "model": getattr(embedder, "model_name", None), "sets": {},
    }  # fmt: skip
    for name in given.sets:

        def keep(found: dict[str, Any], name: str = name) -> None:
            results["sets"][name] = found
            if given.out is not None:
                given.out.parent.mkdir(parents=True, exist_ok=True)
                given.out.write_text(json.dumps(results, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")

        measure(score, name, embedder, given.engines, given.groups, keep)
        print(name, {engine: results["sets"][name][engine]["R@5"] for engine in given.engines}, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
