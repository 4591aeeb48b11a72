"""Reads the weights of all-MiniLM-L6-v2 in the names and shapes that the graph builder asks for.

safetensors: 8 bytes of length, little endian, a JSON header of names with type, shape and offsets, then the bytes.
https://huggingface.co/docs/safetensors/index#format
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import numpy.typing as npt
from builder.carrier import FormatError, Sizes

Floats = npt.NDArray[np.float32]

EPSILON = 1e-12  # config.json: layer_norm_eps
HEADS = 12  # config.json: num_attention_heads

_LAYER = {
    "q": "attention.self.query", "k": "attention.self.key", "v": "attention.self.value",
    "ao": "attention.output.dense", "aln": "attention.output.LayerNorm", "fi": "intermediate.dense",
    "fo": "output.dense", "oln": "output.LayerNorm",
}  # fmt: skip
_EMBEDDINGS = {
    "emb.word": "embeddings.word_embeddings.weight", "emb.pos": "embeddings.position_embeddings.weight",
    "emb.type": "embeddings.token_type_embeddings.weight", "emb.ln.w": "embeddings.LayerNorm.weight",
    "emb.ln.b": "embeddings.LayerNorm.bias",
}  # fmt: skip
_PARTS = {"w": "weight", "b": "bias"}


class Safetensors:
    """The tensors of one weights file, read on demand from its bytes."""

    epsilon = EPSILON

    def __init__(self, data: bytes) -> None:
        length = int.from_bytes(data[:8], "little")
        self._header: dict[str, Any] = json.loads(data[8 : 8 + length])
        self._data, self._base = data, 8 + length
        layers = len({name.split(".")[2] for name in self._header if name.startswith("encoder.layer.")})
        rows, hidden = self._header[_EMBEDDINGS["emb.word"]]["shape"]
        positions = self._header[_EMBEDDINGS["emb.pos"]]["shape"][0]
        types = self._header[_EMBEDDINGS["emb.type"]]["shape"][0]
        inner = self._header["encoder.layer.0.intermediate.dense.weight"]["shape"][0]
        self.sizes = Sizes(hidden, layers, HEADS, inner, rows, positions, types)

    def floats(self, name: str) -> Floats:
        """Return a tensor, flat."""
        entry = self._header[_theirs(name)]
        if entry["dtype"] != "F32":
            raise FormatError(f"{name} is {entry['dtype']}, not F32")
        start, end = entry["data_offsets"]
        return np.frombuffer(self._data, "<f4", (end - start) // 4, self._base + start)

    def matrix(self, name: str, rows: int, columns: int) -> Floats:
        """Return a tensor as a matrix; ``l0.q.w`` and ``emb.word`` are names."""
        return self.floats(name).reshape(rows, columns)


def _theirs(name: str) -> str:
    if name in _EMBEDDINGS:
        return _EMBEDDINGS[name]
    layer, part, side = name.split(".")
    return f"encoder.layer.{layer[1:]}.{_LAYER[part]}.{_PARTS[side]}"
