"""A BERT encoder as an ONNX graph: 4- or 8-bit embeddings, 8-bit matrices, everything else float32.

One text a run, no padding, so there is no mask and the result cannot depend on a batch. The matrices are
rounded to [-90, 90]: on processors whose 8-bit product saturates at 16 bits (AVX2 without VNNI) two
products then practically never add up to more than they can hold, and all processors agree.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from builder.carrier import Carrier, Floats
from builder.onnx import CONTRIB, Graph

LARGEST = np.float32(90)


class Matrix(NamedTuple):
    """A linear map: weights (inputs, outputs) and bias (outputs)."""

    weights: Floats
    bias: Floats


class Recipe(NamedTuple):
    """What differs between models: a name, how token embeddings are stored, and what smooths the activations."""

    name: str
    words: Callable[[Graph, Any], str]
    smoothing: dict[str, Floats]


def encoder(carrier: Any, weights_file: str, recipe: Recipe) -> tuple[bytes, bytes]:
    """Return the model file and the weights file it names; ``carrier`` has the tensors of ``builder.carrier``."""
    graph = Graph(weights_file)
    graph.value_in("input_ids", "int64", [1, "length"])
    states = _embeddings(graph, carrier, recipe.words(graph, carrier))
    for layer in range(carrier.sizes.layers):
        states = _layer(graph, carrier, recipe.smoothing, f"l{layer}", states)
    graph.tensor("axis", np.array([1], np.int64))
    graph.node("ReduceMean", [states, "axis"], "mean", keepdims=0)
    graph.node("LpNormalization", ["mean"], "embedding", axis=-1, p=2)
    graph.value_out("embedding", "float32", [1, carrier.sizes.hidden])
    return graph.model(recipe.name), bytes(graph.weights)


def four_bits(graph: Graph, carrier: Carrier) -> str:
    """Add token embeddings as the carrier's blocks of 4 bits; return their name."""
    rows, hidden = carrier.sizes.rows, carrier.sizes.hidden
    nibbles = carrier.nibbles("emb.word").reshape(rows, hidden)
    graph.tensor("word", nibbles[:, 0::2] | nibbles[:, 1::2] << 4)
    graph.tensor("word.scale", carrier.scales("emb.word").reshape(rows, -1))
    words = graph.node(
        "GatherBlockQuantized", ["word", "input_ids", "word.scale"], "words16", domain=CONTRIB,
        bits=4, block_size=32, gather_axis=0, quantize_axis=1,
    )  # fmt: skip
    return graph.node("Cast", [words], "words", to=1)


def eight_bits(graph: Graph, carrier: Any) -> str:
    """Add token embeddings rounded to 8 bits with a scale a row; return their name."""
    table = carrier.matrix("emb.word", carrier.sizes.rows, carrier.sizes.hidden)
    scale = np.maximum(np.abs(table).max(axis=1, keepdims=True), np.float32(1e-12)) / np.float32(127)
    graph.tensor("word", np.rint(table / scale).astype(np.int8))
    graph.tensor("word.scale", scale.astype(np.float32))
    graph.node("Gather", ["word", "input_ids"], "words8", axis=0)
    graph.node("Gather", ["word.scale", "input_ids"], "words.scale", axis=0)
    graph.node("Cast", ["words8"], "words.whole", to=1)
    return graph.node("Mul", ["words.whole", "words.scale"], "words")


def _embeddings(graph: Graph, carrier: Any, words: str) -> str:
    hidden = carrier.sizes.hidden
    # Every token has type 0, so its row belongs to the positions.
    types = carrier.floats("emb.type").reshape(-1, hidden)
    graph.tensor("position", carrier.floats("emb.pos").reshape(-1, hidden) + types[0])
    graph.tensor("start", np.array([0], np.int64))
    graph.node("Shape", ["input_ids"], "length", start=1, end=2)
    graph.node("Slice", ["position", "start", "length", "start"], "positions")
    graph.node("Add", [words, "positions"], "embedded")
    _norm_tensors(graph, carrier, "emb.ln")
    return graph.node(
        "LayerNormalization", ["embedded", "emb.ln.w", "emb.ln.b"], "emb.ln",
        epsilon=carrier.epsilon, axis=-1,
    )  # fmt: skip


