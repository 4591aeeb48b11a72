"""A reranker of the user's own decides the order of the best hits."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from omoide import Memory
from omoide.errors import EmbedderUnavailableError, InvalidInputError, RerankerError

Opener = Callable[..., Memory]

BUILDER = Path(__file__).resolve().parents[2] / "models" / "e5-small"
WORDS = ["[PAD]", "[CLS]", "[SEP]", "[UNK]", "tea", "leaf", "pot", "tall"]
LIKED = {"leaf": 2.0, "pot": 1.0, "tall": -5.0}
"""What the cross-encoder made here likes to see in a text."""


class Longest:
    """Prefers long texts."""

    def score(self, query: str, texts: list[str], /) -> list[float]:
        return [float(len(text)) for text in texts]


def longest(query: str, texts: list[str]) -> list[float]:
    return [float(len(text)) for text in texts]


def filled(mem: Memory) -> Memory:
    for text in ("tea", "tea leaf", "tea in a tall pot"):
        mem.remember(text)
    return mem


@pytest.fixture
def mem(opened: Opener) -> Memory:
    return filled(opened(reranker=Longest()))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a cross-encoder of 8 words whose logit is the sum of what it likes."""
    pytest.importorskip("tokenizers")
    place = tmp_path_factory.mktemp("cross") / "encoder"
    place.mkdir()
    (place / "model.onnx").write_bytes(model_file())
    (place / "tokenizer.json").write_text(json.dumps(tokenizer_file()), encoding="utf-8")
    return place


def model_file(columns: int = 1) -> bytes:
    sys.path.insert(0, str(BUILDER))
    try:
        from builder.onnx import Graph  # type: ignore[import-not-found]
    finally:
        sys.path.remove(str(BUILDER))
    graph = Graph("unused")
    for name in ("input_ids", "attention_mask"):
        graph.value_in(name, "int64", ["pairs", "length"])
    weights = np.array([[LIKED.get(word, 0.0)] * columns for word in WORDS], np.float32)
    graph.tensor("liked", weights * np.arange(columns, 0, -1, dtype=np.float32)[::-1])
    graph.tensor("axis", np.array([1], np.int64))
    graph.tensor("last", np.array([2], np.int64))
    graph.node("Gather", ["liked", "input_ids"], "each", axis=0)
    graph.node("Cast", ["attention_mask"], "mask", to=1)
    graph.node("Unsqueeze", ["mask", "last"], "wide")
    graph.node("Mul", ["each", "wide"], "counted")
    graph.node("ReduceSum", ["counted", "axis"], "logits", keepdims=0)
    graph.value_out("logits", "float32", ["pairs", columns])
    return bytes(graph.model("likes leaves"))


