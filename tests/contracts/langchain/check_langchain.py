"""LangChain's own suites against the retriever and the vector store, and the chat history."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from langchain_core.embeddings import Embeddings
from langchain_core.messages import AIMessage, HumanMessage
from langchain_tests.integration_tests import RetrieversIntegrationTests, VectorStoreIntegrationTests

from omoide import Index
from omoide.errors import InvalidInputError
from omoide.integrations.langchain import OmoideChatHistory, OmoideRetriever, OmoideVectorStore


class TestVectorStore(VectorStoreIntegrationTests):
    @pytest.fixture
    def vectorstore(self, tmp_path: Path) -> Iterator[OmoideVectorStore]:
        store = OmoideVectorStore(tmp_path / "agents.db", self.get_embeddings())
        yield store
        store.close()


class TestRetriever(RetrieversIntegrationTests):
    _index: Any = None

    @pytest.fixture(autouse=True)
    def _open(self, tmp_path: Path) -> Iterator[None]:
        with Index(tmp_path / "agents.db", embedder="none") as index:
            index.add_texts([f"this is an example query number {i}" for i in range(5)])
            type(self)._index = index
            yield

    @property
    def retriever_constructor(self) -> type[OmoideRetriever]:
        return OmoideRetriever

    @property
    def retriever_constructor_params(self) -> dict[str, Any]:
        return {"index": self._index}

    @property
    def retriever_query_example(self) -> str:
        return "example query"


def test_the_index_makes_its_retriever(tmp_path: Path) -> None:
    with Index(tmp_path / "agents.db", embedder="none") as index:
        index.add_text("東京タワーに行きました", source="journal", metadata={"year": 2026})
        (found,) = index.as_langchain_retriever(k=3).invoke("東京")
        assert found.page_content == "東京タワーに行きました"
        assert (found.metadata["year"], found.metadata["source"]) == (2026, "journal")


def test_a_filter_holds_before_the_cut(tmp_path: Path) -> None:
    store = OmoideVectorStore(tmp_path / "agents.db", embedder="none")
    store.add_texts([f"green tea {i}" for i in range(50)], [{"year": i} for i in range(50)])
    (found,) = store.similarity_search("tea", k=1, filter={"year": 49})
    assert found.metadata == {"year": 49}
    store.close()


class Angles(Embeddings):
    """A text that begins with degrees is that direction."""

    def embed_query(self, text: str) -> list[float]:
        angle = math.radians(float(text.split()[0]))
        return [math.cos(angle), math.sin(angle)]

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return [self.embed_query(text) for text in texts]


@pytest.fixture
def angles(tmp_path: Path) -> Iterator[OmoideVectorStore]:
    store = OmoideVectorStore.from_texts(["0 first", "5 second", "10 third", "70 other"], Angles(), [{"n": i, "odd": bool(i % 2)} for i in range(4)], path=tmp_path / "angles.db")
    yield store
    store.close()


def texts(found: list[Any]) -> list[str]:
    return [document.page_content for document in found]


def test_a_vector_is_a_question(angles: OmoideVectorStore) -> None:
    assert texts(angles.similarity_search_by_vector([0.0, 2.0], k=1)) == ["70 other"]
    assert texts(asyncio.run(angles.asimilarity_search_by_vector([1.0, 0.0], k=1))) == ["0 first"]
    with pytest.raises(InvalidInputError, match="3 numbers"):
        angles.similarity_search_by_vector([1.0, 0.0, 0.0])


def test_the_most_different_of_the_best_are_chosen(angles: OmoideVectorStore) -> None:
    assert texts(angles.max_marginal_relevance_search("0", k=2, lambda_mult=1.0)) == ["0 first", "5 second"]
    assert texts(angles.max_marginal_relevance_search("0", k=2, lambda_mult=0.3)) == ["0 first", "70 other"]
    assert texts(angles.max_marginal_relevance_search_by_vector([1.0, 0.0], k=2, lambda_mult=0.3, filter={"n": {"$lt": 3}})) == ["0 first", "10 third"]


def test_a_filter_may_be_a_function_or_have_operators(angles: OmoideVectorStore) -> None:
    assert texts(angles.similarity_search("0", k=9, filter=lambda document: document.metadata["n"] == 2)) == ["10 third"]
    assert set(texts(angles.similarity_search("0", k=9, filter={"$or": [{"n": 0}, {"$not": {"odd": False}}]}))) == {"0 first", "5 second", "70 other"}


def test_relevance_is_a_share(angles: OmoideVectorStore) -> None:
    scores = [score for _, score in angles.similarity_search_with_relevance_scores("0 first", k=4)]
    assert all(0 <= score <= 1 for score in scores)
    assert scores == sorted(scores, reverse=True)
    assert texts(angles.as_retriever(search_type="mmr", search_kwargs={"k": 2, "lambda_mult": 0.3}).invoke("0")) == ["0 first", "70 other"]


def test_a_document_added_again_keeps_its_history(angles: OmoideVectorStore) -> None:
    (id,) = angles.add_texts(["10 new"], ids=["x"])
    angles.add_texts(["20 newer"], ids=[id])
    (record,) = [each for each in angles.memory.list() if each.metadata["key"] == "x"]
    assert [version.text for version in angles.memory.why(record.id).versions] == ["10 new", "20 newer"]


def test_a_session_is_erased_by_its_name(tmp_path: Path) -> None:
    history = OmoideChatHistory(tmp_path / "agents.db", "one", embedder="none")
    history.add_messages([HumanMessage("secret")])
    history.memory.purge(source="langchain-chat:one")
    assert history.messages == []
    assert asyncio.run(history.aget_messages()) == []
    history.close()


def test_a_chat_history_keeps_order_kinds_and_sessions(tmp_path: Path) -> None:
    said = [HumanMessage("J'ai faim"), AIMessage("", tool_calls=[{"name": "cook", "args": {"n": 1}, "id": "1"}]), HumanMessage("merci")]
    one = OmoideChatHistory(tmp_path / "agents.db", "one", embedder="none")
    two = OmoideChatHistory(tmp_path / "agents.db", "two", embedder="none")
    one.add_messages(said)
    two.add_messages([HumanMessage("bonjour")])
    assert one.messages == said
    one.clear()
    assert (one.messages, two.messages) == ([], [HumanMessage("bonjour")])
    one.close()
    two.close()
