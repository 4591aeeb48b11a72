"""An embedder without a model, for tests."""

from __future__ import annotations

import math
import random
from hashlib import sha256


class FakeEmbedder:
    """Gives every text its own random direction: the same in every process, unrelated to all others.

    The components are normal numbers from a generator seeded with the sha256 of the text, scaled to unit
    length, so unrelated texts are nearly orthogonal and equal texts have cosine 1.
    """

    def __init__(self, dimension: int = 32, model_name: str = "fake-embedder") -> None:
        self.dimension = dimension
        self.model_name = model_name

    def __repr__(self) -> str:
        return f"FakeEmbedder(dimension={self.dimension}, model_name={self.model_name!r})"

    def embed(self, texts: list[str], /) -> list[list[float]]:
        """Return one unit vector per text."""
        return [self._vector(text) for text in texts]

    def _vector(self, text: str) -> list[float]:
        seed = sha256(text.encode(errors="surrogatepass")).digest()
        source = random.Random(int.from_bytes(seed))  # noqa: S311  # reproducible on purpose
        numbers = [source.gauss(0.0, 1.0) for _ in range(self.dimension)]
        length = math.sqrt(sum(number * number for number in numbers))
        return [number / length for number in numbers]
