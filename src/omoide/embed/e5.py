"""The default embedder: multilingual-e5-small from the distribution ``omoide_e5_small``, on onnxruntime."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from omoide.embed.loader import Loader, Loading, shared
from omoide.embed.parallel import WORKERS, in_parallel
from omoide.embed.unigram import Unigram
from omoide.embed.windows import MAX_TOKENS, windows
from omoide.errors import EmbedderUnavailableError

Vector = NDArray[np.float32]

MAX_LENGTH: Final = 512  # tokens, prefix and ends counted; what lies beyond is not read
PASSAGE: Final = "passage: "
QUESTION: Final = "query: "
PACKAGE: Final = "omoide-e5-small"
_CLOSING: Final = 5.0  # seconds


class E5Embedder(Loading):
    """Embeds about 100 languages into 384 dimensions, unit length.

    A text is always run alone, on one thread, so its vector depends on nothing but the text; a list is run
    by two threads. One session serves all instances of a process; it is loaded in the background from the
    first ``load`` or ``embed`` on.

    Raises EmbedderUnavailableError when the data files or onnxruntime are missing.
    """

    def __init__(self) -> None:
        try:
            import omoide_e5_small as data
        except ImportError as error:
            raise EmbedderUnavailableError(f"{PACKAGE} is not installed") from error
        folder: Path = data.path()
        faults = data.check()
        if faults:
            raise EmbedderUnavailableError(f"install {PACKAGE} again: in {folder} {', '.join(faults)}")
        self.model_name: str = data.MODEL_NAME
        self.dimension: int = data.DIMENSION
        self._loader: Loader[_Model] = shared(
            str(folder), lambda still_wanted: _load(folder, still_wanted), _Model.close
        )

    def __repr__(self) -> str:
        return f"E5Embedder({self.model_name!r})"

    def embed(self, texts: list[str], /) -> list[Vector]:
        """Return the vectors of texts to be found, (384,) float32 each."""
        return self._embed(PASSAGE, texts)

    def embed_queries(self, texts: list[str], /) -> list[Vector]:
        """Return the vectors of questions, (384,) float32 each."""
        return self._embed(QUESTION, texts)

    def split(self, text: str) -> list[str]:
        """Return the windows of a text that is longer than the model reads, else the text alone."""
        if len(text) <= MAX_TOKENS:
            return [text]
        return windows(text, self._loader.wait().tokens.count)

    def _embed(self, prefix: str, texts: list[str]) -> list[Vector]:
        if not texts:
            return []
        model = self._loader.wait()
        return in_parallel(lambda text: model.vector(prefix + text), texts)


class _Model:
    """A vocabulary and a session, and how many threads may run it at once."""

    def __init__(self, tokens: Unigram, session: Any) -> None:
        self.tokens = tokens
        self._session = session
        self._permits = threading.BoundedSemaphore(WORKERS)
        self._closed = False

    def vector(self, text: str) -> Vector:
        """Return the vector of one text, prefix included, (384,)."""
        ids = np.array([self.tokens.ids(text, MAX_LENGTH)], np.int64)
        with self._permits:
            if self._closed:
                raise EmbedderUnavailableError("the interpreter is ending")
            found: Vector = self._session.run(None, {"input_ids": ids})[0][0]
        return found

    def close(self) -> None:
        """Wait until nobody runs the session; whoever comes later is refused."""
        self._closed = True
        held = [self._permits.acquire(timeout=_CLOSING) for _ in range(WORKERS)]
        for _ in filter(None, held):
            self._permits.release()


def _load(folder: Path, still_wanted: Callable[[], None]) -> _Model:
    import onnxruntime

    still_wanted()
    tokens = Unigram.read(folder)
    still_wanted()
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3  # errors
    # One thread a run: on a busy machine two that wait for each other are slower than one. No pool of
    # threads also means nothing that a fork or the end of the interpreter could leave half done.
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.enable_mem_pattern = False  # a plan for every length seen would be kept for ever
    model = str(folder / "model.onnx")
    try:
        session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    except Exception as error:  # its errors have no other base in common
        raise EmbedderUnavailableError(f"onnxruntime cannot run {model}: {error}") from error
    return _Model(tokens, session)