def _layer(graph: Graph, carrier: Any, smoothing: dict[str, Floats], layer: str, states: str) -> str:
    sizes = carrier.sizes
    inside = smoothing[f"{layer}.ao"]
    qkv = _joined(carrier, layer, inside)
    mixed = _dense(graph, f"{layer}.qkv", states, qkv, smoothing)
    parts = [f"{layer}.{part}" for part in ("q", "k", "v")]
    graph.node("Split", [mixed], *parts, num_outputs=3, axis=-1)
    seen = graph.node("MultiHeadAttention", parts, f"{layer}.seen", domain=CONTRIB, num_heads=sizes.heads)
    out = _matrix(carrier, f"{layer}.ao", sizes.hidden, sizes.hidden)
    out = Matrix(out.weights * inside[:, None], out.bias)
    states = _skip(graph, carrier, f"{layer}.aln", states, _dense(graph, f"{layer}.ao", seen, out, {}))
    wide = _dense(graph, f"{layer}.fi", states, _matrix(carrier, f"{layer}.fi", sizes.inner, sizes.hidden), smoothing)
    active = graph.node("Gelu", [wide], f"{layer}.gelu")
    narrow = _matrix(carrier, f"{layer}.fo", sizes.hidden, sizes.inner)
    return _skip(graph, carrier, f"{layer}.oln", states, _dense(graph, f"{layer}.fo", active, narrow, smoothing))


def _matrix(carrier: Any, name: str, outputs: int, inputs: int) -> Matrix:
    return Matrix(carrier.matrix(f"{name}.w", outputs, inputs).T, carrier.floats(f"{name}.b"))


def _joined(carrier: Any, layer: str, inside: Floats) -> Matrix:
    """Query, key and value in one; what smooths the next matrix is taken out of the values."""
    hidden = carrier.sizes.hidden
    query, key, value = (_matrix(carrier, f"{layer}.{part}", hidden, hidden) for part in "qkv")
    value = Matrix(value.weights / inside, value.bias / inside)
    parts = (query, key, value)
    return Matrix(np.concatenate([p.weights for p in parts], axis=1), np.concatenate([p.bias for p in parts]))


def _dense(graph: Graph, name: str, states: str, matrix: Matrix, smoothing: dict[str, Floats]) -> str:
    weights = matrix.weights
    if name in smoothing:
        graph.tensor(f"{name}.m", 1 / smoothing[name])
        states = graph.node("Mul", [states, f"{name}.m"], f"{name}.x")
        weights = weights * smoothing[name][:, None]
    scale = np.abs(weights).max(axis=0) / LARGEST
    graph.tensor(f"{name}.w", np.rint(weights / scale).astype(np.int8))
    graph.tensor(f"{name}.s", scale)
    graph.tensor(f"{name}.b", matrix.bias)
    inputs = [states, f"{name}.w", f"{name}.s", "", f"{name}.b"]
    return graph.node("DynamicQuantizeMatMul", inputs, f"{name}.y", domain=CONTRIB)


def _skip(graph: Graph, carrier: Any, name: str, states: str, update: str) -> str:
    _norm_tensors(graph, carrier, name)
    return graph.node(
        "SkipLayerNormalization", [states, update, f"{name}.w", f"{name}.b"], name,
        domain=CONTRIB, epsilon=carrier.epsilon,
    )  # fmt: skip


def _norm_tensors(graph: Graph, carrier: Any, name: str) -> None:
    for part in ("w", "b"):
        graph.tensor(f"{name}.{part}", carrier.floats(f"{name}.{part}"))
