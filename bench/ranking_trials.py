"""What ranking was tried with and does without: every set asked once, its candidates put in order by each trial.

    python bench/ranking_trials.py [--sets locomo ...] --out bench/results/ranking_trials.json

The candidates and their scores are those of ``recall`` (the last step before its answer), the sets, vectors and gold
those of ``bench/quality.py``; a trial changes one thing of the formula in ``omoide.search.weights``. Figures are R@5
before updates, named times and equal texts are looked at, so they compare trials and not publications.
"""

from __future__ import annotations

import argparse
import collections
import itertools
import json
import math
import re
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import omoide
import quality
from omoide.search import columns, rank
from omoide.text.tokens import analyze, stop_terms
from omoide.verbs.asking import answers

SETS = (
    "locomo", "longmemeval_oracle_turns", "beam_100k", "realmem", "memdaily_zh", "jsquad_ja", "piaf_fr", "xquad_multi",
    "xquad_multi+xling", "tldr_xling", "cosqa_code", "scifact",
)  # fmt: skip
NAME = re.compile(r"(?<=[\w,;:] )[A-ZÀ-ÞА-Я]\w+|\w*\d\w*")
"""What is written as a name inside a sentence, and what holds a digit."""
RRF = 60
BEST = 5

Floats = NDArray[np.float64]


@dataclass
class Case:
    """A question with its candidates, as the formula sees them."""

    question: dict[str, Any]
    ids: list[str]
    texts: list[str]
    parts: dict[str, Floats]
    own: Floats
    linked: NDArray[np.bool_]
    vectors: list[NDArray[Any]]
    asked: NDArray[Any]

    @property
    def dense(self) -> Floats:
        return np.asarray(self.parts["dense"], np.float64)

    @property
    def lexical(self) -> Floats:
        return np.asarray(self.parts["lexical"], np.float64)

    @property
    def weight(self) -> Floats:
        return np.asarray(self.parts["dense_weight"], np.float64)

    def total(self, **changed: Any) -> Floats:
        """Return the order's value with some parts of the formula replaced."""
        weight, dense = changed.get("weight", self.weight), changed.get("dense", self.dense)
        words = changed.get("lexical", self.lexical) + changed.get("context", self.parts["context"])
        rest = self.parts["total"] - self.parts["fused"]
        return np.asarray(weight * dense + (1 - weight) * words + rest)


def scaled(values: Floats) -> Floats:
    low, high = np.nanmin(values), np.nanmax(values)
    return np.nan_to_num((values - low) / (high - low)) if high > low else np.ones_like(values)


def topic(case: Case) -> list[str]:
    return [term for term in analyze(case.question["text"]) if term not in stop_terms()]


def rarity(case: Case) -> Callable[[str], float]:
    found = collections.Counter(term for text in case.texts for term in set(analyze(text)))
    return lambda term: math.log(1 + len(case.texts) / (1 + found[term]))


def coverage(case: Case) -> Floats:
    """Return the share of the question's rare words that each candidate holds."""
    words, worth = set(topic(case)), rarity(case)
    whole = sum(map(worth, words)) or 1
    return np.array([sum(map(worth, words & set(analyze(text)))) / whole for text in case.texts])


def proximity(case: Case) -> Floats:
    """Return how near to one another each candidate holds words that are neighbours in the question."""
    words = topic(case)
    pairs = [(one, two) for one, two in itertools.pairwise(words) if one != two]
    return np.array([_nearness(pairs, analyze(text)) for text in case.texts])


def _nearness(pairs: list[tuple[str, str]], terms: list[str]) -> float:
    places: dict[str, list[int]] = collections.defaultdict(list)
    for place, term in enumerate(terms):
        places[term].append(place)
    near = [
        min(abs(a - b) for a in places[one] for b in places[two])
        for one, two in pairs
        if one in places and two in places
    ]
    return sum(1 / max(gap, 1) for gap in near) / max(len(pairs), 1)


def names(case: Case) -> Floats:
    """Return the share of the question's names and numbers that each candidate holds."""
    wanted = {found.lower() for found in NAME.findall(case.question["text"])}
    return np.array([sum(name in text.lower() for name in wanted) / max(len(wanted), 1) for text in case.texts])


def feedback(case: Case, best: int, share: float) -> Floats:
    """Return similarities to the question moved towards the best candidates (Rocchio)."""
    heads = np.argsort(-case.total(), kind="stable")[:best]
    middle = np.mean([rows[np.argmax(rows @ case.asked)] for rows in (case.vectors[head] for head in heads)], axis=0)
    moved = unit(case.asked + share * unit(middle))
    gained = [float((rows @ moved).max() - (rows @ case.asked).max()) for rows in case.vectors]
    return scaled(case.own + np.array(gained))


def diverse(case: Case, share: float) -> Floats:
    """Return an order in which what resembles a chosen one comes later (maximal marginal relevance)."""
    value = case.total()
    left = list(np.argsort(-value, kind="stable")[: 4 * BEST])
    rows = np.array([case.vectors[one][np.argmax(case.vectors[one] @ case.asked)] for one in left])
    alike, chosen, result = rows @ rows.T, [0], value - 10
    while len(chosen) < min(BEST, len(left)):
        rest = [one for one in range(len(left)) if one not in chosen]
        chosen.append(max(rest, key=lambda one: value[left[one]] - share * alike[one, chosen].max()))
    for place, one in enumerate(chosen):
        result[left[one]] = 10 - place
    return result


