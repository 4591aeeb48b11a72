"""A cross-encoder in a folder of the user's: ``model.onnx`` and ``tokenizer.json``, run on onnxruntime.

The folder is what exports of such models have: the model there or in ``onnx/`` below it. The model takes
``input_ids`` and, if it wants them, ``attention_mask`` and ``token_type_ids``, int64 ``[pairs, length]``; its first
output is one logit a pair, or two of which the last speaks for a match.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from omoide.embed.loader import Loader, Loading, shared
from omoide.embed.session import Turnstile, open_session
from omoide.errors import EmbedderUnavailableError, InvalidInputError, RerankerError

MAX_LENGTH: Final = 512  # tokens of question and text together; the longer of them is cut
BATCH: Final = 16
_MODELS: Final = ("model.onnx", "onnx/model.onnx")
_NEEDED: Final = {"tokenizers": "omoide[rerank]", "onnxruntime": "onnxruntime"}
_GIVEN: Final = ("input_ids", "attention_mask", "token_type_ids")


class OnnxReranker(Loading):
    """Scores pairs between 0 and 1, the logistic function of the model's logit; loaded at the first use.

    Raises InvalidInputError for a folder without the two files, EmbedderUnavailableError when ``tokenizers`` (extra
    ``omoide[rerank]``) or onnxruntime is not installed.
    """

    def __init__(self, folder: Path) -> None:
        model = next((folder / name for name in _MODELS if (folder / name).is_file()), None)
        if model is None or not (folder / "tokenizer.json").is_file():
            raise InvalidInputError(
                f"{folder} is no cross-encoder: it needs model.onnx (there or in onnx/) and tokenizer.json",
                value=folder,
            )
        for package, install in _NEEDED.items():
            if find_spec(package) is None:
                raise EmbedderUnavailableError(f"a cross-encoder needs {package} (pip install '{install}')")
        self._folder = folder
        self._loader: Loader[_Model] = shared(
            f"rerank {folder.resolve()}", lambda still_wanted: _load(folder, model, still_wanted), _Model.close
        )

    def __repr__(self) -> str:
        return f"OnnxReranker({str(self._folder)!r})"

    def score(self, query: str, texts: list[str], /) -> list[float]:
        """Return how well each text answers the question, 0 to 1."""
        model = self._loader.wait()
        return [score for at in range(0, len(texts), BATCH) for score in model.scores(query, texts[at : at + BATCH])]


class _Model:
    """A tokenizer and a session."""

    def __init__(self, tokenizer: Any, session: Any) -> None:
        self._tokenizer, self._session = tokenizer, session
        self._names = [given.name for given in session.get_inputs()]
        unknown = set(self._names) - set(_GIVEN)
        if unknown:
            raise RerankerError(f"the model wants {', '.join(sorted(unknown))}, which no cross-encoder is given")
        self._door = Turnstile()

    def scores(self, query: str, texts: list[str]) -> list[float]:
        """Return the scores of one batch."""
        pairs = self._tokenizer.encode_batch([(query, text) for text in texts])
        columns = {
            "input_ids": [pair.ids for pair in pairs],
            "attention_mask": [pair.attention_mask for pair in pairs],
            "token_type_ids": [pair.type_ids for pair in pairs],
        }
        feed = {name: np.array(columns[name], np.int64) for name in self._names}
        with self._door:
            logits: NDArray[np.float32] = self._session.run(None, feed)[0]
        return _probabilities(logits.reshape(len(texts), -1).astype(np.float64))

    def close(self) -> None:
        """Wait until nobody runs the session."""
        self._door.close()


def _probabilities(logits: NDArray[np.float64]) -> list[float]:
    """Return the logistic function of one logit, or of the difference of two: their softmax."""
    match = logits[:, -1] - (logits[:, 0] if logits.shape[1] > 1 else 0)
    chances: list[float] = (1 / (1 + np.exp(-np.clip(match, -60, 60)))).tolist()
    return chances


def _load(folder: Path, model: Path, still_wanted: Callable[[], None]) -> _Model:
    library = import_module("tokenizers")
    still_wanted()
    try:
        tokenizer = library.Tokenizer.from_file(str(folder / "tokenizer.json"))
    except Exception as error:  # the library raises plain Exception for a file it cannot read
        raise EmbedderUnavailableError(f"tokenizers cannot read {folder / 'tokenizer.json'}: {error}") from error
    tokenizer.enable_truncation(MAX_LENGTH, strategy="longest_first")
    tokenizer.enable_padding()
    still_wanted()
    return _Model(tokenizer, open_session(model))
