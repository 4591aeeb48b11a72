"""What ``quality.py`` measures beside retrieval: the order of updates, plain FTS5, and rmbr's own passages."""

from __future__ import annotations

import collections
import importlib.util
import re
from pathlib import Path
from typing import Any

import numpy as np

EARLIER = re.compile(r"\b(before|previous|previously)\b", re.IGNORECASE)
"""Questions that ask for an earlier value or for both are left out; budgets count the current value only."""
PASSAGES = "rmbr_passages"


def number(doc_id: str) -> int:
    digits = re.search(r"\d+$", doc_id)
    return int(digits[0]) if digits else 0


def _tokens(score: Any, text: str) -> list[str]:
    return list(score.tokens(text, stem=True))


class Plain:
    """The baseline: Lucene's BM25 (k1 1.2, b 0.75) over the scorer's stemmed tokens without its stop words."""

    def __init__(self, score: Any, groups: dict[str, list[Any]], k: int) -> None:
        self._score = score
        self.groups, self._k = groups, k
        self._built: tuple[str, Any] | None = None

    def _index(self, group: str) -> tuple[list[str], dict[str, list[tuple[int, float]]]]:
        if self._built is None or self._built[0] != group:
            texts = [_tokens(self._score, doc["text"]) for doc in self.groups[group]]
            mean = sum(map(len, texts)) / max(len(texts), 1)
            lists: dict[str, list[tuple[int, float]]] = collections.defaultdict(list)
            for place, terms in enumerate(texts):
                for term, tf in collections.Counter(terms).items():
                    lists[term].append((place, tf / (tf + 1.2 * (0.25 + 0.75 * len(terms) / mean))))
            self._built = group, ([doc["id"] for doc in self.groups[group]], lists)
        built: tuple[list[str], dict[str, list[tuple[int, float]]]] = self._built[1]
        return built

    def ask(self, group: str, question: dict[str, Any]) -> list[str]:
        ids, lists = self._index(group)
        scores = np.zeros(len(ids))
        for term in dict.fromkeys(_tokens(self._score, question["text"])):
            found = lists.get(term, ())
            idf = np.log1p((len(ids) - len(found) + 0.5) / (len(found) + 0.5))
            for place, part in found:
                scores[place] += idf * part
        if question.get("before"):
            scores *= np.array([number(one) < number(question["before"]) for one in ids])
        order = np.argsort(-scores, kind="stable")[: self._k]
        return [ids[place] for place in order if scores[place] > 0]


class Fts5:
    """SQLite FTS5 with ``porter unicode61``, the OR of all words of the question, as the scorer has it."""

    def __init__(self, score: Any, groups: dict[str, list[Any]]) -> None:
        self._score, self._groups = score, groups
        self._built: tuple[str, Any] | None = None

    def ask(self, group: str, question: dict[str, Any], k: int, allow: Any) -> list[str]:
        if self._built is None or self._built[0] != group:
            self._built = group, self._score.FTS5(self._groups[group], "porter unicode61")
        found: list[str] = self._built[1].search(question["text"], k, allow)
        return found


def updates(score: Any, folder: Path, groups: dict[str, list[Any]]) -> list[Any]:
    """Return the questions of a set about values that changed, for the groups at hand."""
    found = [one for one in score.rows(f"{folder}/supersession.dev.jsonl") if one["group"] in groups]
    return [one for one in found if not set(one["old"]) & set(one["new"]) and not EARLIER.search(one["text"])]


def passages(data: Path) -> tuple[list[Any], list[Any]]:
    """Return the 598 passages and 150 questions of rmbr's bench; ``data`` is its file in the source distribution."""
    spec = importlib.util.spec_from_file_location("rmbr_quality_data", data)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    places: dict[str, str] = {}
    for example in module.EXAMPLES:
        for text in (example["correct"], *example["distractors"]):
            places.setdefault(text, f"p{len(places)}")
    docs = [{"id": place, "text": text, "meta": {}} for text, place in places.items()]
    questions = [
        {"id": f"q{n}", "text": each["query"], "relevant": [places[each["correct"]]], "category": each["category"]}
        for n, each in enumerate(module.EXAMPLES)
    ]
    return docs, questions
