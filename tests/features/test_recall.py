from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from omoide import Memory
from omoide.errors import InvalidInputError
from omoide.testing import FakeClock, FakeEmbedder
from omoide.types import Hits


class Unwilling:
    """An embedder that fails when told to."""

    model_name = "unwilling"
    fails = False

    def embed(self, texts: list[str], /) -> list[list[float]]:
        """Return the same vector for everything, or raise."""
        if self.fails:
            raise OSError("the model is asleep")
        return [[1.0, 0.0] for _ in texts]


def texts(hits: Hits) -> list[str]:
    """Return the texts in order."""
    return [hit.text for hit in hits]


def test_a_question_finds_its_answer_first(mem: Memory) -> None:
    """A natural question brings the memory that shares its informative words."""
    mem.remember("the user prefers dark mode in every editor")
    mem.remember("the deploy runs on Fridays")
    mem.remember("the cat is called Mochi")
    assert texts(mem.recall("what mode does the user prefer?"))[0] == ("the user prefers dark mode in every editor")


def test_answers_are_a_list_with_its_circumstances(mem: Memory) -> None:
    """Hits are a list and say how they were found."""
    mem.remember("the deploy runs on Fridays")
    hits = mem.recall("deploy")
    assert isinstance(hits, list)
    assert isinstance(hits, Hits)
    assert hits.timings["total_ms"] >= 0
    assert hits.truncated is False
    assert hits.from_cache is False


def test_keyword_only_by_choice_is_not_degraded_silently(mem: Memory, opened: Callable[..., Memory]) -> None:
    """A store opened for keywords only answers questions without claiming a failure of vectors."""
    mem.remember("the deploy runs on Fridays")
    assert texts(mem.recall("deploy")) == ["the deploy runs on Fridays"]
    assert mem.recall("deploy")[0].vector_score is None


def test_a_hit_carries_the_memory(mem: Memory) -> None:
    """A hit has what is needed to judge it, metadata unchanged."""
    memory_id = mem.remember(
        "lives in Osaka", subject="user", kind="profile", source="s-1", metadata={"a": {"b": [1, 2]}}
    )
    hit = mem.recall("Osaka")[0]
    record = mem.get(memory_id)
    assert record is not None
    assert (hit.id, hit.origin, hit.namespace, hit.text) == (memory_id, "memory", "default", record.text)
    assert (hit.subject, hit.kind, hit.source, hit.trust) == ("user", "profile", "s-1", "observed")
    assert hit.metadata == {"a": {"b": [1, 2]}}
    assert (hit.valid_from, hit.valid_to, hit.known_from) == (record.valid_from, None, record.known_from)
    assert hit.version_id == record.version_id
    assert hit.bm25_score is not None
    assert hit.document_id is None


def test_best_first(mem: Memory) -> None:
    """Scores never rise down the list."""
    for n in range(20):
        mem.remember(f"note {n} about the billing service" + " and its retries" * (n % 3))
    scores = [hit.score for hit in mem.recall("billing retries", k=20)]
    assert scores == sorted(scores, reverse=True)


@pytest.mark.parametrize("k", [1, 3, 7])
def test_k_answers_whenever_k_exist(mem: Memory, k: int) -> None:
    """``k`` answers come back when that many match."""
    for n in range(10):
        mem.remember(f"invoice {n} was sent to customer {n}")
    assert len(mem.recall("invoice customer", k=k)) == k


@pytest.mark.parametrize("k", [0, -1])
def test_none_asked_none_given(mem: Memory, k: int) -> None:
    """A ``k`` of zero or less gives nothing."""
    mem.remember("invoice")
    assert mem.recall("invoice", k=k) == []


@pytest.mark.parametrize("k", ["3", 2.5, None, True])
def test_k_must_be_a_whole_number(mem: Memory, k: Any) -> None:
    """A ``k`` that is not a whole number is a typed error."""
    with pytest.raises(InvalidInputError):
        mem.recall("invoice", k=k)