def neighbours(case: Case, values: Floats) -> Floats:
    lent = np.zeros_like(values)
    lent[1:] = case.linked * values[:-1]
    lent[:-1] = np.maximum(lent[:-1], case.linked * values[1:])
    return lent


def places(values: Floats) -> Floats:
    return np.argsort(np.argsort(-values, kind="stable"), kind="stable") + 1.0


def unit(rows: Any) -> NDArray[Any]:
    found = np.asarray(rows, np.float32)
    result: NDArray[Any] = found / np.maximum(np.linalg.norm(found, axis=-1, keepdims=True), 1e-9)
    return result


TRIALS: dict[str, Callable[[Case], Floats]] = {
    "as it is": Case.total,
    "ranks fused (RRF, 60)": lambda case: 1 / (RRF + places(case.own)) + 1 / (RRF + places(case.lexical)),
    "vectors 0.1 less": lambda case: case.total(weight=case.weight - 0.1),
    "vectors 0.1 more": lambda case: case.total(weight=np.minimum(case.weight + 0.1, 1)),
    "no context of neighbours": lambda case: case.total(context=0),
    "neighbours lend vectors too, 0.2": lambda case: case.total(dense=case.dense + 0.2 * neighbours(case, case.dense)),
    "share of the question's words, +0.3": lambda case: case.total(lexical=case.lexical + 0.3 * coverage(case)),
    "neighbouring words near, +0.3": lambda case: case.total(lexical=case.lexical + 0.3 * proximity(case)),
    "neighbouring words near, +0.6": lambda case: case.total(lexical=case.lexical + 0.6 * proximity(case)),
    "names and numbers, +0.3": lambda case: case.total(lexical=case.lexical + 0.3 * names(case)),
    "feedback of the best 3, 0.2": lambda case: case.total(dense=feedback(case, 3, 0.2)),
    "feedback of the best 3, 0.4": lambda case: case.total(dense=feedback(case, 3, 0.4)),
    "diversity, 0.1": lambda case: diverse(case, 0.1),
    "diversity, 0.3": lambda case: diverse(case, 0.3),
}


class Recorder:
    """Keeps what the last question was ranked by."""

    def __init__(self) -> None:
        self.pool: Any = None
        self.columns: Any = None
        self.ranked: Any = None
        self.calibration: Any = None

    def __call__(self, pools: Any, found: Any, **options: Any) -> Any:
        self.pool, self.columns, self.calibration = pools[0], found[0], options["calibration"]
        self.ranked = rank.rank(pools, found, **options)
        return self.ranked


def cases(score: Any, name: str, embedder: Any, recorder: Recorder) -> Iterator[Case]:
    docs, questions = quality.load(score, name, whole=False)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        store = quality.Store(Path(folder) / "trials.db", docs, embedder)
        for question in sorted((one for one in questions if one["relevant"]), key=quality.group_of):
            group = quality.group_of(question) if quality.group_of(question) in store.groups else "all"
            store.ask(group, question, {})
            yield case_of(question, store.groups[group], embedder, recorder)
        store.close()


def case_of(question: dict[str, Any], docs: list[Any], embedder: Any, recorder: Recorder) -> Case:
    ords = recorder.pool.ords.astype(np.int64)
    texts = [docs[place]["text"] for place in ords]
    threads = columns.thread_of(recorder.columns["flags"])
    own = rank._own(recorder.pool.cosines, [recorder.columns], recorder.calibration)  # noqa: SLF001
    return Case(
        question=question, ids=[docs[place]["id"] for place in ords], texts=texts, parts=recorder.ranked.parts,
        own=np.nan_to_num(own).astype(np.float64),
        linked=(np.diff(ords) == 1) & (threads[1:] == threads[:-1]) & (threads[1:] != 0),
        vectors=[unit(embedder.embed(embedder.split(text))) for text in texts],
        asked=unit(embedder.embed_queries([question["text"]]))[0],
    )  # fmt: skip


def recalled(case: Case, values: Floats) -> float:
    best = [case.ids[place] for place in np.argsort(-values, kind="stable")[:BEST]]
    wanted = set(case.question["relevant"])
    return len(wanted & set(best)) / len(wanted)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", nargs="*", default=SETS)
    parser.add_argument("--cache", type=Path, default=Path(tempfile.gettempdir()) / "omoide-quality")
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    score, embedder, recorder = quality.scorer(), quality.CachedEmbedder(given.cache), Recorder()
    vars(answers)["rank"] = recorder
    figures: dict[str, dict[str, float]] = {}
    for name in given.sets:
        found = collections.defaultdict(list)
        for case in cases(score, name, embedder, recorder):
            for trial, order in TRIALS.items():
                found[trial].append(recalled(case, order(case)))
        figures[name] = {trial: round(float(np.mean(values)), 4) for trial, values in found.items()}
        print(name, figures[name], flush=True)
        embedder.save()
    if given.out:
        command = "python bench/ranking_trials.py --out bench/results/ranking_trials.json"
        result = {"command": command, "omoide": omoide.__version__, "figure": "R@5", "sets": figures}
        given.out.write_text(json.dumps(result, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
