"""Search over documents: the engine, the filters and the rules of recall."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any

import pytest
from tests.features.conftest import database

from omoide import Index, Memory, Policy
from omoide.errors import InvalidInputError
from omoide.testing import FakeClock, FakeEmbedder

IndexOpener = Callable[..., Index]
Opener = Callable[..., Memory]


def test_a_natural_question_finds_by_keywords_alone(idx: Index) -> None:
    idx.add_texts(["The user prefers dark mode.", "Lunch is at noon.", "Les chats dorment.", "東京タワーに行きました"])
    assert idx.search("which mode does the user prefer?", k=1)[0].text == "The user prefers dark mode."
    assert idx.search("le chat dort-il ?", k=1)[0].text == "Les chats dorment."
    assert idx.search("東京", k=1)[0].text == "東京タワーに行きました"


def test_a_heading_counts_as_what_its_part_is_about(idx: Index) -> None:
    idx.add_text(
        "# Backups\n\nRun it nightly.\n\n# Cooking\n\nRun it slowly.",
        splitter="markdown",
        chunk_size=40,
        chunk_overlap=0,
    )
    hit = idx.search("backups", k=1)[0]
    assert "nightly" in hit.text
    assert hit.metadata["heading"] == "Backups"


def test_filters_come_before_the_cut(idx: Index) -> None:
    idx.add_texts([f"common words number {n}" for n in range(1000)], metadata=[{"flag": n == 7} for n in range(1000)])
    assert [hit.text for hit in idx.search("common words", where={"flag": True})] == ["common words number 7"]


def test_a_small_namespace_beside_a_large_one_is_found_by_meaning(indexed: IndexOpener) -> None:
    embedder = FakeEmbedder()
    indexed("big", embedder=embedder).add_texts([f"needle {n}" for n in range(500)])
    small = indexed("small", embedder=embedder)
    small.add_text("needle of my own")
    assert [hit.text for hit in small.search("needle 3", use_bm25=False)] == ["needle of my own"]


@pytest.mark.parametrize("query", ['"', "a\0b", "'); DROP TABLE chunk; --", "🙂", "*", "\u202e", "x" * 100_000])
def test_any_text_is_a_legal_question(idx: Index, query: str) -> None:
    idx.add_text("some words 🙂")
    idx.search(query)
    assert [hit.text for hit in idx.search("words")] == ["some words 🙂"]


def test_a_blank_question_finds_nothing_and_none_lists(idx: Index) -> None:
    first, second = idx.add_text("one"), idx.add_text("two")
    assert idx.search("  ") == []
    assert [hit.document_id for hit in idx.search(None)] == [second, first]
    assert len(idx.search(None, k=1)) == 1


def test_k_hits_come_back_whenever_there_are_k(idx: Index) -> None:
    idx.add_texts([f"the same topic {n}" for n in range(300)])
    assert len(idx.search("topic", k=200)) == 200
    assert idx.search("topic", k=0) == []
    with pytest.raises(InvalidInputError, match="k must"):
        idx.search("topic", k="3")  # type: ignore[arg-type]


def test_the_past_shows_what_was_in_the_index_then(idx: Index, clock: FakeClock) -> None:
    document = idx.add_text("version one of the plan")
    clock.advance(3600)
    idx.update(document, text="version two of the plan")
    before = idx.search("plan", as_of="2026-06-01T12:30:00Z")
    assert [hit.text for hit in before] == ["version one of the plan"]
    assert [hit.text for hit in idx.search("plan")] == ["version two of the plan"]
    assert idx.search("plan", as_of="2026-06-01T11:00:00Z") == []
    assert [hit.text for hit in idx.search(None, as_of="2026-06-01T12:30:00Z")] == ["version one of the plan"]


def test_since_and_until_are_about_when_a_text_was_added(idx: Index, clock: FakeClock) -> None:
    idx.add_text("plan from noon")
    clock.advance(86_400)
    idx.add_text("plan from the next day")
    assert [hit.text for hit in idx.search("plan", since="2026-06-02")] == ["plan from the next day"]
    assert [hit.text for hit in idx.search("plan", until="2026-06-02")] == ["plan from noon"]
    assert [hit.text for hit in idx.search(None, since="2026-06-02")] == ["plan from the next day"]
    assert idx.search("plan", since="2026-06-01T12:00:00Z", until="2026-06-01T12:00:01Z")[0].text == "plan from noon"


def test_recency_counts_from_when_a_text_was_added(idx: Index, clock: FakeClock) -> None:
    old = idx.add_text("the plan is good")
    clock.advance(40 * 86_400)
    new = idx.add_text("the plan is good")
    assert [hit.document_id for hit in idx.search("plan", recency_weight=1.0)] == [new, old]


def test_a_project_finds_its_own_documents_and_those_of_none(idx: Index) -> None:
    idx.add_text("rule for all")
    idx.add_text("rule for web", project="web")
    idx.add_text("rule for cli", project="cli")
    assert {hit.text for hit in idx.search("rule", project="web")} == {"rule for all", "rule for web"}
    assert {hit.text for hit in idx.search("rule", project="unknown")} == {"rule for all"}
    assert len(idx.search("rule")) == 3


def test_a_token_budget_passes_over_what_does_not_fit(idx: Index) -> None:
    idx.add_texts(["budget " * 90, "budget small"])
    hits = idx.search("budget", max_tokens=20)
    assert [hit.text for hit in hits] == ["budget small"]
    assert hits.truncated


def test_abstain_returns_nothing_rather_than_noise(idx: Index) -> None:
    idx.add_texts(["the cat sat on the mat", "bread is baked in an oven"])
    hits = idx.search("quantum chromodynamics of photons", abstain=True)
    assert hits == []
    assert hits.abstained


def test_a_reranker_orders_documents_too(indexed: IndexOpener) -> None:
    class ByLength:
        def score(self, query: str, texts: Sequence[str]) -> list[float]:
            return [-float(len(text)) for text in texts]

    index = indexed(reranker=ByLength())
    index.add_texts(["plan plan plan plan long", "plan"])
    assert index.search("plan", k=1, rerank=True)[0].text == "plan"


def test_hits_say_when_and_by_whom_a_text_was_added(indexed: IndexOpener) -> None:
    index = indexed(actor="crawler")
    index.add_text("who added this", source="https://example.org/a")
    hit = index.search("who added")[0]
    assert hit.known_from == datetime(2026, 6, 1, 12, tzinfo=UTC)
    assert hit.provenance is not None
    assert (hit.provenance.actor, hit.provenance.ref, hit.kind) == ("crawler", "https://example.org/a", "reference")
    assert hit.explain()["total"] > 0


def test_a_model_that_fails_leaves_keywords_and_pending_vectors(indexed: IndexOpener) -> None:
    class Failing:
        model_name = "failing"

        def embed(self, texts: list[str], /) -> list[list[float]]:
            raise OSError("no network")

    index = indexed(embedder=Failing())
    index.add_text("still found by words")
    hits = index.search("words")
    assert [hit.text for hit in hits] == ["still found by words"]
    assert hits.degraded
    assert index.stats()["default"]["pending_vectors"] == 1


def test_recall_includes_documents_when_it_is_asked_to(idx: Index, mem: Memory) -> None:
    mem.remember("we deploy on Fridays")
    idx.add_text("how to deploy: run make deploy")
    assert [hit.origin for hit in mem.recall("deploy")] == ["memory"]
    assert {hit.origin for hit in mem.recall("deploy", include=["memories", "documents"])} == {"memory", "document"}
    assert [hit.origin for hit in mem.recall("deploy", include=["documents"])] == ["document"]
    assert [hit.origin for hit in mem.recall(None, include=["memories", "documents"])] == ["memory", "document"]


def test_hits_of_both_origins_are_ordered_by_their_calibrated_score(idx: Index, mem: Memory) -> None:
    mem.remember("a remark that mentions the rollback in passing among many other things of little weight")
    idx.add_text("rollback procedure for the payment service")
    hits = mem.recall("rollback procedure payment service", k=2, include=["memories", "documents"])
    assert [hit.origin for hit in hits] == ["document", "memory"]
    assert hits[0].score > hits[1].score


def test_what_only_beliefs_have_leaves_documents_out(idx: Index, mem: Memory) -> None:
    mem.remember("likes tea", subject="user", kind="preference", tags=["drink"])
    idx.add_text("user likes tea")
    both = ["memories", "documents"]
    for narrowed in ({"subject": "user"}, {"kinds": ["preference"]}, {"tags": ["drink"]}):
        found = mem.recall("tea", include=both, **narrowed)
        assert [hit.origin for hit in found] == ["memory"]
    assert [hit.origin for hit in mem.recall("tea", include=both, kinds=["reference"])] == ["document"]


@pytest.mark.parametrize("include", [[], ["nonsense"], "nonsense"])
def test_include_names_what_there_is(mem: Memory, include: Any) -> None:
    with pytest.raises(InvalidInputError, match="include"):
        mem.recall("x", include=include)


def test_a_search_after_a_recall_of_the_same_words_returns_documents_only(idx: Index, mem: Memory) -> None:
    mem.remember("deploy note")
    idx.add_text("deploy page")
    assert [hit.origin for hit in mem.recall("deploy")] == ["memory"]
    assert [hit.origin for hit in idx.search("deploy")] == ["document"]
    assert [hit.text for hit in mem.recall("deploy")] == ["deploy note"]


def test_another_handle_sees_a_document_at_once(indexed: IndexOpener) -> None:
    embedder = FakeEmbedder()
    one, other = indexed(embedder=embedder), indexed(embedder=embedder)
    one.add_text("first")
    assert len(other.search("first", use_bm25=False)) == 1
    other.add_text("second")
    assert {hit.text for hit in one.search("second", use_bm25=False)} == {"first", "second"}
    assert one.integrity_check() == []


def test_a_document_that_only_retracted_memories_cite_stays_out_of_recall(
    idx: Index, mem: Memory, clock: FakeClock
) -> None:
    idx.add_text("the port is 8080", source="README.md")
    idx.add_text("the port of Marseille", source="travel.md")
    both = {"include": ["memories", "documents"]}
    one = mem.remember("port is 8080", cites=["README.md@a1b2c3"])
    two = mem.remember("the port number is documented", cites=["README.md:3-5"])
    clock.advance(60)
    mem.forget(one)
    assert "README.md" in [hit.source for hit in mem.recall("port", k=9, **both)]  # type: ignore[arg-type]
    clock.advance(60)
    mem.reject(two)
    assert [hit.source for hit in mem.recall("port", k=9, **both)] == ["travel.md"]  # type: ignore[arg-type]
    assert [hit.source for hit in mem.recall(None, k=9, **both)] == ["travel.md"]  # type: ignore[arg-type]
    kept = mem.recall("port", k=9, include_retracted=True, **both)  # type: ignore[arg-type]
    assert "README.md" in [hit.source for hit in kept]
    before = mem.recall("port", k=9, as_of="2026-06-01T12:00:30Z", **both)  # type: ignore[arg-type]
    assert "README.md" in [hit.source for hit in before]
    assert "README.md" in [hit.source for hit in idx.search("port")]
    mem.restore(one)
    assert "README.md" in [hit.source for hit in mem.recall("port", k=9, **both)]  # type: ignore[arg-type]


def test_a_namespace_with_a_comma_in_its_name_is_one_namespace(indexed: IndexOpener) -> None:
    indexed("a").add_text("the secret of a")
    indexed("b").add_text("the secret of b")
    supervisor = indexed("sup", policy=Policy().allow("sup", read=["a", "b"]))
    assert len(supervisor.search("secret", namespaces=["a", "b"])) == 2
    assert indexed("a,b").search("secret") == []


def test_leaving_a_leg_out_is_not_answered_from_the_other(indexed: IndexOpener) -> None:
    index = indexed(embedder=FakeEmbedder())
    index.add_texts(["alpha beta", "gamma delta"])
    assert len(index.search("alpha")) == 2
    assert [hit.text for hit in index.search("alpha", use_vectors=False)] == ["alpha beta"]
    assert all(hit.bm25_score is None for hit in index.search("alpha", use_bm25=False))


def test_versions_and_dates_in_a_question_are_told_apart(idx: Index) -> None:
    idx.add_texts(["version 1.2.3 changelog: fixes", "version 1.2.4 changelog: features"])
    assert "1.2.3" in idx.search("version 1.2.3 changelog", k=1)[0].text
    assert "1.2.4" in idx.search("version 1.2.4 changelog", k=1)[0].text


def test_the_end_of_a_long_text_is_found_as_well_as_its_start(indexed: IndexOpener) -> None:
    index = indexed(embedder=FakeEmbedder())
    index.add_text("filler words go on and on. " * 20_000 + "The treasure lies under the oak.")
    assert "oak" in index.search("where is the treasure under the oak?", k=1)[0].text


def test_searching_writes_nothing(idx: Index, path: Any) -> None:
    idx.add_text("some words")
    idx.close()
    reader = Index(path, embedder="none", read_only=True)
    before = database(path).read_bytes()
    for number in range(50):
        reader.search(f"words {number}")
    reader.close()
    assert database(path).read_bytes() == before
