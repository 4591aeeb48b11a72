"""Embedders whose weights come with a distribution of data files, run on onnxruntime."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar, Final, Protocol

import numpy as np
from numpy.typing import NDArray

from omoide.embed.loader import Loader, Loading, shared
from omoide.embed.parallel import in_parallel
from omoide.embed.session import Turnstile, open_session
from omoide.embed.windows import windows
from omoide.errors import EmbedderUnavailableError

Vector = NDArray[np.float32]

_SPARE: Final = 112
"""Tokens that a window leaves free: the prefix, the ends, and what cutting words may add."""


class Tokens(Protocol):
    """Turns texts into token ids."""

    def ids(self, text: str, limit: int) -> list[int]:
        """Return the ids with start and end, cut to the limit."""
        ...

    def count(self, text: str) -> int:
        """Return the number of tokens, start and end not counted."""
        ...


class PackagedEmbedder(Loading):
    """Vectors of unit length from a model in an installed package.

    A text is always run alone, on one thread, so its vector depends on nothing but the text; a list is run
    by two threads. One session serves all instances of a process; it is loaded in the background from the
    first ``load`` or ``embed`` on.

    Raises EmbedderUnavailableError when the data files or onnxruntime are missing.
    """

    module: ClassVar[str]
    package: ClassVar[str]
    max_length: ClassVar[int]
    """Tokens, prefix and ends counted; what lies beyond is not read."""
    passage: ClassVar[str] = ""
    question: ClassVar[str] = ""
    spare: ClassVar[int] = _SPARE
    overlap: ClassVar[int] = 40

    def __init__(self) -> None:
        try:
            data = import_module(self.module)
        except ImportError as error:
            raise EmbedderUnavailableError(f"{self.package} is not installed") from error
        folder: Path = data.path()
        faults = data.check()
        if faults:
            raise EmbedderUnavailableError(f"install {self.package} again: in {folder} {', '.join(faults)}")
        self.model_name: str = data.MODEL_NAME
        self.dimension: int = data.DIMENSION
        self._loader: Loader[Model] = shared(
            str(folder), lambda still_wanted: load_model(folder, self.read_tokens, still_wanted), Model.close
        )

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.model_name!r})"

    @staticmethod
    def read_tokens(folder: Path) -> Tokens:
        """Return the vocabulary in the folder."""
        raise NotImplementedError

    def embed(self, texts: list[str], /) -> list[Vector]:
        """Return the vectors of texts to be found, (dimension,) float32 each."""
        return self._embed(self.passage, texts)

    def embed_queries(self, texts: list[str], /) -> list[Vector]:
        """Return the vectors of questions, (dimension,) float32 each."""
        return self._embed(self.question, texts)

    def split(self, text: str) -> list[str]:
        """Return the windows of a text that is longer than the model reads, else the text alone."""
        room = self.max_length - self.spare
        if len(text) <= room:
            return [text]
        return windows(text, self._loader.wait().tokens.count, max_tokens=room, overlap=self.overlap)

    def _embed(self, prefix: str, texts: list[str]) -> list[Vector]:
        if not texts:
            return []
        model = self._loader.wait()
        return in_parallel(lambda text: model.vector(prefix + text, self.max_length), texts)


class Model:
    """A vocabulary and a session."""

    def __init__(self, tokens: Tokens, session: Any) -> None:
        self.tokens = tokens
        self._session = session
        self._door = Turnstile()

    def vector(self, text: str, limit: int) -> Vector:
        """Return the vector of one text, prefix included, (dimension,)."""
        ids = np.array([self.tokens.ids(text, limit)], np.int64)
        with self._door:
            found: Vector = self._session.run(None, {"input_ids": ids})[0][0]
        return found

    def close(self) -> None:
        """Wait until nobody runs the session; whoever comes later is refused."""
        self._door.close()


def load_model(folder: Path, read_tokens: Callable[[Path], Tokens], still_wanted: Callable[[], None]) -> Model:
    """Return the model in a folder; ``still_wanted`` raises between two stages when the interpreter is ending."""
    import_module("onnxruntime")
    still_wanted()
    tokens = read_tokens(folder)
    still_wanted()
    return Model(tokens, open_session(folder / "model.onnx"))
