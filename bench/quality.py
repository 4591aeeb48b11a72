"""Quality of retrieval through the public API, on the sets of the evaluation folder.

    python bench/quality.py [--sets locomo ...] [--engines hybrid keyword vector bm25 fts5 rmbr] [--whole] [--out FILE]

The folder is ``$OMOIDE_DATA``, else ``../shared/data`` beside the repository; its ``score.py`` does the scoring.
Every set becomes one real store, a namespace a group, filled inside ``bulk()`` and asked with
``recall(question, k=20)``. ``bm25`` is the plain baseline: Lucene's BM25 with stemming over the scorer's own
tokens. ``rmbr`` is the peer with the same vectors, in an environment of its own (``quality_peer.py``).
Large sets are cut (``SAMPLES``) unless ``--whole``: all relevant texts stay, fewer others around them,
so a figure of a sample compares engines and not publications. Vectors are cached by content in ``--cache``.
Only figures are written.
"""

from __future__ import annotations

import argparse
import collections
import importlib.util
import json
import os
import platform
import random
import re
import statistics
import sys
import tempfile
import time
from datetime import UTC, datetime
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np

import omoide
from omoide import Memory
from omoide.embed.e5 import PASSAGE, QUESTION, E5Embedder
from omoide.search import weights
from omoide.text.signature import signature
from omoide.text.tokens import analyze
from quality_extra import PASSAGES, Fts5, Plain, number, passages, updates
from quality_peer import Peer

ROOT = Path(__file__).resolve().parent.parent
DATA = Path(os.environ.get("OMOIDE_DATA", ROOT.parent / "shared" / "data"))
SETS = (
    "locomo", "longmemeval_oracle_turns", "realmem", "memdaily_zh", "jsquad_ja", "piaf_fr", "xquad_multi",
    "xquad_multi+xling", "tldr_xling", "cosqa_code", "scifact", "cranfield", "beam_100k", PASSAGES,
)  # fmt: skip
ENGINES = {
    "hybrid": {},
    "keyword": {"use_vectors": False},
    "vector": {"use_bm25": False},
}
BESIDE = ("bm25", "fts5", "rmbr")
SAMPLES: dict[str, dict[str, int]] = {  # how many groups, texts and questions are kept
    # and every group whose question has no answer or whose value changed
    "longmemeval_oracle_turns": {"groups": 22, "unanswerable": 1, "updates": 1},
    "tldr_xling": {"texts": 500},
    "scifact": {"texts": 220, "questions": 80},
    "cranfield": {"texts": 300, "questions": 24},
}
K, SEED, HEAD = 20, 5, 5
KEPT = 0.95
MADE = 300
TIMES = ("%I:%M %p on %d %B, %Y", "%Y/%m/%d %H:%M", "%B-%d-%Y", "%Y-%m-%d", "%Y年%m月%d日 %H:%M")
_WEEKDAY = re.compile(r"\s*(?:\([A-Z][a-z]+\)|周.)")
FIGURES = ("n", "R@1", "R@5", "R@10", "hit@5", "all@5", "nDCG@10", "MRR@10")