def test_no_query_lists(mem: Memory) -> None:
    """A query of None lists what is believed now."""
    for text in ("one", "two", "three"):
        mem.remember(text)
    assert sorted(texts(mem.recall(None))) == ["one", "three", "two"]
    assert sorted(texts(mem.recall())) == ["one", "three", "two"]


@pytest.mark.parametrize("query", ["", "   ", "\n\t", "\u3000"])
def test_a_blank_query_returns_nothing(mem: Memory, query: str) -> None:
    """A blank query is legal and finds nothing."""
    mem.remember("one")
    assert mem.recall(query) == []


@pytest.mark.parametrize("query", [5, b"x", ["x"]])
def test_a_query_that_is_no_text_is_an_error(mem: Memory, query: Any) -> None:
    """A query is a text or None."""
    with pytest.raises(InvalidInputError):
        mem.recall(query)


def test_an_empty_store_answers_with_nothing(mem: Memory) -> None:
    """Nothing stored, nothing found, no error."""
    assert mem.recall("anything") == []
    assert mem.recall(None) == []


def test_listing_by_subject_is_by_importance_then_freshness(mem: Memory, clock: FakeClock) -> None:
    """Without a query, everything valid of a subject comes back, the important first, then the fresh."""
    notes: list[tuple[str, str | int]] = [("a", "low"), ("b", "critical"), ("c", "medium"), ("d", "medium")]
    for text, importance in [*notes, ("e", 9)]:
        mem.remember(text, subject="user", importance=importance)
        clock.advance(86_400)
    mem.remember("not his", subject="svc", importance="critical")
    assert texts(mem.recall(subject="user", k=10)) == ["b", "e", "d", "c", "a"]


def test_subject_restricts(mem: Memory) -> None:
    """Only memories of the asked subject answer."""
    mem.remember("likes tea", subject="ann")
    mem.remember("likes tea", subject="bob")
    assert [hit.subject for hit in mem.recall("tea", subject="bob")] == ["bob"]


def test_kinds_restrict(mem: Memory) -> None:
    """Only memories of the asked kinds answer."""
    for kind in ("fact", "decision", "procedure"):
        mem.remember(f"the {kind} about tea", kind=kind)
    assert {hit.kind for hit in mem.recall("tea", kinds=["decision", "procedure"])} == {
        "decision",
        "procedure",
    }


def test_an_unknown_kind_is_an_error(mem: Memory) -> None:
    """A kind that does not exist cannot be asked for."""
    with pytest.raises(InvalidInputError):
        mem.recall("tea", kinds=["rumour"])


@pytest.mark.parametrize("name", ["kinds", "trust", "subject"])
@pytest.mark.parametrize("value", [[], (), 5, [None]], ids=str)
def test_a_filter_that_lets_nothing_in_is_an_error(mem: Memory, name: str, value: Any) -> None:
    """An empty list is a slip of the caller and no silent empty answer; no tags asked for are no restriction."""
    mem.remember("Aiko lives in Osaka", subject="Aiko")
    with pytest.raises(InvalidInputError, match=name.rstrip("s")):
        mem.recall("Osaka", **{name: value})
    assert len(mem.recall("Osaka", tags=[])) == 1


def test_project_restricts_to_it_and_to_none(mem: Memory) -> None:
    """A project sees its own memories and those of no project."""
    mem.remember("tea rule one", project="github.com/acme/app")
    mem.remember("tea rule two", project="github.com/acme/other")
    mem.remember("tea rule three")
    assert sorted(texts(mem.recall("tea rule", project="github.com/acme/app"))) == [
        "tea rule one",
        "tea rule three",
    ]


def test_filters_come_before_the_cut(mem: Memory) -> None:
    """A rare match among a thousand better ones is still found by its filter."""
    with mem.bulk():
        for n in range(300):
            mem.remember(f"deploys {n}", subject="a", metadata={"n": n})
        wanted = mem.remember(
            "a long remark that mentions in passing how the service deploys itself at night",
            subject="b",
            kind="decision",
            project="p",
            metadata={"flag": True},
        )
    for restriction in (
        {"subject": "b"},
        {"kinds": ["decision"]},
        {"where": {"flag": True}},
    ):
        assert [hit.id for hit in mem.recall("deploying", **restriction)] == [wanted]


