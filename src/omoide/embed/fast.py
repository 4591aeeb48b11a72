"""Any model of fastembed, which fetches it from a hub at the first use; needs the package ``fastembed``."""

from __future__ import annotations

import threading
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from omoide.embed.loader import Loader, Loading, shared
from omoide.errors import EmbedderUnavailableError


class FastEmbedEmbedder(Loading):
    """One session per model and process, loaded in the background, used by one thread at a time.

    ``options`` go to fastembed: ``specific_model_path`` is a folder that holds the model, so that nothing is fetched.

    Raises EmbedderUnavailableError when fastembed is not installed.
    """

    def __init__(self, model_name: str = "BAAI/bge-small-en-v1.5", **options: Any) -> None:
        if find_spec("fastembed") is None:
            raise EmbedderUnavailableError("fastembed is not installed (pip install 'omoide[fastembed]')")
        self.model_name = model_name
        key = f"fastembed {model_name} {sorted(options.items())!r}"
        self._loader: Loader[Locked] = shared(
            key, lambda wanted: construct(_text_embedding, model_name, options, wanted), Locked.close
        )

    def __repr__(self) -> str:
        return f"FastEmbedEmbedder({self.model_name!r})"

    def embed(self, texts: list[str], /) -> list[Any]:
        """Return the vectors of texts to be found."""
        return self._embed("passage_embed", texts)

    def embed_queries(self, texts: list[str], /) -> list[Any]:
        """Return the vectors of questions, with the prefix that the model wants."""
        return self._embed("query_embed", texts)

    def _embed(self, side: str, texts: list[str]) -> list[Any]:
        """Embed one text a run: padded to the longest of a batch, a vector would depend on its neighbours."""
        model = self._loader.wait()
        return [vector for text in texts for vector in model.run(side, [text])]


class Locked:
    """A model of fastembed and the right to use it."""

    def __init__(self, model: Any) -> None:
        self._model = model
        self._lock = threading.Lock()
        self._closed = False

    def run(self, method: str, *arguments: Any) -> list[Any]:
        """Return what a method of the model yields."""
        with self._lock:
            if self._closed:
                raise EmbedderUnavailableError("the interpreter is ending")
            return list(getattr(self._model, method)(*arguments))

    def close(self) -> None:
        """Wait until nobody uses the model; whoever comes later is refused."""
        self._closed = True
        if self._lock.acquire(timeout=5.0):
            self._lock.release()


def construct(
    kind: Callable[[], Any], model_name: str, options: dict[str, Any], still_wanted: Callable[[], None]
) -> Locked:
    """Return a model of a class of fastembed.

    Raises:
        EmbedderUnavailableError: it cannot be fetched or loaded.
    """
    model = kind()
    still_wanted()
    try:
        return Locked(model(model_name, **options))
    except Exception as error:  # the hub's, the network's and onnxruntime's errors have no other base in common
        raise EmbedderUnavailableError(f"fastembed cannot load {model_name}: {error}") from error


def _text_embedding() -> Any:
    return import_module("fastembed").TextEmbedding