def scorer() -> Any:
    spec = importlib.util.spec_from_file_location("omoide_bench_score", DATA / "score.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class CachedEmbedder:
    """The default model, every vector kept by its content for the next run."""

    def __init__(self, folder: Path) -> None:
        self._model = E5Embedder()
        self.model_name = self._model.model_name
        self.dimension = self._model.dimension
        self._path = folder / f"{self.model_name}.npz"
        self._vectors: dict[bytes, Any] = {}
        self._made = 0
        if self._path.exists():
            with np.load(self._path) as kept:
                self._vectors = dict(zip(map(bytes, kept["keys"]), kept["vectors"], strict=True))

    def embed(self, texts: list[str], /) -> list[Any]:
        return self._all(PASSAGE, texts, self._model.embed)

    def embed_queries(self, texts: list[str], /) -> list[Any]:
        return self._all(QUESTION, texts, self._model.embed_queries)

    def split(self, text: str) -> list[str]:
        return self._model.split(text)

    def save(self) -> None:
        if self._made:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            keys = np.frombuffer(b"".join(self._vectors), np.uint8).reshape(-1, 16)
            np.savez(self._path, keys=keys, vectors=np.array(list(self._vectors.values()), np.float32))
            self._made = 0

    def _all(self, prefix: str, texts: list[str], make: Any) -> list[Any]:
        keys = [blake2b((prefix + text).encode("utf-8", "surrogatepass"), digest_size=16).digest() for text in texts]
        lacking = {key: text for key, text in zip(keys, texts, strict=True) if key not in self._vectors}
        self._vectors |= zip(lacking, make(list(lacking.values())), strict=True)
        self._made += len(lacking)
        return [self._vectors[key] for key in keys]


def load(score: Any, name: str, *, whole: bool) -> tuple[list[Any], list[Any]]:
    """Return the documents and questions of a set, cut as ``SAMPLES`` says."""
    if name == PASSAGES:
        return passages(Path(os.environ["RMBR_QUALITY_DATA"]))
    name, _, xling = name.partition("+")
    docs, questions = _loaded(score, str(DATA / name))
    if not whole and name in SAMPLES:
        changed = {one["group"] for one in score.rows(f"{DATA / name}/supersession.dev.jsonl")}
        docs, questions = sampled(docs, questions, SAMPLES[name], changed)
    if xling:
        others = [q for q in questions if q["group"] != "en"]
        questions = [{**q, "relevant": [f"en::{q['xling']}"], "category": q["group"], "group": "en"} for q in others]
    return docs, questions


def _loaded(score: Any, folder: str) -> tuple[list[Any], list[Any]]:
    docs, questions = score.load(folder)
    return docs, questions


def sampled(
    docs: list[Any], questions: list[Any], keep: dict[str, int], changed: set[str]
) -> tuple[list[Any], list[Any]]:
    chance = random.Random(SEED)
    if "groups" in keep:
        names = sorted({doc["meta"]["group"] for doc in docs})
        chance.shuffle(names)
        kept = set(names[: keep["groups"]])
        if "unanswerable" in keep:
            kept |= {q["group"] for q in questions if not q["relevant"]}
        if "updates" in keep:
            kept |= changed
        docs = [doc for doc in docs if doc["meta"]["group"] in kept]
        questions = [q for q in questions if q["group"] in kept]
    if "questions" in keep:
        chance.shuffle(questions)
        questions = questions[: keep["questions"]]
    if "texts" in keep:
        gold = {one for q in questions for one in q["relevant"]}
        rest = [doc for doc in docs if doc["id"] not in gold]
        chance.shuffle(rest)
        gold |= {doc["id"] for doc in rest[: max(0, keep["texts"] - len(gold))]}
        docs = [doc for doc in docs if doc["id"] in gold]
    return docs, questions


def group_of(item: dict[str, Any]) -> str:
    return str(item.get("group") or "all")


def by_group(docs: list[Any]) -> dict[str, list[Any]]:
    groups: dict[str, list[Any]] = collections.defaultdict(list)
    for doc in docs:
        groups[group_of(doc.get("meta", {}))].append(doc)
    return groups


def moment(text: str | None) -> datetime | None:
    plain = _WEEKDAY.sub("", text or "").strip()
    for form in TIMES:
        try:
            return datetime.strptime(plain, form).replace(tzinfo=UTC)
        except ValueError:
            continue
    return None


class Store:
    """A set as a store: one file, a namespace a group, ids of the set in the metadata."""

    def __init__(self, path: Path, docs: list[Any], embedder: Any) -> None:
        self._path, self._embedder = path, embedder
        self._open: tuple[str, Memory] | None = None
        self.groups = by_group(docs)
        for name, members in self.groups.items():
            mem = self._memory(name)
            with mem.bulk():
                for doc in members:
                    self._remember(mem, doc)

    def _remember(self, mem: Memory, doc: dict[str, Any]) -> None:
        meta = doc.get("meta", {})
        mem.remember(
            doc["text"], metadata={"doc": doc["id"], "order": number(doc["id"])}, observed_at=moment(meta.get("time")),
            source=str(meta["session"]) if meta.get("session") is not None else None,
        )  # fmt: skip

    def _memory(self, group: str) -> Memory:
        if self._open is None or self._open[0] != group:
            self.close()
            self._open = group, Memory(self._path, namespace=group, embedder=self._embedder)
        return self._open[1]

    def ask(self, group: str, question: dict[str, Any], options: dict[str, Any]) -> Any:
        before = question.get("before")
        where = {"order": {"$lt": number(before)}} if before else None
        return self._memory(group).recall(question["text"], k=K, where=where, **options)

    def close(self) -> None:
        if self._open is not None:
            self._open[1].close()
            self._open = None


def run_store(score: Any, store: Store, questions: list[Any], options: dict[str, Any]) -> dict[str, Any]:
    run: dict[str, list[str]] = {}
    known: list[float] = []
    unknown: list[float] = []
    took: list[float] = []
    for question in sorted(questions, key=group_of):
        group = group_of(question) if group_of(question) in store.groups else "all"
        hits = store.ask(group, question, options)
        took.append(hits.timings["total_ms"] - hits.timings.get("embed_ms", 0.0))
        run[question["id"]] = [hit.metadata["doc"] for hit in hits]
        (known if question["relevant"] else unknown).append(best_score(hits))
    figures = figures_of(score, run, questions, store.groups)
    figures["median_ms_without_embedding"] = round(statistics.median(took), 2)
    figures["gold_hidden_by_collapse"] = hidden(run, store.groups, questions)
    made = [best_score(store.ask(group, question, options)) for group, question in misplaced(store, questions)]
    figures["never_said"] = {
        kind: abstention(known, scores) for kind, scores in (("own", unknown), ("of another group", made)) if scores
    }
    return figures


def figures_of(
    score: Any, run: dict[str, list[str]], questions: list[Any], groups: dict[str, list[Any]]
) -> dict[str, Any]:
    report = score.report(run, questions)
    named = {key: value for key, value in report.items() if isinstance(value, dict)}
    whole = {name: named["ALL"][name] for name in FIGURES}
    parts = {key: {name: value[name] for name in ("n", "R@5", "nDCG@10")} for key, value in named.items()}
    del parts["ALL"]
    one = twins(groups)
    merged = {key: [one.get(doc, doc) for doc in ranking] for key, ranking in run.items()}
    wanted = [{**q, "relevant": [one.get(doc, doc) for doc in q["relevant"]], "grades": None} for q in questions]
    whole["R@5_equal_texts_as_one"] = score.report(merged, wanted)["ALL"]["R@5"]
    return {**whole, "by_category": parts} if parts else whole


def twins(groups: dict[str, list[Any]]) -> dict[str, str]:
    """Map the id of every text that another one equals, white space aside, to the first of them."""
    first: dict[tuple[str, str], str] = {}
    return {
        doc["id"]: first.setdefault((name, " ".join(doc["text"].split())), doc["id"])
        for name, docs in groups.items()
        for doc in docs
    }


def best_score(hits: Any) -> float:
    return max((hit.score for hit in hits[:HEAD]), default=0.0)


def misplaced(store: Store, questions: list[Any]) -> list[tuple[str, Any]]:
    """Questions asked of a group that is not theirs, so that nothing there answers them."""
    chance = random.Random(SEED)
    some = chance.sample(questions, min(MADE, len(questions)))
    names = sorted(store.groups)
    pairs = [(chance.choice([name for name in names if name != group_of(q)] or names), q) for q in some]
    pairs = [(name, {**q, "before": None}) for name, q in pairs if name != group_of(q) and q.get("xling") is None]
    return sorted(pairs, key=lambda pair: pair[0]) if len(names) > 1 else []


def abstention(known: list[float], unknown: list[float]) -> dict[str, Any]:
    """How well the best score tells questions that have an answer from those that have none."""
    has, lacks = np.array(known), np.array(unknown)
    cut = float(np.quantile(has, 1 - KEPT))
    above = (has[:, None] > lacks).mean() + (has[:, None] == lacks).mean() / 2
    below = weights.ABSTAIN_BELOW
    return {
        "n": len(lacks), "auc": round(float(above), 3), "share_at_95_kept": round(float((lacks < cut).mean()), 3),
        "cut_at_95_kept": round(cut, 3), "share_at_default": round(float((lacks < below).mean()), 3),
        "kept_at_default": round(float((has >= below).mean()), 3),
    }  # fmt: skip


def hidden(run: dict[str, list[str]], groups: dict[str, list[Any]], questions: list[Any]) -> int:
    """Count relevant texts that are missing while another text with the same words was answered."""
    gist = {
        doc["id"]: (name, signature(doc["text"]), tuple(analyze(doc["text"])))
        for name, docs in groups.items()
        for doc in docs
    }
    count = 0
    for question in questions:
        shown = set(run[question["id"]])
        seen = {gist[one] for one in shown}
        count += sum(gist[gold] in seen for gold in set(question["relevant"]) - shown if gold in gist)
    return count


def measure(score: Any, name: str, engines: list[str], embedder: CachedEmbedder, *, whole: bool) -> dict[str, Any]:
    docs, questions = load(score, name, whole=whole)
    cut = not whole and name.partition("+")[0] in SAMPLES
    result: dict[str, Any] = {"documents": len(docs), "questions": len(questions), "sample": cut}
    if "bm25" in engines:
        plain = Plain(score, by_group(docs), K)
        run = {q["id"]: plain.ask(group_of(q) if group_of(q) in plain.groups else "all", q) for q in questions}
        result["bm25"] = figures_of(score, run, questions, plain.groups)
        result["bm25"] |= updated(score, name, plain.groups, plain.ask)
    if "fts5" in engines:
        groups = by_group(docs)
        fts = Fts5(score, groups)
        run = {q["id"]: fts.ask(group_of(q) if group_of(q) in groups else "all", q, K, _allowed(q)) for q in questions}
        result["fts5"] = figures_of(score, run, questions, groups)
        result["fts5"] |= updated(score, name, groups, lambda group, q: fts.ask(group, q, K, None))
    if "rmbr" in engines:
        groups, items = by_group(docs), updates(score, DATA / name, by_group(docs))
        placed = [{**q, "group": group_of(q) if group_of(q) in groups else "all"} for q in questions]
        run = Peer(K).ask(groups, placed + items, embedder)
        result["rmbr"] = figures_of(score, {q["id"]: run[q["id"]] for q in questions}, questions, groups)
        result["rmbr"] |= updated(score, name, groups, lambda _, q, run=run: run[q["id"]])
    asked = [engine for engine in engines if engine in ENGINES]
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        store = Store(Path(folder) / "set.db", docs, embedder)
        for engine in asked:
            options = ENGINES[engine]
            result[engine] = run_store(score, store, questions, options)
            result[engine] |= updated(
                score, name, store.groups,
                lambda group, q, options=options: [hit.metadata["doc"] for hit in store.ask(group, q, options)],
            )  # fmt: skip
        store.close()
    return result


def _allowed(question: dict[str, Any]) -> Any:
    before = question.get("before")
    return (lambda one: number(one) < number(before)) if before else None


def updated(score: Any, name: str, groups: dict[str, list[Any]], ask: Any) -> dict[str, Any]:
    """Return how often the newer of two statements about one matter comes first, where a set tells them."""
    items = sorted(updates(score, DATA / name, groups), key=lambda one: one["group"])
    if not items:
        return {}
    run = {one["id"]: ask(one["group"], one) for one in items}
    return {"updates": score.supersede(run, items)}


def summary(name: str, result: dict[str, Any]) -> str:
    cells = [f"{name:25} {result['documents']:5} texts {result['questions']:4} questions"]
    found = [(engine, result[engine]) for engine in BESIDE + tuple(ENGINES) if engine in result]
    cells += [f"equal texts as one: {result['hybrid']['R@5_equal_texts_as_one']:.3f}"] if "hybrid" in result else []
    cells += [f"{engine} {each['R@5']:.3f}/{each['nDCG@10']:.3f}" for engine, each in found if "R@5" in each]
    said = result.get("hybrid", {}).get("never_said", {})
    cells += [f"never said ({kind}) {each['share_at_95_kept']:.2f}" for kind, each in said.items()]
    return "  ".join(cells)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", nargs="+", default=list(SETS), choices=SETS)
    parser.add_argument("--engines", nargs="+", default=["bm25", "fts5", *ENGINES], choices=[*BESIDE, *ENGINES])
    parser.add_argument("--whole", action="store_true", help="no samples; hours of embedding the first time")
    parser.add_argument("--cache", type=Path, default=Path(tempfile.gettempdir()) / "omoide-quality")
    parser.add_argument("--out", type=Path, help="a JSON file for the figures")
    given = parser.parse_args()
    if not (DATA / "score.py").is_file():
        print(f"no evaluation data at {DATA}; set OMOIDE_DATA")
        return 0
    score, embedder = scorer(), CachedEmbedder(given.cache)
    setting = {name: getattr(weights, name) for name in dir(weights) if name.isupper() and name != "COSINES"}
    numbers = {name: value for name, value in setting.items() if isinstance(value, int | float)}
    results: dict[str, Any] = {
        "command": " ".join(["python", "bench/quality.py", *sys.argv[1:]]), "omoide": omoide.__version__,
        "python": platform.python_version(), "model": embedder.model_name, "weights": numbers, "sets": {},
    }  # fmt: skip
    for name in given.sets:
        started = time.monotonic()
        results["sets"][name] = measure(score, name, given.engines, embedder, whole=given.whole)
        embedder.save()
        print(f"{summary(name, results['sets'][name])}  ({time.monotonic() - started:.0f} s)", flush=True)
        if given.out is not None:
            given.out.parent.mkdir(parents=True, exist_ok=True)
            given.out.write_text(json.dumps(results, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