def test_filters_commute(mem: Memory) -> None:
    """Two filters together are the intersection of each alone."""
    for n in range(30):
        mem.remember(f"note {n} on tea", subject="ab"[n % 2], kind=("fact", "event", "note")[n % 3])
    by_subject = {hit.id for hit in mem.recall("tea", k=99, subject="a")}
    by_kind = {hit.id for hit in mem.recall("tea", k=99, kinds=["event"])}
    both = {hit.id for hit in mem.recall("tea", k=99, subject="a", kinds=["event"])}
    assert both == by_subject & by_kind
    assert len(both) == 5


def test_no_leg_no_answer(mem: Memory) -> None:
    """With both legs off there is nothing to find by."""
    mem.remember("tea")
    assert mem.recall("tea", use_bm25=False, use_vectors=False) == []


def test_min_similarity_needs_vectors(mem: Memory) -> None:
    """A floor on similarity without vectors is a contradiction."""
    with pytest.raises(InvalidInputError):
        mem.recall("tea", use_vectors=False, min_similarity=0.5)


def test_min_similarity_counts_what_it_hides(opened: Callable[..., Memory]) -> None:
    """A floor that hides everything says how much it hid."""
    mem = opened(embedder=FakeEmbedder(64))
    mem.remember("the bridge for secure mail")
    hits = mem.recall("mail bridge", min_similarity=0.99)
    assert hits == []
    assert hits.below_threshold >= 1


def test_the_mode_of_one_question_does_not_leak_into_the_next(opened: Callable[..., Memory]) -> None:
    """Asking the same with another leg gives that leg's answer."""
    mem = opened(embedder=FakeEmbedder(16))
    mem.remember("tea at four")
    assert mem.recall("tea at four")[0].bm25_score is not None
    assert mem.recall("tea at four", use_bm25=False)[0].bm25_score is None
    assert mem.recall("tea at four", use_vectors=False)[0].vector_score is None


def test_nearly_equal_questions_are_different_questions(opened: Callable[..., Memory]) -> None:
    """Version 1.2.4 is not answered with what was found for 1.2.3."""
    mem = opened(embedder=FakeEmbedder(16))
    mem.remember("changelog of version 1.2.3")
    mem.remember("changelog of version 1.2.4")
    assert mem.recall("version 1.2.3 changelog")[0].text.endswith("1.2.3")
    assert mem.recall("version 1.2.4 changelog")[0].text.endswith("1.2.4")


def test_reading_does_not_grow_the_file(mem: Memory, path: Path) -> None:
    """Two hundred different questions leave the file and its log as large as they were."""
    for n in range(50):
        mem.remember(f"note {n} on tea")

    def size() -> int:
        return sum(p.stat().st_size for p in path.parent.iterdir() if not p.name.endswith("-shm"))

    mem.recall("tea")
    before = size()
    for n in range(200):
        mem.recall(f"tea question {n}")
    assert size() <= before + 65_536


def test_an_embedder_that_fails_while_asking_leaves_the_keywords(opened: Callable[..., Memory]) -> None:
    """When the question cannot be embedded, keywords answer and the answer says so."""
    embedder = Unwilling()
    mem = opened(embedder=embedder)
    mem.remember("tea at four")
    embedder.fails = True
    hits = mem.recall("tea")
    assert texts(hits) == ["tea at four"]
    assert hits.degraded
    assert hits.reasons


