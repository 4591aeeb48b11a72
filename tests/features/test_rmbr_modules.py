"""Every module of rmbr has its counterpart, with its functions, parameters and defaults."""

from __future__ import annotations

import inspect
import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from omoide.compat import rmbr
from omoide.compat.rmbr import __main__ as command

CHUNKS = "text chunk_size=800 chunk_overlap=150"
ADDED = "namespace=None metadata=None chunk_size=800 chunk_overlap=150"
ASKED = (
    "query k=5 namespaces=None where=None use_bm25=True use_vectors=True budget_ms=None min_similarity=None"
    " recency_weight=0.0 recency_half_life_seconds=604800.0 rerank=False"
)
CALLS: dict[str, str] = {
    "chunk.split_json": CHUNKS,
    "chunk.split_markdown": CHUNKS,
    "chunk.split_python": CHUNKS,
    "chunk.split_rst": CHUNKS,
    "chunk.split_text": CHUNKS,
    "embed.CachingEmbedder": "embedder store",
    "embed.CohereEmbedder": "model_name='embed-english-v3.0' input_type='search_document'",
    "embed.FakeEmbedder": "dimension=32 model_name='fake-embedder'",
    "embed.FastEmbedEmbedder": "model_name='BAAI/bge-small-en-v1.5'",
    "embed.OpenAIEmbedder": "model_name='text-embedding-3-small'",
    "embed.VoyageEmbedder": "model_name='voyage-3' input_type=None",
    "embed.get_shared_fastembed_embedder": "model_name='BAAI/bge-small-en-v1.5'",
    "extract.extract_docx": "path",
    "extract.extract_pdf": "path",
    "index.Index": "path namespace='default' policy=None embedder=None",
    "index.Index.add_files": f"path pattern='**/*' {ADDED} splitter='auto'",
    "index.Index.add_text": f"text source=None {ADDED} splitter='text'",
    "index.Index.add_texts": f"texts sources=None {ADDED} splitter='text'",
    "index.Index.as_langchain_retriever": "k=5",
    "index.Index.as_llamaindex_retriever": "k=5",
    "index.Index.as_tool": "name='search'",
    "index.Index.delete": "document_id",
    "index.Index.search": ASKED,
    "index.Index.stats": "namespaces=None",
    "mcp_server.build_mcp_server": (
        "path namespace='default' policy=None embedder=None read_only=False server_name='rmbr'"
    ),
    "mcp_server.serve_mcp": "path namespace='default' policy=None embedder=None read_only=False server_name='rmbr'",
    "memory.Memory": "path namespace policy=None embedder=None dedupe_threshold=None max_memories=None",
    "memory.Memory.as_tools": "read_only=False",
    "memory.Memory.forget": "memory_id",
    "memory.Memory.forget_older_than": "seconds namespace=None",
    "memory.Memory.get": "memory_id",
    "memory.Memory.list": "limit=None where=None",
    "memory.Memory.recall": ASKED,
    "memory.Memory.remember": "text metadata=None namespace=None dedupe_threshold pinned=False",
    "memory.Memory.remember_turn": "role content session_id=None metadata=None namespace=None dedupe_threshold",
    "memory.Memory.stats": "namespaces=None",
    "memory.Memory.update": "memory_id text=None metadata=None",
    "memory.MemoryRecord": "id namespace text metadata created_at",
    "policy.Policy.allow": "ns read=None write=None",
    "policy.Policy.can_read": "who ns",
    "policy.Policy.can_write": "who ns",
    "policy.Policy.on_access": "callback",
    "rerank.CrossEncoderReranker": "model_name='Xenova/ms-marco-MiniLM-L-6-v2'",
    "search.matches_where": "metadata where",
    "server.build_app": "path namespace='default' policy=None embedder=None read_only=False token=None",
    "server.serve_http": (
        "path host='127.0.0.1' port=8000 namespace='default' policy=None embedder=None read_only=False token=None"
    ),
    "tools.ToolSpec": "name description parameters handler",
    "tools.ToolSpec.to_anthropic": "strict=False",
    "tools.ToolSpec.to_openai": "strict=False",
    "tools.hit_to_dict": "hit",
    "tools.index_search_tool": "index name='search'",
    "tools.memory_tools": "memory read_only=False",
}
MEM0 = {
    "Memory": "path policy=None embedder=None dedupe_threshold=None max_memories=None",
    "Memory.add": "messages user_id=None agent_id=None run_id=None metadata=None infer=True",
    "Memory.search": "query top_k=10 filters=None threshold=0.1 rerank=False",
    "Memory.get_all": "filters=None top_k=20",
    "Memory.update": "memory_id text=None metadata=None",
    "Memory.delete_all": "user_id=None agent_id=None run_id=None",
}
CALLS |= {f"integrations.mem0_compat.{name}": wanted for name, wanted in MEM0.items()}


