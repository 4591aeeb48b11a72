"""LangChain's own suites against the retriever and the vector store, and the chat history."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage
from langchain_tests.integration_tests import RetrieversIntegrationTests, VectorStoreIntegrationTests

from omoide import Index
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
