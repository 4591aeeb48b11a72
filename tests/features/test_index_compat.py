"""Programs written for rmbr's Index run after the import is changed."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from omoide.compat import rmbr
from omoide.compat.rmbr.index import Index, IngestResult
from omoide.testing import FakeEmbedder

SIGNATURES: dict[str, dict[str, Any]] = {
    "add_text": {
        "source": None, "namespace": None, "metadata": None, "chunk_size": 800, "chunk_overlap": 150,
        "splitter": "text",
    },
    "add_texts": {
        "sources": None, "namespace": None, "metadata": None, "chunk_size": 800, "chunk_overlap": 150,
        "splitter": "text",
    },
    "add_files": {
        "pattern": "**/*", "namespace": None, "metadata": None, "chunk_size": 800, "chunk_overlap": 150,
        "splitter": "auto",
    },
    "search": {
        "k": 5, "namespaces": None, "where": None, "use_bm25": True, "use_vectors": True, "budget_ms": None,
        "min_similarity": None, "recency_weight": 0.0, "recency_half_life_seconds": 604_800.0, "rerank": False,
    },
    "as_tool": {"name": "search"},
    "as_langchain_retriever": {"k": 5},
    "as_llamaindex_retriever": {"k": 5},
    "stats": {"namespaces": None},
}  # fmt: skip


@pytest.fixture
def index(path: Path) -> Iterator[Any]:
    with rmbr.Index(path, embedder=FakeEmbedder()) as opened:
        yield opened


@pytest.mark.parametrize("name", SIGNATURES)
def test_arguments_have_the_names_and_defaults_they_had(name: str) -> None:
    parameters = inspect.signature(getattr(Index, name)).parameters
    assert {key: parameters[key].default for key in SIGNATURES[name]} == SIGNATURES[name]


def test_a_program_for_rmbr_runs(index: Any, docs: Path) -> None:
    (docs / "guide.md").write_text("# Guide\n\nDeploy with make.")
    document = index.add_text("deploy by hand", source="old.txt", metadata={"k": 1})
    added = index.add_texts(["apples", "pears"], sources=["a", "b"])
    assert isinstance(added, IngestResult)
    assert isinstance(added, list)
    assert len(index.add_files(str(docs), pattern="**/*", encoding="utf-8")) == 1
    hits = index.search("deploy", k=2, where={"k": 1}, min_similarity=-1.0)
    assert [hit.text for hit in hits] == ["deploy by hand"]
    assert {"embed_ms", "total_ms"} <= hits.timings.keys()
    index.delete(document)
    found = index.stats()["default"]
    assert (found["documents"], found["namespace"]) == (3, "default")
    assert isinstance(found["oldest"], str)
    assert index.integrity_check() == []
    with index.bulk():
        index.add_text("in a block")
    assert index.as_tool().name == "search"


async def test_the_async_names_are_there(index: Any, docs: Path) -> None:
    (docs / "a.txt").write_text("words")
    assert await index.aadd_text("x") > 0
    assert len(await index.aadd_texts(["y"])) == 1
    assert len(await index.aadd_files(docs)) == 1
    assert len(await index.asearch("words", k=1)) == 1