def tokenizer_file() -> dict[str, Any]:
    vocab = {word: place for place, word in enumerate(WORDS)}
    pair = [{"SpecialToken": {"id": "[CLS]", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}]
    second = [{"SpecialToken": {"id": "[SEP]", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 1}}]
    special = {word: {"id": word, "ids": [vocab[word]], "tokens": [word]} for word in ("[CLS]", "[SEP]")}
    return {
        "version": "1.0", "truncation": None, "padding": None, "added_tokens": [],
        "normalizer": {"type": "Lowercase"}, "pre_tokenizer": {"type": "Whitespace"}, "decoder": None,
        "post_processor": {
            "type": "TemplateProcessing", "single": pair, "pair": [*pair, *second], "special_tokens": special,
        },
        "model": {"type": "WordLevel", "vocab": vocab, "unk_token": "[UNK]"},
    }  # fmt: skip


def texts_of(hits: Sequence[Any]) -> list[str]:
    return [hit.text for hit in hits]


@pytest.mark.parametrize("reranker", [Longest(), longest], ids=["an object", "a function"])
def test_the_reranker_orders_the_hits(opened: Opener, reranker: Any) -> None:
    mem = filled(opened(reranker=reranker))
    assert texts_of(mem.recall("tea", rerank=True)) == ["tea in a tall pot", "tea leaf", "tea"]


def test_its_value_is_the_score(mem: Memory) -> None:
    assert [hit.score for hit in mem.recall("tea", rerank=True, k=1)] == [17.0]


def test_its_time_is_told(mem: Memory) -> None:
    assert "rerank_ms" in mem.recall("tea", rerank=True).timings


def test_without_being_asked_it_does_nothing(mem: Memory) -> None:
    assert "rerank_ms" not in mem.recall("tea").timings


@pytest.mark.parametrize("way", ["model.onnx", "fastembed:", "function", "object"])
def test_without_one_the_error_says_how_to_have_one(opened: Opener, way: str) -> None:
    with pytest.raises(InvalidInputError, match=way):
        opened().recall("tea", rerank=True)


@pytest.mark.model
def test_a_folder_with_a_cross_encoder_is_a_reranker(opened: Opener, folder: Path) -> None:
    for given in (folder, str(folder)):
        hits = filled(opened(reranker=given)).recall("tea", rerank=True)
        assert texts_of(hits) == ["tea leaf", "tea", "tea in a tall pot"]


@pytest.mark.model
def test_its_scores_are_chances(opened: Opener, folder: Path) -> None:
    best = filled(opened(reranker=folder)).recall("tea", rerank=True)[0]
    assert best.score == pytest.approx(1 / (1 + np.exp(-2.0)))


@pytest.mark.model
def test_a_model_may_lie_in_the_onnx_folder(opened: Opener, folder: Path, tmp_path: Path) -> None:
    (tmp_path / "export" / "onnx").mkdir(parents=True)
    (tmp_path / "export" / "onnx" / "model.onnx").write_bytes((folder / "model.onnx").read_bytes())
    (tmp_path / "export" / "tokenizer.json").write_bytes((folder / "tokenizer.json").read_bytes())
    hits = filled(opened(reranker=tmp_path / "export")).recall("tea", rerank=True)
    assert texts_of(hits)[0] == "tea leaf"


@pytest.mark.model
def test_of_two_logits_the_last_speaks_for_a_match(opened: Opener, folder: Path, tmp_path: Path) -> None:
    (tmp_path / "two").mkdir()
    (tmp_path / "two" / "model.onnx").write_bytes(model_file(columns=2))
    (tmp_path / "two" / "tokenizer.json").write_bytes((folder / "tokenizer.json").read_bytes())
    hits = filled(opened(reranker=tmp_path / "two")).recall("tea", rerank=True)
    assert hits[0].text == "tea leaf"
    assert hits[0].score == pytest.approx(1 / (1 + np.exp(-2.0)))


@pytest.mark.model
def test_any_text_can_be_judged(opened: Opener, folder: Path) -> None:
    mem = opened(reranker=folder)
    for text in ("tea " * 2_000, "tea \0 \u202e 猫", "tea " + "字" * 5_000):
        mem.remember(text)
    hits = mem.recall("tea " * 700, rerank=True)
    assert len(hits) == 3
    assert not hits.degraded


def test_a_folder_without_a_model_is_told_when_the_store_is_opened(opened: Opener, tmp_path: Path) -> None:
    with pytest.raises(InvalidInputError, match=r"model\.onnx"):
        opened(reranker=tmp_path / "nothing")


def test_what_is_no_reranker_is_told_when_the_store_is_opened(opened: Opener) -> None:
    with pytest.raises(InvalidInputError, match="reranker has to be"):
        opened(reranker=7)


@pytest.mark.model
def test_a_missing_package_is_told_by_the_name_of_the_extra(
    opened: Opener, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "tokenizers", None)
    with pytest.raises(EmbedderUnavailableError, match=r"omoide\[rerank\]"):
        opened(reranker=folder)


def test_fastembed_that_is_not_installed_is_told_by_the_name_of_the_extra(
    opened: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "fastembed", None)
    with pytest.raises(EmbedderUnavailableError, match=r"omoide\[fastembed\]"):
        opened(reranker="fastembed:Xenova/ms-marco-MiniLM-L-6-v2")


def broken(query: str, texts: list[str]) -> list[float]:
    raise RuntimeError("out of memory")


def too_few(query: str, texts: list[str]) -> list[float]:
    return [1.0]


def no_numbers(query: str, texts: list[str]) -> list[Any]:
    return ["good" for _ in texts]


def infinite(query: str, texts: list[str]) -> list[float]:
    return [float("nan") for _ in texts]


def refusing(query: str, texts: list[str]) -> list[float]:
    raise RerankerError("not today")


@pytest.mark.parametrize("reranker", [broken, too_few, no_numbers, infinite, refusing])
def test_a_reranker_that_fails_leaves_the_order_and_is_named(opened: Opener, reranker: Any) -> None:
    mem = filled(opened(reranker=reranker))
    hits = mem.recall("tea", rerank=True)
    assert texts_of(hits) == texts_of(mem.recall("tea"))
    assert hits.degraded
    assert any("not reranked" in reason for reason in hits.reasons)


@pytest.mark.model
def test_a_damaged_model_leaves_the_order_and_is_named(opened: Opener, folder: Path, tmp_path: Path) -> None:
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "model.onnx").write_bytes(b"no model")
    (tmp_path / "broken" / "tokenizer.json").write_bytes((folder / "tokenizer.json").read_bytes())
    hits = filled(opened(reranker=tmp_path / "broken")).recall("tea", rerank=True)
    assert len(hits) == 3
    assert any("onnxruntime cannot run" in reason for reason in hits.reasons)


def test_repeats_do_not_use_up_the_answers(tmp_path: Path) -> None:
    """Three hundred equal turns answer once and leave room for the other answers."""
    with Memory(tmp_path / "agents.db", embedder="none") as mem:
        with mem.bulk():
            for _ in range(300):
                mem.remember_turn("user", "yes please")
            for n in range(4):
                mem.remember(f"please keep in mind the longer and weaker remark number {n}")
        assert len(mem.recall("yes please", k=5)) == 5
