"""The same encoder in numpy and float32: the measure of the quantised one, and the source of its scales."""

from __future__ import annotations

import math

import numpy as np

from builder.carrier import Carrier, Floats

_erf = np.vectorize(math.erf, otypes=[np.float32])


class Reference:
    """Embeds token ids in float32 and keeps the largest absolute input of every matrix, per channel."""

    def __init__(self, carrier: Carrier) -> None:
        sizes = carrier.sizes
        hidden, inner = sizes.hidden, sizes.inner
        shapes = {"q": (hidden, hidden), "k": (hidden, hidden), "v": (hidden, hidden)}
        shapes |= {"ao": (hidden, hidden), "fi": (inner, hidden), "fo": (hidden, inner)}
        self.largest: dict[str, Floats] = {}
        self.weights = {
            f"l{layer}.{name}": carrier.matrix(f"l{layer}.{name}.w", *shape)
            for layer in range(sizes.layers)
            for name, shape in shapes.items()
        }
        self._words = carrier.matrix("emb.word", sizes.rows, hidden)
        self._carrier = carrier

    def embed(self, ids: list[int]) -> Floats:
        """Return the unit vector of one text."""
        sizes = self._carrier.sizes
        states = self._words[ids] + self._floats("emb.pos", sizes.positions)[: len(ids)]
        states = self._norm("emb.ln", states + self._floats("emb.type", sizes.token_types)[0])
        for layer in range(sizes.layers):
            states = self._attend(f"l{layer}", states)
            wide = self._dense(f"l{layer}.fi", states, f"l{layer}.fi")
            active = wide * 0.5 * (1 + _erf(wide / math.sqrt(2)))
            states = self._norm(f"l{layer}.oln", states + self._dense(f"l{layer}.fo", active, f"l{layer}.fo"))
        mean = states.mean(axis=0)
        return np.asarray(mean / np.linalg.norm(mean), np.float32)

    def _attend(self, layer: str, states: Floats) -> Floats:
        heads = self._carrier.sizes.heads
        query, key, value = (
            self._dense(f"{layer}.qkv", states, f"{layer}.{part}").reshape(len(states), heads, -1) for part in "qkv"
        )
        scores = np.einsum("ihd,jhd->hij", query, key) / math.sqrt(query.shape[-1])
        weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
        weights /= weights.sum(axis=-1, keepdims=True)
        seen = np.einsum("hij,jhd->ihd", weights, value).reshape(states.shape)
        return self._norm(f"{layer}.aln", states + self._dense(f"{layer}.ao", seen, f"{layer}.ao"))

    def _dense(self, seen_as: str, states: Floats, name: str) -> Floats:
        largest = np.abs(states).max(axis=0)
        self.largest[seen_as] = np.maximum(self.largest.get(seen_as, largest), largest)
        return np.asarray(states @ self.weights[name].T + self._carrier.floats(f"{name}.b"), np.float32)

    def _norm(self, name: str, states: Floats) -> Floats:
        centred = states - states.mean(axis=-1, keepdims=True)
        spread = np.sqrt((centred**2).mean(axis=-1, keepdims=True) + self._carrier.epsilon)
        return np.asarray(
            centred / spread * self._carrier.floats(f"{name}.w") + self._carrier.floats(f"{name}.b"), np.float32
        )

    def _floats(self, name: str, rows: int) -> Floats:
        return self._carrier.floats(name).reshape(rows, -1)
