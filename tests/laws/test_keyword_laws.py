"""Laws of the keyword engine, against BM25 computed text by text in plain Python."""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import apsw
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from omoide.search.bm25 import LENGTHS, length_code
from omoide.search.keyword import KeywordResult, score, search
from omoide.store.sqlite import schema
from omoide.store.sqlite.indexing import postings

SPACE = 3
TERMS = "abcdefgh"

Text = list[str]
Question = list[tuple[str, float]]

texts_of = st.lists(st.lists(st.sampled_from(TERMS), max_size=20), max_size=40)
questions = st.lists(st.tuples(st.sampled_from(TERMS + "xy"), st.sampled_from([0.3, 1.0, 2.5])), min_size=1, max_size=6)
counts = st.integers(1, 12)


class Corpus:
    """A space of a fresh database, with the rows that the store would keep."""

    def __init__(self) -> None:
        self.conn = apsw.Connection(":memory:")
        for table in ("space", "entry", "term", "posting", "held"):
            self.conn.execute(schema.TABLES[table])
        self.conn.execute(schema.INDEXES["term_space"])
        self.lengths: dict[int, int] = {}
        self.terms: dict[int, int] = {}
        self.size = 0

    def append(self, entry: int, text: Text) -> None:
        postings.append(self.conn, SPACE, entry, text)
        self._note([(entry, text)])

    def append_many(self, items: Sequence[tuple[int, Text]]) -> None:
        postings.append_many(self.conn, SPACE, items)
        self._note(items)

    def remove(self, entry: int, text: Text) -> None:
        assert postings.remove(self.conn, SPACE, entry, text) == len(set(text))
        del self.lengths[entry]

    def reader(self) -> postings.SpacePostings:
        total = sum(self.lengths.values())
        return postings.SpacePostings(self.conn, SPACE, documents=len(self.lengths), total_length=total, size=self.size)

    def findings(self) -> list[str]:
        rows = [(SPACE, entry, b"", length, self.terms[entry]) for entry, length in self.lengths.items()]
        self.conn.execute("INSERT INTO space(space, ns, collection, entries) VALUES(?, 1, '', ?)", (SPACE, self.size))
        self.conn.executemany("INSERT INTO entry(space, ord, key, length, terms) VALUES(?, ?, ?, ?, ?)", rows)
        return postings.check(self.conn, SPACE)

    def lists(self) -> dict[str, tuple[list[int], list[int]]]:
        source = self.reader()
        found = {term: source.postings(term) for term in postings.vocabulary(self.conn, SPACE)}
        arrays = {term: each.arrays() for term, each in found.items() if each}
        return {term: (ords.tolist(), codes.tolist()) for term, (ords, codes) in arrays.items()}

    def _note(self, items: Iterable[tuple[int, Text]]) -> None:
        for entry, text in items:
            self.lengths[entry] = len(text)
            self.terms[entry] = len(set(text))
            self.size = max(self.size, entry + 1)


def corpus_of(texts: Sequence[Text]) -> Corpus:
    corpus = Corpus()
    corpus.append_many(list(enumerate(texts)))
    return corpus


def oracle(texts: dict[int, Text], question: Question) -> dict[int, float]:
    """Return the BM25 of every text that holds a term of the question."""
    lengths = {entry: len(text) for entry, text in texts.items()}
    mean = sum(lengths.values()) / len(texts) if texts else 0.0
    weights: dict[str, float] = {}
    for term, weight in question:
        weights[term] = weights.get(term, 0.0) + weight
    frequencies = {entry: Counter(text) for entry, text in texts.items()}
    scores: dict[int, float] = {}
    for term, weight in weights.items():
        holders = [entry for entry, each in frequencies.items() if term in each]
        idf = math.log(1 + (len(texts) - len(holders) + 0.5) / (len(holders) + 0.5))
        for entry in holders:
            tf, length = min(frequencies[entry][term], 15), LENGTHS[length_code(lengths[entry])]
            part = tf * 1.9 / (tf + 0.9 * (0.5 + 0.5 * length / mean))
            scores[entry] = scores.get(entry, 0.0) + weight * idf * part
    return scores


def assert_best(result: KeywordResult, expected: dict[int, float], k: int) -> None:
    """The result is a right top k: scores of the oracle, none better left out, ties newest first."""
    ords, scores = result.ords.tolist(), result.scores.tolist()
    assert len(ords) == len(set(ords)) == min(k, len(expected))
    assert scores == pytest.approx([expected[entry] for entry in ords], rel=1e-5)
    assert list(zip(scores, ords, strict=True)) == sorted(zip(scores, ords, strict=True), reverse=True)
    left_out = [value for entry, value in expected.items() if entry not in set(ords)]
    assert not ords or max(left_out, default=0.0) <= scores[-1] * (1 + 1e-5)


@given(texts=texts_of, question=questions, k=counts, data=st.data())
def test_search_equals_brute_force_under_any_mask(
    texts: list[Text], question: Question, k: int, data: st.DataObject
) -> None:
    permitted = set(data.draw(st.lists(st.integers(0, max(len(texts) - 1, 0)), max_size=40)))
    expected = oracle(dict(enumerate(texts)), question)
    source = corpus_of(texts).reader()
    assert_best(search(source, question, k), expected, k)
    mask = np.array([entry in permitted for entry in range(len(texts))], np.bool_)
    within = {entry: value for entry, value in expected.items() if entry in permitted}
    assert_best(search(source, question, k, mask), within, k)
    assert_best(search(source, question, k, mask.take), within, k)


