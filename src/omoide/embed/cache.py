"""The vectors of the questions asked lately, in memory."""

from __future__ import annotations

from collections import OrderedDict
from hashlib import sha256
from typing import Any, Final

from numpy.typing import NDArray

ENTRIES: Final = 1024  # 1.5 MB at 384 dimensions


class QueryCache:
    """Least recently used out, by model and content; no text is kept.

    Safe from any thread without a lock of its own, so that a fork cannot inherit one that is held: every
    single operation on the dictionary is atomic, and what happens between two of them costs one entry.
    """

    def __init__(self, entries: int = ENTRIES) -> None:
        self._entries = entries
        self._vectors: OrderedDict[tuple[str, bytes], NDArray[Any]] = OrderedDict()

    def __len__(self) -> int:
        return len(self._vectors)

    def get(self, model_name: str, text: str) -> NDArray[Any] | None:
        """Return the vector of a question, None when it is not known."""
        key = _key(model_name, text)
        vector = self._vectors.get(key)
        if vector is not None:
            try:
                self._vectors.move_to_end(key)
            except KeyError:  # dropped by another thread a moment ago
                return vector
        return vector

    def put(self, model_name: str, text: str, vector: NDArray[Any]) -> None:
        """Keep the vector of a question."""
        self._vectors[_key(model_name, text)] = vector
        while len(self._vectors) > self._entries:
            try:
                self._vectors.popitem(last=False)
            except KeyError:  # emptied by another thread a moment ago
                return

    def clear(self) -> None:
        """Forget everything."""
        self._vectors.clear()


def _key(model_name: str, text: str) -> tuple[str, bytes]:
    return model_name, sha256(text.encode(errors="surrogatepass")).digest()
