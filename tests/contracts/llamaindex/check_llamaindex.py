"""What LlamaIndex expects of a retriever and of a vector store, over an omoide file."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from llama_index.core import Document, StorageContext, VectorStoreIndex
from llama_index.core.embeddings import MockEmbedding
from llama_index.core.schema import ImageNode, IndexNode, NodeRelationship, RelatedNodeInfo, TextNode
from llama_index.core.vector_stores import FilterCondition, FilterOperator, MetadataFilter, MetadataFilters, VectorStoreQuery
from llama_index.core.vector_stores.types import BasePydanticVectorStore, VectorStoreQueryMode
from llama_index.core.vector_stores.utils import build_metadata_filter_fn

from omoide import Index, Memory
from omoide.errors import EmbedderUnavailableError, InvalidInputError
from omoide.integrations.llamaindex import OmoideEmbedding, OmoideVectorStore
from omoide.testing import FakeEmbedder


def node(id: str, text: str, doc: str | None = None, **metadata: Any) -> TextNode:
    relations = {NodeRelationship.SOURCE: RelatedNodeInfo(node_id=doc)} if doc else {}
    return TextNode(id_=id, text=text, metadata=metadata, relationships=relations)


TEA = [
    node("a", "green tea from Uji", "d1", year=2020, tags=["green", "japan"], place="Kyoto"),
    node("b", "黒いお茶と東京タワー", "d1", year=2023, tags=["black"], place="Tokyo"),
    node("c", "du thé à la menthe", "d2", year=2026, place=""),
    node("d", "coffee without milk", "d3"),
]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[OmoideVectorStore]:
    made = OmoideVectorStore(tmp_path / "agents.db", embedder=FakeEmbedder(dimension=32))
    made.add(TEA)
    yield made
    made.close()


def ids(nodes: Any) -> list[str]:
    return [each.node_id for each in nodes]


def test_it_is_a_vector_store_that_keeps_texts(store: OmoideVectorStore) -> None:
    assert isinstance(store, BasePydanticVectorStore)
    assert store.stores_text


@pytest.mark.parametrize("given", [
    *TEA, TextNode(id_="t", text="x", excluded_embed_metadata_keys=["k"], start_char_idx=3, metadata_template="{key}>{value}", metadata={"k": {"deep": [1, None]}}),
    IndexNode(id_="i", text="see there", index_id="other"), ImageNode(id_="m", text="a photo", image_path="p.png"),
    TextNode(id_="blank", text=""), TextNode(id_="nul", text="a\0b"),
], ids=lambda each: each.node_id)
def test_a_node_comes_back_as_it_was(store: OmoideVectorStore, given: Any) -> None:
    store.add([given])
    (found,) = store.get_nodes([given.node_id])
    assert type(found) is type(given)
    assert found.to_dict() == given.to_dict()


def test_a_node_added_again_is_replaced_and_its_history_kept(store: OmoideVectorStore) -> None:
    store.add([node("a", "white tea", "d9")])
    assert [each.text for each in store.get_nodes(["a"])] == ["white tea"]
    assert len(store.get_nodes()) == 4
    (record,) = [each for each in store.client.list() if each.metadata["key"] == "a"]
    assert [version.text for version in store.client.why(record.id).versions] == ["green tea from Uji", "white tea"]


def test_nodes_leave_by_document_by_id_by_filter_and_together(store: OmoideVectorStore) -> None:
    store.delete("d1")
    assert ids(store.get_nodes()) == ["c", "d"]
    store.delete("no such document")
    store.add(TEA)
    store.delete_nodes(["a", "no"])
    assert ids(store.get_nodes()) == ["c", "d", "b"]
    store.delete_nodes(filters=MetadataFilters(filters=[MetadataFilter(key="year", value=2024, operator=FilterOperator.GT)]))
    assert ids(store.get_nodes()) == ["d", "b"]
    store.clear()
    assert store.get_nodes() == []


def test_what_was_added_is_there_for_the_next_handle(store: OmoideVectorStore) -> None:
    other = OmoideVectorStore(store.client.path, embedder=FakeEmbedder(dimension=32))
    assert ids(other.query(VectorStoreQuery(query_str="menthe", similarity_top_k=1)).nodes) == ["c"]
    other.close()


@pytest.mark.parametrize("mode", ["default", "hybrid", "semantic_hybrid", "sparse", "text_search", "mmr"])
@pytest.mark.parametrize("question, best", [("黒いお茶と東京タワー", "b"), ("green tea from Uji", "a"), ("du thé à la menthe", "c")])
def test_a_question_is_answered_in_every_mode(store: OmoideVectorStore, mode: str, question: str, best: str) -> None:
    found = store.query(VectorStoreQuery(query_str=question, similarity_top_k=2, mode=VectorStoreQueryMode(mode)))
    assert found.ids[0] == best
    assert ids(found.nodes) == found.ids
    assert 0 < found.similarities[0] <= 1


def test_a_mode_that_learns_is_refused(store: OmoideVectorStore) -> None:
    with pytest.raises(InvalidInputError, match="svm"):
        store.query(VectorStoreQuery(query_str="tea", mode=VectorStoreQueryMode.SVM))


def test_a_question_may_be_a_vector(store: OmoideVectorStore) -> None:
    vector = store.embed_model.get_query_embedding("du thé à la menthe")
    found = store.query(VectorStoreQuery(query_embedding=vector, similarity_top_k=2))
    assert found.ids[0] == "c"
    assert len(found.ids) == 2
    with pytest.raises(InvalidInputError, match="32"):
        store.query(VectorStoreQuery(query_embedding=[1.0, 0.0]))


def test_mmr_leaves_repetitions_out(tmp_path: Path) -> None:
    store = OmoideVectorStore(tmp_path / "m.db", embed_model=Angles())
    store.add([node(name, name) for name in ("0 first", "1 second", "2 third", "70 other")])
    query = VectorStoreQuery(query_embedding=Angles().get_query_embedding("0"), similarity_top_k=2, mode=VectorStoreQueryMode.MMR)
    assert store.query(query, mmr_threshold=1.0).ids == ["0 first", "1 second"]
    assert store.query(query, mmr_threshold=0.3).ids == ["0 first", "70 other"]
    store.close()


class Angles(MockEmbedding):
    """A text that begins with degrees is that direction."""

    def __init__(self) -> None:
        super().__init__(embed_dim=2, model_name="angles")

    def _get_text_embedding(self, text: str) -> list[float]:
        import math

        angle = math.radians(float(text.split()[0]))
        return [math.cos(angle), math.sin(angle)]

    _get_query_embedding = _get_text_embedding


def test_only_chosen_nodes_and_documents_answer(store: OmoideVectorStore) -> None:
    assert set(store.query(VectorStoreQuery(query_str="tea", similarity_top_k=9, doc_ids=["d1", "d3"])).ids) == {"a", "b", "d"}
    assert store.query(VectorStoreQuery(query_str="tea", similarity_top_k=9, node_ids=["d"])).ids == ["d"]


def test_a_filter_holds_before_the_cut(store: OmoideVectorStore) -> None:
    store.add([node(str(i), f"green tea {i}", year=i) for i in range(60)])
    wanted = MetadataFilters(filters=[MetadataFilter(key="year", value=59)])
    assert store.query(VectorStoreQuery(query_str="green tea", similarity_top_k=1, filters=wanted)).ids == ["59"]


METADATA = st.dictionaries(st.sampled_from(["k", "a-b", "a.b"]), st.one_of(
    st.none(), st.integers(-3, 3), st.sampled_from([0.5, 2.0, "", "tea", "Tea house", "3", "寿司"]), st.lists(st.sampled_from(["tea", "寿司", "x"]), max_size=2),
))
VALUES = st.one_of(st.integers(-3, 3), st.sampled_from([0.5, 2.0, "", "tea", "TEA", "寿司", "3"]), st.lists(st.sampled_from(["tea", "寿司"]), min_size=1), st.lists(st.integers(-1, 2), min_size=1))
FILTER = st.builds(lambda key, value, op: MetadataFilter(key=key, value=value, operator=op), st.sampled_from(["k", "a-b", "a.b"]), VALUES, st.sampled_from(FilterOperator))


@settings(max_examples=80, deadline=None)
@given(st.lists(METADATA, min_size=1, max_size=6), st.lists(FILTER, min_size=1, max_size=3), st.sampled_from(FilterCondition))
def test_a_filter_agrees_with_llamaindex(rows: list[dict[str, Any]], parts: list[MetadataFilter], condition: FilterCondition) -> None:
    wanted = MetadataFilters(filters=parts, condition=condition)
    judge = build_metadata_filter_fn(lambda id: rows[int(id)], wanted)
    try:
        expected = [str(i) for i in range(len(rows)) if judge(str(i))]
    except TypeError:
        return  # theirs does not compare what is not of one kind
    with tempfile.TemporaryDirectory() as folder:
        store = OmoideVectorStore(Path(folder) / "a.db", embedder="none", durability="NORMAL")
        store.add([TextNode(id_=str(i), text=f"tea {i}", metadata=row) for i, row in enumerate(rows)])
        assert ids(store.get_nodes(filters=wanted)) == expected
        assert sorted(store.query(VectorStoreQuery(query_str="tea", similarity_top_k=9, filters=wanted)).ids) == expected
        store.close()


def test_filters_may_be_nested(store: OmoideVectorStore) -> None:
    inner = MetadataFilters(filters=[MetadataFilter(key="place", value="Kyoto"), MetadataFilter(key="year", value=2026)], condition=FilterCondition.OR)
    wanted = MetadataFilters(filters=[inner, MetadataFilter(key="year", value=2021, operator=FilterOperator.LT)])
    assert ids(store.get_nodes(filters=wanted)) == ["a"]
    none = MetadataFilters(filters=[inner], condition=FilterCondition.NOT)
    assert ids(store.get_nodes(filters=none)) == ["b", "d"]


def test_an_index_over_the_store_answers_and_forgets(store: OmoideVectorStore) -> None:
    context = StorageContext.from_defaults(vector_store=store)
    documents = [Document(id_="p", text="Paris est la capitale de la France"), Document(id_="t", text="東京は日本の首都です")]
    VectorStoreIndex.from_documents(documents, storage_context=context, embed_model=store.embed_model)
    index = VectorStoreIndex.from_vector_store(store, embed_model=store.embed_model)
    (found,) = index.as_retriever(similarity_top_k=1).retrieve("東京は日本の首都です")
    assert (found.node.text, found.node.ref_doc_id) == ("東京は日本の首都です", "t")
    index.delete_ref_doc("t")
    assert [each.ref_doc_id for each in store.get_nodes() if each.ref_doc_id in {"p", "t"}] == ["p"]


def test_the_async_twins_do_the_same(tmp_path: Path) -> None:
    async def run() -> list[Any]:
        store = OmoideVectorStore(tmp_path / "b.db", embedder="none")
        said = [await store.async_add(TEA), ids(await store.aget_nodes()), (await store.aquery(VectorStoreQuery(query_str="coffee"))).ids]
        await store.adelete("d1")
        await store.adelete_nodes(["c"])
        said.append(ids(await store.aget_nodes()))
        await store.aclear()
        said.append(await store.aget_nodes())
        store.close()
        return said

    assert asyncio.run(run()) == [["a", "b", "c", "d"], ["a", "b", "c", "d"], ["d"], ["d"], []]


def test_a_model_of_llamaindex_embeds_for_the_store(tmp_path: Path) -> None:
    store = OmoideVectorStore(tmp_path / "e.db", embed_model=Angles())
    store.add([node("near", "10 degrees"), node("far", "80 degrees")])
    assert store.query(VectorStoreQuery(query_embedding=[0.0, 1.0], similarity_top_k=1)).ids == ["far"]
    with Memory(store.client.path, embedder="none") as memory:
        assert memory.stats()["default"]["pending_vectors"] == 0
    store.close()


def test_a_store_without_a_model_says_so(tmp_path: Path) -> None:
    store = OmoideVectorStore(tmp_path / "n.db", embedder="none")
    with pytest.raises(EmbedderUnavailableError):
        OmoideEmbedding(store.client).get_text_embedding("tea")
    store.close()


def test_the_index_makes_its_retriever(tmp_path: Path) -> None:
    with Index(tmp_path / "agents.db", embedder="none") as index:
        index.add_text("東京タワーに行きました", source="journal", metadata={"year": 2026})
        retriever = index.as_llamaindex_retriever(k=3)
        (found,) = retriever.retrieve("東京")
        assert asyncio.run(retriever.aretrieve("東京"))[0].node.text == found.node.text == "東京タワーに行きました"
        assert (found.metadata["year"], found.metadata["source"], found.score > 0) == (2026, "journal", True)