def large(seed: int, count: int) -> tuple[list[Text], Question]:
    """Return texts whose terms are as unlike in frequency as those of a language, and a question."""
    chance = random.Random(seed)
    vocabulary = [f"w{number}" for number in range(30)]
    weights = [1 / (number + 1) ** chance.uniform(0.8, 2.0) for number in range(30)]
    texts = [chance.choices(vocabulary, weights, k=chance.randint(1, 12)) for _ in range(count)]
    asked = chance.sample(vocabulary, chance.randint(2, 6))
    return texts, [(term, chance.choice([0.5, 1.0, 1.0])) for term in asked]


@settings(max_examples=12)
@given(seed=st.integers(0, 2**32), k=st.sampled_from([1, 10, 300]), share=st.sampled_from([1.0, 0.5, 0.05, 0.002]))
def test_search_equals_brute_force_over_lists_of_many_blocks(seed: int, k: int, share: float) -> None:
    texts, question = large(seed, 9_000)
    expected = oracle(dict(enumerate(texts)), question)
    source = corpus_of(texts).reader()
    assert_best(search(source, question, k), expected, k)
    mask = np.random.default_rng(seed).random(len(texts)) < share
    within = {entry: value for entry, value in expected.items() if mask[entry]}
    assert_best(search(source, question, k, mask), within, k)
    assert_best(search(source, question, k, mask.take), within, k)


@settings(max_examples=8)
@given(seed=st.integers(0, 2**32), data=st.data())
def test_score_equals_brute_force_for_any_entries(seed: int, data: st.DataObject) -> None:
    texts, question = large(seed, 6_000)
    expected = oracle(dict(enumerate(texts)), question)
    ords = data.draw(st.lists(st.integers(0, len(texts) - 1), max_size=60))
    scores = score(corpus_of(texts).reader(), question, np.array(ords, np.uint32))
    assert scores.tolist() == pytest.approx([expected.get(entry, 0.0) for entry in ords], rel=1e-5)


@given(texts=texts_of, seed=st.randoms(use_true_random=False), sizes=st.lists(st.integers(1, 9), min_size=1))
def test_lists_do_not_depend_on_the_order_of_appends(texts: list[Text], seed: random.Random, sizes: list[int]) -> None:
    items = list(enumerate(texts))
    seed.shuffle(items)
    corpus = Corpus()
    while items:
        size = seed.choice(sizes)
        part, items = items[:size], items[size:]
        if size == 1:
            corpus.append(*part[0])
        else:
            corpus.append_many(part)
    assert corpus.lists() == corpus_of(texts).lists()
    assert corpus.findings() == []


@given(texts=texts_of, cut=st.integers(0, 40))
def test_appending_many_equals_appending_one_by_one(texts: list[Text], cut: int) -> None:
    one_by_one, at_once = Corpus(), Corpus()
    for item in enumerate(texts):
        one_by_one.append(*item)
    items = list(enumerate(texts))
    at_once.append_many(items[:cut])
    at_once.append_many(items[cut:])
    sql = "SELECT t.term, p.id & 4294967295, p.data FROM term t JOIN posting p ON p.id >> 32 = t.term_id ORDER BY 1, 2"
    assert at_once.conn.execute(sql).fetchall() == one_by_one.conn.execute(sql).fetchall()


@given(texts=texts_of, question=questions, k=counts, data=st.data())
def test_what_was_removed_might_never_have_been_there(
    texts: list[Text], question: Question, k: int, data: st.DataObject
) -> None:
    gone = set(data.draw(st.lists(st.integers(0, max(len(texts) - 1, 0)), max_size=30)))
    kept = {entry: text for entry, text in enumerate(texts) if entry not in gone}
    corpus, never = corpus_of(texts), Corpus()
    for entry in gone & set(range(len(texts))):
        corpus.remove(entry, texts[entry])
    never.append_many(list(kept.items()))
    assert corpus.lists() == never.lists()
    assert_best(search(corpus.reader(), question, k), oracle(kept, question), k)
    assert corpus.findings() == []


@settings(max_examples=6)
@given(seed=st.integers(0, 2**32), share=st.sampled_from([0.01, 0.4]))
def test_removals_and_late_entries_keep_lists_of_many_blocks_sound(seed: int, share: float) -> None:
    texts, question = large(seed, 2_500)
    chance = random.Random(seed)
    late = {entry for entry in range(len(texts)) if chance.random() < share}
    gone = {entry for entry in range(len(texts)) if chance.random() < share}
    corpus = Corpus()
    corpus.append_many([(entry, text) for entry, text in enumerate(texts) if entry not in late])
    for entry in chance.sample(sorted(late), len(late)):
        corpus.append(entry, texts[entry])
    for entry in gone:
        corpus.remove(entry, texts[entry])
    kept = {entry: text for entry, text in enumerate(texts) if entry not in gone}
    assert_best(search(corpus.reader(), question, 20), oracle(kept, question), 20)
    assert corpus.findings() == []


@given(texts=texts_of, question=questions)
def test_coverage_and_best_possible_stay_in_their_bounds(texts: list[Text], question: Question) -> None:
    result: Any = search(corpus_of(texts).reader(), question, 5)
    assert 0.0 <= result.coverage <= 1.0
    assert all(0.0 < value <= 2.2 * result.best_possible for value in result.scores.tolist())