def found(name: str) -> Any:
    """Return what a dotted name below the package stands for."""
    at: Any = rmbr
    for part in name.split("."):
        home = getattr(at, "__path__", None)
        at = getattr(at, part) if home is None or hasattr(at, part) else import_module(f"{at.__name__}.{part}")
    return at


@pytest.mark.parametrize("name", CALLS)
def test_a_call_takes_what_rmbrs_took(name: str) -> None:
    signature = inspect.signature(found(name))
    for part in CALLS[name].split():
        parameter, _, default = part.partition("=")
        assert parameter in signature.parameters
        if default:
            assert repr(signature.parameters[parameter].default) == default, parameter


@pytest.mark.parametrize("name", ["langchain", "langgraph", "llamaindex"])
def test_an_adapter_is_there_or_names_what_it_needs(name: str) -> None:
    module = f"omoide.compat.rmbr.integrations.{name}"
    needed = {"langchain": "langchain_core", "langgraph": "langgraph", "llamaindex": "llama_index"}[name]
    if find_spec(needed) is None:
        with pytest.raises(ImportError, match=rf"omoide\[{name}\]"):
            import_module(module)


def test_modules_are_attributes_of_the_package() -> None:
    assert rmbr.memory.Memory is rmbr.Memory
    assert rmbr.store.MemoryRecord is rmbr.memory.MemoryRecord


def test_a_filter_is_judged_as_by_a_handle() -> None:
    assert rmbr.search.matches_where({"a": {"b": 1}, "tags": ["x"]}, {"a.b": {"$gte": 1}, "tags": "x"})
    assert not rmbr.search.matches_where({"a": True}, {"a": 1})


def test_a_memory_is_named_by_either_of_its_names(tmp_path: Path) -> None:
    with rmbr.Memory(tmp_path / "a.db", "desk", embedder="none") as memory:
        memory_id = memory.remember("one")
        memory.update(memory_id=memory_id, text="two")
        assert memory.get(id=memory_id) == memory.get(memory_id)
        memory.forget(id=memory_id)
        assert memory.get(memory_id) is None
        with pytest.raises(ValueError, match="id"):
            memory.get()


def test_a_text_of_an_embedder_has_one_vector() -> None:
    caching = rmbr.embed.CachingEmbedder(rmbr.embed.FakeEmbedder(8), None)
    assert list(caching.embed_one("tea")) == list(caching.embed(["tea"])[0])


def test_the_tools_have_their_old_names(tmp_path: Path) -> None:
    with rmbr.Index(tmp_path / "a.db", namespace="docs", embedder="none") as index:
        index.add_text("東京タワー")
        (row,) = rmbr.tools.index_search_tool(index, name="look").call(query="東京")
        assert row == rmbr.tools.hit_to_dict(index.search("東京")[0])
        assert set(row) == {"id", "text", "score", "metadata", "bm25_score", "vector_score"}


def test_asking_for_another_order_names_what_it_needs(tmp_path: Path) -> None:
    with rmbr.Memory(tmp_path / "a.db", "desk", embedder="none") as memory:
        memory.remember("green tea")
        assert not memory.recall("tea").degraded
        if find_spec("fastembed") is None:
            hits = memory.recall("tea", rerank=True)
            assert [hit.text for hit in hits] == ["green tea"]
            assert "omoide[fastembed]" in " ".join(hits.reasons)


def test_the_mem0_shim_keeps_its_defaults(tmp_path: Path) -> None:
    with pytest.raises(NotImplementedError):
        rmbr.integrations.mem0_compat.Memory(str(tmp_path / "a.db"), embedder="none").add("x", user_id="a")


def test_the_command_takes_rmbrs_options(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["rmbr", "--help"])
    with pytest.raises(SystemExit) as end:
        command.main()
    assert end.value.code == 0
    said = capsys.readouterr().out
    assert all(option in said for option in ("path", "--namespace", "--read-only"))