def test_an_embedder_that_fails_while_writing_leaves_a_mark(opened: Callable[..., Memory]) -> None:
    """A write whose vector fails is stored, found by keyword, counted as pending, and filled in later."""
    embedder = Unwilling()
    mem = opened(embedder=embedder)
    embedder.fails = True
    mem.remember("tea at four")
    assert texts(mem.recall("tea")) == ["tea at four"]
    assert mem.recall("tea").degraded
    embedder.fails = False
    mem.close()
    again = opened(embedder=Unwilling())
    again.remember("coffee at ten")
    hits = again.recall("something else entirely", use_bm25=False)
    for _ in range(1000):
        if len(hits) == 2:
            break
        time.sleep(0.01)
        hits = again.recall("something else entirely", use_bm25=False)
    assert sorted(texts(hits)) == ["coffee at ten", "tea at four"]


def test_budget_of_zero_leaves_keywords_and_says_so(opened: Callable[..., Memory]) -> None:
    """Without time for vectors, keywords answer and the answer is marked degraded."""
    mem = opened(embedder=FakeEmbedder(16))
    mem.remember("tea at four")
    hits = mem.recall("tea", budget_ms=0)
    assert texts(hits) == ["tea at four"]
    assert hits.degraded


def test_since_and_until_are_about_when_it_held(mem: Memory) -> None:
    """``since`` and ``until`` pick memories whose valid interval overlaps the window, half open."""
    mem.remember("trip to Lisbon", valid_from="2023-05-24", valid_to="2023-05-27")
    mem.remember("trip to Porto", valid_from="2024-05-24", valid_to="2024-05-27")
    mem.remember("lives in Osaka", valid_from="2020-01-01")
    assert set(texts(mem.recall(None, since="2023-05-01", until="2023-06-01"))) == {
        "trip to Lisbon",
        "lives in Osaka",
    }
    assert texts(mem.recall("trip", since="2023-05-27", until="2024-05-24")) == []
    assert texts(mem.recall("trip", since="2023-05-26", until="2023-05-27")) == ["trip to Lisbon"]


def test_a_window_that_is_upside_down_is_an_error(mem: Memory) -> None:
    """``until`` before ``since`` is refused."""
    with pytest.raises(InvalidInputError):
        mem.recall("x", since="2026-02-01", until="2026-01-01")


def test_recency_weight_moves_the_fresh_up(mem: Memory, clock: FakeClock) -> None:
    """With a weight on recency, the fresher of two equal answers comes first."""
    mem.remember("tea is served at four", subject="old")
    clock.advance(30 * 86_400)
    mem.remember("tea is served at four", subject="new")
    hits = mem.recall("tea served", recency_weight=1.0, recency_half_life_seconds=86_400.0)
    assert next(hit.subject for hit in hits) == "new"


def test_a_weight_of_recency_beyond_all_bounds_still_orders(mem: Memory, clock: FakeClock) -> None:
    """The largest number that there is puts the fresher first; scores stay numbers."""
    mem.remember("tea is served at four", subject="old")
    clock.advance(30 * 86_400)
    mem.remember("tea is served at four", subject="new")
    hits = mem.recall("tea served", recency_weight=1.7e308, recency_half_life_seconds=86_400.0)
    assert [hit.subject for hit in hits] == ["new", "old"]
    assert all(0 <= hit.score <= 1 for hit in hits)


def test_unknown_arguments_are_an_error(mem: Memory) -> None:
    """A misspelt argument is not swallowed."""
    with pytest.raises(TypeError):
        mem.recall("tea", limti=3)  # type: ignore[call-arg]


def test_a_hundred_thousand_words_are_a_query(mem: Memory) -> None:
    """A query of a hundred thousand words is answered."""
    mem.remember("a needle in the hay")
    query = " ".join(f"word{n}" for n in range(100_000)) + " needle"
    assert isinstance(mem.recall("needle " + query), list)


@pytest.mark.file_only("tens of thousands of notes would be written for a statement that is the same")
def test_more_answers_than_a_statement_has_variables(opened: Callable[..., Memory]) -> None:
    """Thirty-three thousand answers are as legal a wish as five."""
    mem = opened(embedder="none")
    with mem.bulk():
        for n in range(33_000):
            mem.remember(f"note {n}")
    assert len(mem.recall(k=33_000)) == 33_000
    assert len(mem.recall("note", k=33_000, where={"a": None})) == 33_000
